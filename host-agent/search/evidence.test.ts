import { describe, expect, it } from 'vitest'
import { readSessionRequestSchema } from '../../protocol/session-search/read-session.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { createIndexFixture } from './index-fixture.ts'
import { readSession } from './read-session.ts'
import { results } from './search-fixture.ts'

const tool = (text: string) => ({ role: 'tool' as const, text })
const assistant = (text: string) => ({ role: 'assistant' as const, text })

/** The text of the message that an evidence's index leads to, as a client opens it. */
function opened(db: SqlDatabase, sessionId: string, messageIndex: number | undefined): string | undefined {
  const request = readSessionRequestSchema.parse({
    agent: 'claude',
    sessionId,
    around: messageIndex,
    limit: 1,
  })
  const page = readSession(db, request)
  return page.kind === 'messages' ? page.messages[0]?.text : page.kind
}

describe('evidence of a hit', () => {
  it('leads to its message, by every order', () => {
    using index = createIndexFixture([
      { sessionId: 'a', messages: ['hello', assistant('the needle lies here'), 'thanks'] },
    ])
    for (const sort of ['relevance', 'newest'] as const) {
      const [hit] = results(index.db, { query: 'needle', filters: { sort } }).hits
      expect(hit?.evidence).toEqual({
        snippet: 'the [[needle]] lies here',
        role: 'assistant',
        timestamp: null,
        messageIndex: 1,
      })
      expect(opened(index.db, 'a', hit?.evidence?.messageIndex)).toBe('the needle lies here')
    }
  })

  it('shows up to three other messages, the best first, each once and leading to itself', () => {
    using index = createIndexFixture([
      {
        sessionId: 'a',
        messages: [
          tool('a needle in tool output'),
          'where is the needle?',
          'nothing',
          assistant('the needle was found'),
          tool('needle 1'),
          assistant('[[ needle ]]'),
        ],
      },
    ])
    for (const sort of ['relevance', 'newest'] as const) {
      const [hit] = results(index.db, { query: 'needle', filters: { sort } }).hits
      const further = hit?.evidence?.further ?? []
      expect(hit?.evidence?.snippet).toBe('where is the [[needle]]?')
      expect(further).toHaveLength(3)
      expect(further.slice(0, 2).map((message) => message.role)).toEqual(['assistant', 'assistant'])
      expect(further.map((message) => message.snippet)).toContain('[\u2060[ [[needle]] ]\u2060]')
      for (const { snippet, messageIndex } of further) {
        const plain = snippet.replaceAll('[[needle]]', 'needle').replaceAll('\u2060', '')
        expect(opened(index.db, 'a', messageIndex)).toBe(plain)
      }
    }
  })

  it('has no further messages where none match, and counts cut snippets by the first alone', () => {
    const long = `needle ${'x'.repeat(3000)}`
    using index = createIndexFixture([
      { sessionId: 'one', messages: ['needle', 'hay'] },
      { sessionId: 'long', messages: [assistant('a needle'), tool(long)] },
    ])
    const answer = results(index.db, { query: 'needle' })
    expect(answer.hits.map((hit) => [hit.sessionId, hit.evidence?.further?.length])).toEqual([
      ['one', undefined],
      ['long', 1],
    ])
    expect(answer.truncated.snippets).toBe(0)
  })

  it('tells no place for a message of a file that the index does not vouch for', () => {
    using index = createIndexFixture([{ sessionId: 'a', fileState: null, messages: ['needle'] }])
    const [hit] = results(index.db, { query: 'needle' }).hits
    expect(hit?.evidence).toEqual({ snippet: '[[needle]]', role: 'user', timestamp: null })
  })
})
