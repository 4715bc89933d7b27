import { describe, expect, it } from 'vitest'
import { openingTags } from './injected-text.ts'
import type { TranscriptMessage } from './reader.ts'
import { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'

function told(role: 'user' | 'assistant', parts: readonly MessagePart[], injected?: RegExp) {
  const messages: TranscriptMessage[] = []
  const tell = new Telling((message) => messages.push(message))
  tellMessage(tell, role, 1000, parts, injected)
  const said = messages.map(({ role: by, text, timestampMs }) => `${by} ${timestampMs}: ${text}`)
  return { said, count: tell.tally.messageCount, title: tell.tally.firstWords }
}

const words = (text: string, atMs?: number): MessagePart => ({
  kind: 'said',
  text,
  ...(atMs === undefined ? {} : { atMs }),
})
const tool = (text: string): MessagePart => ({ kind: 'tool', text })

describe('tellMessage', () => {
  it('joins texts that follow on each other, keeps tools in their place, and counts the message once', () => {
    expect(told('assistant', [words('a', 5), words(' '), words('b'), tool('t'), words('c')])).toEqual({
      said: ['assistant 5: a\nb', 'tool 1000: t', 'assistant 1000: c'],
      count: 1,
      title: null,
    })
  })

  it('counts nothing where nothing was said', () => {
    expect(told('assistant', [tool('t'), words('  ')])).toMatchObject({ said: ['tool 1000: t'], count: 0 })
    expect(told('user', [])).toMatchObject({ said: [], count: 0 })
  })

  it('takes out of a user’s text what a program put there, and leaves the rest as it was typed', () => {
    expect(told('user', [words('<system-reminder>be brief</system-reminder> Go on ')])).toEqual({
      said: ['tool 1000: be brief', 'user 1000: Go on'],
      count: 1,
      title: 'Go on',
    })
    expect(told('user', [words('  as typed\n')]).said).toEqual(['user 1000:   as typed\n'])
    expect(told('user', [words('<clock>noon</clock>')], openingTags(['clock']))).toMatchObject({
      said: ['tool 1000: noon'],
      count: 0,
    })
    // An assistant may write of such tags.
    expect(told('assistant', [words('<system-reminder>x</system-reminder>')]).count).toBe(1)
  })
})
