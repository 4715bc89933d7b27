import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { nothingBeside, transcriptFile } from '../../test/helpers/fold-transcript.ts'
import { type TranscriptMessage, UnknownFoldState } from './reader.ts'
import { toldLines } from './told-lines.ts'

const file = transcriptFile('s.jsonl')
const format = toldLines({
  label: 'Agent',
  state: z.object({ seen: z.number() }),
  initial: () => ({ seen: 0 }),
  record(record, state, tell) {
    state.seen += 1
    tell.user(`${state.seen}: ${String(record.text)}`, null)
  },
  identity: ({ seen }) => ({ sessionId: `seen ${seen}` }),
})
const open = (saved?: unknown) => format.open(file, nothingBeside, saved)

describe('toldLines', () => {
  it('goes on from what was saved as if it had never stopped', () => {
    const messages: TranscriptMessage[] = []
    const first = open()
    first.line('{"text":"a"}', (message) => messages.push(message))
    first.line('no json', (message) => messages.push(message))
    first.line('  ', (message) => messages.push(message))
    const saved: unknown = JSON.parse(JSON.stringify(first.save()))
    const second = open(saved)
    second.line('{"text":"b"}', (message) => messages.push(message))
    second.skipLine()
    expect(messages.map(({ text }) => text)).toEqual(['1: a', '2: b'])
    expect(second.facts()).toMatchObject({ sessionId: 'seen 2', title: '1: a', messageCount: 2 })
    expect(second.unread()).toEqual({ badLines: 2, unknownRecords: 0 })
  })

  it('saves a state that later lines leave as it is', () => {
    const fold = open()
    const saved = JSON.stringify(fold.save())
    const kept = fold.save()
    fold.line('{"text":"a"}', () => undefined)
    expect(JSON.stringify(kept)).toBe(saved)
  })

  it('refuses the state of another version', () => {
    expect(() => open({ version: 2 })).toThrow(UnknownFoldState)
    expect(() => open({ version: 1, tally: {}, state: { seen: 1 } })).toThrow(UnknownFoldState)
  })

  it('is none until something was said', () => {
    const fold = open()
    expect(fold.kind()).toBe('none')
    fold.line('{"text":"a"}', () => undefined)
    expect(fold.kind()).toBe('session')
  })
})
