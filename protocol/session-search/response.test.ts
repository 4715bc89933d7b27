import { describe, expect, it } from 'vitest'
import type { Hit } from './hit.ts'
import { parseHostResponse } from './response.ts'

const hit: Hit = {
  agent: 'claude',
  sessionId: 's',
  title: 't',
  cwd: null,
  branch: null,
  updatedAt: null,
  messageCount: 1,
  score: 1,
  source: { presence: 'missing' },
  evidence: { snippet: 'x', role: 'user', timestamp: null },
}
const answer = (hits: readonly unknown[], cursor: string | null = null) => ({
  kind: 'results',
  hits,
  page: { cursor, hasMore: cursor !== null },
  generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false },
  durationMs: 1,
})
const long = 'x'.repeat(20_000)

describe('parseHostResponse', () => {
  it.each([
    ['title', { ...hit, title: long }],
    ['session id', { ...hit, sessionId: long }],
    ['snippet', { ...hit, evidence: { snippet: long, role: 'user', timestamp: null } }],
    [
      'further snippets',
      {
        ...hit,
        evidence: {
          ...hit.evidence,
          further: Array.from({ length: 20 }, () => ({
            snippet: 'x'.repeat(1_000),
            role: 'user',
            timestamp: null,
          })),
        },
      },
    ],
    ['path', { ...hit, source: { presence: 'missing', filePath: long } }],
    ['cursor', { ...hit, cursor: long }],
    ['member nobody knows, and a title', { ...hit, title: long, more: 1 }],
  ])('drops and counts a hit whose %s leaves no room for others', (_what, large) => {
    const { response, droppedHits } = parseHostResponse(answer([hit, large, hit]))
    expect(response).toMatchObject({ hits: [hit, hit] })
    expect(droppedHits).toBe(1)
  })

  it('cannot read an answer whose cursor is too long to be handed on', () => {
    expect(() => parseHostResponse(answer([hit], long))).toThrow('cursor')
    expect(parseHostResponse(answer([hit], 'x'.repeat(4_096))).droppedHits).toBe(0)
  })
})
