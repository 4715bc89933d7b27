import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { searchRequestSchema } from '../../protocol/session-search/request.ts'
import { type CursorPlace, checkHostCursor, encodeHostCursor, queryKey } from './host-cursor.ts'

const fence = { indexId: 'index-a', generation: 7, removals: 3 }
const request = (fields: object) => searchRequestSchema.parse({ query: 'needle', ...fields })
const key = queryKey(request({}))
const ranked: CursorPlace = { order: 'relevance', offset: 20 }
const walk: CursorPlace = {
  order: 'newest',
  after: { sessionRowId: 12, updatedAtMs: null },
  rung: 'session',
  repairs: new Map([['reconect', 'reconnect']]),
  headMs: 1_700_000_000_000,
}

describe('queryKey', () => {
  it('[cursor.one-query] is of the query, scope, filters and sort', () => {
    const keys = [
      {},
      { query: 'needles' },
      { scope: 'conversation' },
      { filters: { sort: 'newest' } },
      { filters: { agents: ['codex'] } },
      { filters: { scopePaths: ['/a'] } },
      { filters: { since: '2026-01-02T03:04:05Z' } },
    ].map((fields) => queryKey(request(fields)))
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('[cursor.one-query] does not depend on page size, freshness, debug or the order of lists, and takes a time as an instant', () => {
    expect(queryKey(request({ limit: 3, debug: true, freshness: 'wait-until-current', scope: 'all' }))).toBe(
      key,
    )
    const filters = { agents: ['claude', 'codex'], scopePaths: ['/a', '/b'], since: '2026-01-02T03:04:05Z' }
    const same = { agents: ['codex', 'claude'], scopePaths: ['/b', '/a'], since: '2026-01-02T05:04:05+02:00' }
    expect(queryKey(request({ filters }))).toBe(queryKey(request({ filters: same })))
  })
})

describe('checkHostCursor', () => {
  it('gives back the place it was made for', () => {
    for (const place of [
      ranked,
      walk,
      { ...walk, headMs: null },
      { ...walk, after: null, rung: null, repairs: new Map() } as const,
    ]) {
      expect(checkHostCursor(encodeHostCursor(place, key, fence), key, fence)).toEqual({
        kind: 'good',
        place,
      })
    }
  })

  it('[cursor.generation] holds a ranked list against the generation, a walk against removals', () => {
    const appended = { ...fence, generation: 8 }
    const removed = { ...fence, generation: 8, removals: 4 }
    const stale = { kind: 'stale', expectedGeneration: 7 }
    expect(checkHostCursor(encodeHostCursor(ranked, key, fence), key, appended)).toEqual(stale)
    expect(checkHostCursor(encodeHostCursor(walk, key, fence), key, appended)).toMatchObject({ kind: 'good' })
    expect(checkHostCursor(encodeHostCursor(walk, key, fence), key, removed)).toEqual(stale)
  })

  it('[routing.discard-on-change] is stale on another index', () => {
    const other = { ...fence, indexId: 'index-b' }
    for (const place of [ranked, walk]) {
      expect(checkHostCursor(encodeHostCursor(place, key, fence), key, other)).toEqual({ kind: 'stale' })
    }
  })

  it('[cursor.malformed] looks at the generation before the query', () => {
    const otherKey = queryKey(request({ query: 'other' }))
    const cursor = encodeHostCursor(ranked, key, fence)
    expect(checkHostCursor(cursor, otherKey, fence)).toEqual({ kind: 'malformed' })
    expect(checkHostCursor(cursor, otherKey, { ...fence, generation: 8 })).toMatchObject({ kind: 'stale' })
  })

  it('[cursor.malformed][request.cursor] refuses what cannot be decoded, the empty string included', () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const texts = [
      '',
      ' ',
      'not base64url!',
      encode({}),
      encode([]),
      encode(null),
      encode('x'),
      encode([key, 'tag', 7]),
      encode([key, 'tag', -1, 0]),
      encode([key, 'tag', 7, 1.5]),
      encode([1, 'tag', 7, 0]),
      encode([key, 'tag', 7, 3, 9, [], []]),
      encode([key, 'tag', 7, 3, 1, ['x', 1], []]),
      encode([key, 'tag', 7, 3, 1, [], ['a" OR "b', 'c']]),
      encode([key, 'tag', 7, 3, 1, [], ['a']]),
      `${encodeHostCursor(ranked, key, fence)}=`,
      'A'.repeat(10_000),
    ]
    for (const text of texts) expect(checkHostCursor(text, key, fence)).toEqual({ kind: 'malformed' })
  })

  it('[cursor.malformed] throws for no text, and takes no altered cursor for another query', () => {
    const cursor = encodeHostCursor(walk, key, fence)
    const kinds = ['good', 'malformed', 'stale']
    fc.assert(
      fc.property(
        fc.nat(cursor.length - 1),
        fc.constantFrom(...'abcXYZ019_-'),
        fc.string(),
        (at, unit, noise) => {
          const altered = cursor.slice(0, at) + unit + cursor.slice(at + 1)
          expect(kinds).toContain(checkHostCursor(altered, key, fence).kind)
          expect(kinds).toContain(checkHostCursor(noise, key, fence).kind)
          expect(kinds).toContain(checkHostCursor(cursor.slice(0, at), key, fence).kind)
        },
      ),
    )
  })

  it('is small: hundreds of them share one merged cursor', () => {
    const long = {
      ...walk,
      after: { sessionRowId: 123_456, updatedAtMs: 1_765_432_109_876 },
      repairs: new Map(),
    }
    expect(
      encodeHostCursor(long, key, { ...fence, generation: 1_000_000, removals: 10_000 }).length,
    ).toBeLessThan(128)
  })
})
