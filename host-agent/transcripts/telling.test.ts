import { describe, expect, it } from 'vitest'
import { transcriptFile } from '../../test/helpers/fold-transcript.ts'
import type { TranscriptMessage } from './reader.ts'
import { nothingTold, Telling, toldWhole } from './telling.ts'

const file = transcriptFile('s.json')

describe('toldWhole', () => {
  it('counts what was said and takes the first words for the title', () => {
    const read = toldWhole('Agent', file, (tell) => {
      tell.tool('ls', 1_780_000_000_000)
      tell.user('  \n', 5)
      tell.user('First\nwords', 1_780_000_002_000)
      tell.assistant('Reply', null)
      tell.at(1_780_000_001_000)
      return { sessionId: 's1', cwd: '/work', invocation: 'agent --resume' }
    })
    expect(read.kind).toBe('session')
    expect(read.messages).toEqual([
      { role: 'tool', text: 'ls', timestampMs: 1_780_000_000_000 },
      { role: 'user', text: 'First\nwords', timestampMs: 1_780_000_002_000 },
      { role: 'assistant', text: 'Reply', timestampMs: null },
    ])
    expect(read.facts).toEqual({
      sessionId: 's1',
      title: 'First words',
      cwd: '/work',
      branch: null,
      createdAtMs: 5,
      updatedAtMs: 1_780_000_002_000,
      messageCount: 2,
      resumeCommand: "cd '/work' && agent --resume 's1'",
    })
  })

  it('lets a title and times of a manifest have their say, and never an empty title', () => {
    const facts = (title: string, updatedAtMs: number | null) =>
      toldWhole('Agent', file, (tell) => {
        tell.assistant('Reply', 2000)
        return { sessionId: 'abcdefghij', title, createdAtMs: 1000, updatedAtMs }
      }).facts
    expect(facts('Named', 9000)).toMatchObject({ title: 'Named', createdAtMs: 1000, updatedAtMs: 9000 })
    expect(facts(' \n', null)).toMatchObject({ title: 'Agent abcdefgh', updatedAtMs: 2000 })
  })

  it('takes what a part is told for the words of the agent that called it', () => {
    const tellAll = (tell: Telling) => {
      tell.user('Do this', null)
      return { sessionId: 'root', kind: 'part' as const, invocation: 'agent --resume' }
    }
    const read = toldWhole('Agent', file, tellAll, true)
    expect(read.kind).toBe('part')
    expect(read.messages.map(({ role }) => role)).toEqual(['assistant'])
    expect(read.facts).toMatchObject({ title: 'Agent root', messageCount: 0, resumeCommand: null })
  })

  it('searches nothing where nothing was told', () => {
    expect(nothingTold('Agent', file, 's').kind).toBe('none')
    expect(toldWhole('Agent', file, () => ({ sessionId: 's', kind: 'part' })).kind).toBe('none')
  })

  it('quotes the resume command for the system the file lies on', () => {
    const windows = { ...file, path: 'C:\\Users\\dev\\s.json' }
    const read = toldWhole('Agent', windows, () => ({ sessionId: 's1', invocation: 'agent --resume' }))
    expect(read.facts.resumeCommand).toBe('cmd /d /s /c "agent --resume ""s1"""')
  })
})

describe('Telling', () => {
  it('takes the escapes of terminals out of tool texts', () => {
    const said: string[] = []
    const tell = new Telling(({ text }) => said.push(text))
    tell.tool('\u001b[1;31mfailed\u001b[0m in \u001b]8;;file:///a\u0007a.ts\u001b]8;;\u001b\\', null)
    tell.tool('\u001b[2K', null)
    expect(said).toEqual(['failed in a.ts'])
  })

  it('counts what could not be read', () => {
    const said: TranscriptMessage[] = []
    const tell = new Telling((message) => said.push(message))
    tell.bad()
    tell.unknown()
    tell.unknown()
    expect(said).toEqual([])
    expect(tell.tally).toMatchObject({ badLines: 1, unknownRecords: 2, emitted: false })
  })
})
