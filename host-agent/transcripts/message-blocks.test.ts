import { describe, expect, it } from 'vitest'
import { gluedRecords } from './json-record.ts'
import { contentBlocks, contentOfParts, contentText, tellReply, tellUser } from './message-blocks.ts'
import type { TranscriptMessage } from './reader.ts'
import { Telling } from './telling.ts'

function told(tellAll: (tell: Telling) => void) {
  const messages: TranscriptMessage[] = []
  const tell = new Telling((message) => messages.push(message))
  tellAll(tell)
  return { said: messages.map(({ role, text }) => `${role}: ${text}`), count: tell.tally.messageCount }
}

describe('contentBlocks', () => {
  it('knows each kind of block by any of its names', () => {
    const call = { kind: 'call', text: 'read: a', callId: 'c' }
    for (const block of [
      { type: 'tool_use', id: 'c', name: 'read', input: { path: 'a' } },
      { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'a' } },
      { type: 'tool-call', toolCallId: 'c', toolName: 'read', args: '{"path":"a"}' },
    ])
      expect(contentBlocks([block])).toEqual([call])
    const result = { kind: 'result', text: 'out', callId: 'c' }
    for (const block of [
      { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'out' }] },
      { type: 'tool-result', toolCallId: 'c', result: { output: 'out' } },
      { type: 'toolResult', callId: 'c', text: 'out' },
    ])
      expect(contentBlocks([block])).toEqual([result])
    for (const block of [
      { type: 'thinking', thinking: 't' },
      { type: 'reasoning', text: 't' },
      { type: 'reasoning_text', text: 't' },
    ])
      expect(contentBlocks([block])).toEqual([{ kind: 'thought', text: 't' }])
  })

  it('leaves out what has no text, and keeps text of kinds nobody knows', () => {
    expect(
      contentBlocks([{ type: 'image', text: 'x' }, { type: 'redacted_thinking', data: 'x' }, 7, null]),
    ).toEqual([])
    expect(contentBlocks(['bare', { type: 'brand_new', text: 'seen' }, { type: 'thinking' }])).toEqual([
      { kind: 'text', text: 'bare' },
      { kind: 'text', text: 'seen' },
    ])
    expect(contentBlocks(undefined)).toEqual([])
    expect(contentText([{ type: 'text', text: 'a' }, { type: 'thinking', thinking: 'b' }, 'c'])).toBe('a\nc')
  })
})

describe('contentOfParts', () => {
  it('reads texts, thoughts, calls and responses', () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'hi' },
      { functionCall: { id: 'c', name: 'ls', args: {} } },
      { functionResponse: { id: 'c', response: { output: 'a' } } },
      { inlineData: { data: 'x' } },
    ]
    expect(contentOfParts({ parts }).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'thought hm',
      'text hi',
      'call ls',
      'result a',
    ])
    expect(contentOfParts({ parts: 'odd' })).toEqual([])
  })
})

describe('tellReply', () => {
  const content = ['a', { type: 'tool_use', name: 'ls', input: {} }, 'b', { type: 'thinking', thinking: 'c' }]

  it('counts a reply once, however many pieces tools leave of it', () => {
    expect(told((tell) => tellReply(tell, contentBlocks(content), null))).toEqual({
      said: ['assistant: a', 'tool: ls', 'assistant: b\nc'],
      count: 1,
    })
  })

  it('counts nothing where the reply is a part of another', () => {
    expect(told((tell) => tellReply(tell, contentBlocks(content), null, false)).count).toBe(0)
  })
})

describe('tellUser', () => {
  it('joins a person’s words, and tells results and asides as tool text', () => {
    const wordsOf = (text: string) => ({ words: text.toUpperCase(), asides: text === 'b' ? ['aside'] : [] })
    const content = ['a', { type: 'tool_result', content: 'out' }, 'b']
    expect(told((tell) => tellUser(tell, content, null, wordsOf))).toEqual({
      said: ['tool: out', 'tool: aside', 'user: A\nB'],
      count: 1,
    })
  })
})

describe('gluedRecords', () => {
  it('parts the objects of a line, whatever their texts hold', () => {
    expect(gluedRecords('{"a":"}{\\"\\\\"}{"b":{"c":[1]}} ')).toEqual([{ a: '}{"\\' }, { b: { c: [1] } }])
  })

  it.each(['{"a":1}{"torn', '{"a":1}x{"b":2}', '}{', '7', ''])('gives none of %j', (line) => {
    expect(gluedRecords(line)).toEqual([])
  })
})
