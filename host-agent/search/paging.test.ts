import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SearchRequestInput } from '../../protocol/session-search/request.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { createIndexFixture } from './index-fixture.ts'
import { ask, results, sessionIds } from './search-fixture.ts'

/** All pages from `cursor` on, page sizes taken in turn. */
function allPages(
  db: SqlDatabase,
  request: SearchRequestInput,
  limits: readonly number[],
  cursor?: string,
): Hit[] {
  const hits: Hit[] = []
  let next = cursor
  for (let page = 0; page < 1000; page++) {
    const answer = results(db, {
      ...request,
      limit: limits[page % limits.length] ?? 1,
      ...(next === undefined ? {} : { cursor: next }),
    })
    hits.push(...answer.hits)
    expect(answer.page.hasMore).toBe(answer.page.cursor !== null)
    if (answer.page.cursor === null) return hits
    next = answer.page.cursor
  }
  throw new Error('pages without end')
}

const key = (hit: Hit) => `${hit.agent}/${hit.sessionId}`
const sorts = ['relevance', 'newest'] as const

const anySessions = fc.uniqueArray(
  fc.record({
    sessionId: fc.constantFrom(...'abcdefghijklmno'),
    agent: fc.constantFrom('claude', 'codex'),
    updatedAtMs: fc.constantFrom(null, 1000, 2000, 3000),
    messages: fc.array(fc.constantFrom('needle', 'needle needle hay', 'hay', 'needle and thread'), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
  { selector: (session) => `${session.agent}/${session.sessionId}`, maxLength: 24 },
)

describe('paging', () => {
  it('[cursor.one-query] pages are the list, cut: any page size, ties and missing times', () => {
    fc.assert(
      fc.property(
        anySessions,
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...sorts),
        fc.constantFrom('needle', 'needle thread', 'path:work', 'neeedle'),
        (sessions, limits, sort, query) => {
          using index = createIndexFixture(sessions)
          const request = { query, filters: { sort } }
          const whole = results(index.db, { ...request, limit: 100 }).hits.map(key)
          expect(new Set(whole).size).toBe(whole.length)
          expect(allPages(index.db, request, limits).map(key)).toEqual(whole)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('goes on after any hit by its cursor, and at the head of any page by its start', () => {
    fc.assert(
      fc.property(
        anySessions,
        fc.constantFrom(...sorts),
        fc.integer({ min: 1, max: 5 }),
        (sessions, sort, limit) => {
          using index = createIndexFixture(sessions)
          const request = { query: 'needle', filters: { sort } }
          const whole = results(index.db, { ...request, limit: 100 })
          for (const [at, hit] of whole.hits.entries()) {
            const rest = results(index.db, { ...request, limit: 100, cursor: hit.cursor ?? '' })
            expect(rest.hits.map(key)).toEqual(whole.hits.slice(at + 1).map(key))
          }
          const first = results(index.db, { ...request, limit })
          if (first.page.cursor === null) return
          const second = results(index.db, { ...request, limit, cursor: first.page.cursor })
          for (const page of [first, second]) {
            const again = results(index.db, { ...request, limit, cursor: page.page.startCursor ?? '' })
            expect(again.hits.map(key)).toEqual(page.hits.map(key))
          }
        },
      ),
      { numRuns: 40 },
    )
  })

  it('orders newest by instant, null last, then session id, then agent', () => {
    using index = createIndexFixture([
      { sessionId: 'n', updatedAtMs: null, messages: ['needle'] },
      { sessionId: 'b', agent: 'codex', updatedAtMs: 2000, messages: ['needle'] },
      { sessionId: 'b', agent: 'claude', updatedAtMs: 2000, messages: ['needle'] },
      { sessionId: 'a', updatedAtMs: 2000, messages: ['needle'] },
      { sessionId: 'z', updatedAtMs: 3000, messages: ['needle'] },
    ])
    const order = results(index.db, { query: 'needle', filters: { sort: 'newest' } }).hits.map(key)
    expect(order).toEqual(['claude/z', 'claude/a', 'claude/b', 'codex/b', 'claude/n'])
  })

  it('a newest walk outlives appends: nothing is shown twice, and it stays on its rung', () => {
    const sessions = Array.from({ length: 8 }, (_, n) => ({
      sessionId: `s${n}`,
      updatedAtMs: 1000 + n,
      messages: ['foo then bar'],
    }))
    using index = createIndexFixture(sessions)
    const request = { query: 'foo.bar', filters: { sort: 'newest' as const } }
    const first = results(index.db, { ...request, limit: 3 })
    expect(first.hits.map((hit) => hit.sessionId)).toEqual(['s7', 's6', 's5'])
    // s7 is touched again, and a message appears that the first rung, the phrase, would find.
    index.append(8, ['foo.bar'], 9000)
    index.add({ sessionId: 'later', updatedAtMs: 9500, messages: ['foo.bar'] })
    const rest = allPages(index.db, request, [2], first.page.cursor ?? '')
    expect(rest.map((hit) => hit.sessionId)).toEqual(['s4', 's3', 's2', 's1', 's0'])
    expect(sessionIds(index.db, request)).toEqual(['later', 's7'])
  })

  it('[cursor.generation][cursor.refused-stays-refused][cursor.fence-not-snapshot] refuses a ranked cursor for good once the index has moved', () => {
    using index = createIndexFixture(
      Array.from({ length: 4 }, (_, n) => ({ sessionId: `s${n}`, messages: ['needle'] })),
    )
    const first = results(index.db, { query: 'needle', limit: 2 })
    const cursor = first.page.cursor ?? ''
    index.append(1, ['hay'])
    const refused = {
      kind: 'stale-cursor',
      generation: first.generation + 1,
      expectedGeneration: first.generation,
    }
    expect(ask(index.db, { query: 'needle', limit: 2, cursor })).toEqual(refused)
    expect(ask(index.db, { query: 'needle', limit: 2, cursor })).toEqual(refused)
    expect(ask(index.db, { query: 'needle', limit: 2 }).kind).toBe('results')
    expect(ask(index.db, { query: 'needle', limit: 2, cursor })).toEqual(refused)
  })

  it('[index.purge-stale-once] refuses a cursor that stood during a purge; page 1 again works', () => {
    for (const sort of sorts) {
      using index = createIndexFixture(
        Array.from({ length: 4 }, (_, n) => ({
          sessionId: `s${n}`,
          updatedAtMs: 1000 - n,
          messages: ['needle'],
        })),
      )
      const request = { query: 'needle', limit: 2, filters: { sort } }
      const cursor = results(index.db, request).page.cursor ?? ''
      index.remove(4)
      expect(ask(index.db, { ...request, cursor })).toMatchObject({ kind: 'stale-cursor' })
      const again = results(index.db, request)
      expect(results(index.db, { ...request, cursor: again.page.cursor ?? '' }).hits).toHaveLength(1)
    }
  })

  it('[cursor.one-query][cursor.malformed] refuses a cursor of another query, scope, filter or sort', () => {
    using index = createIndexFixture(
      Array.from({ length: 4 }, (_, n) => ({ sessionId: `s${n}`, messages: ['needle hay'] })),
    )
    const request = { query: 'needle', limit: 2, filters: { agents: ['claude', 'codex'] } }
    const cursor = results(index.db, request).page.cursor ?? ''
    const same = { ...request, limit: 1, filters: { agents: ['codex', 'claude'] }, cursor }
    expect(ask(index.db, same).kind).toBe('results')
    for (const other of [
      { ...request, query: 'hay' },
      { ...request, scope: 'conversation' as const },
      { ...request, filters: { agents: ['claude'] } },
      { ...request, filters: { ...request.filters, sort: 'newest' as const } },
    ]) {
      expect(ask(index.db, { ...other, cursor })).toEqual({ kind: 'malformed-cursor' })
    }
    expect(ask(index.db, { ...request, cursor: '' })).toEqual({ kind: 'malformed-cursor' })
  })

  it('[routing.discard-on-change] gives no rows of one index for a cursor of another', () => {
    const sessions = Array.from({ length: 4 }, (_, n) => ({ sessionId: `s${n}`, messages: ['needle'] }))
    for (const sort of sorts) {
      using one = createIndexFixture(sessions)
      using other = createIndexFixture(sessions)
      other.db.exec("UPDATE meta SET value = 'another-index' WHERE key = 'index_id'")
      const request = { query: 'needle', limit: 2, filters: { sort } }
      const cursor = results(one.db, request).page.cursor ?? ''
      expect(ask(other.db, { ...request, cursor }).kind).toBe('stale-cursor')
    }
  })

  it('[cursor.malformed] answers any altered cursor with a value', () => {
    using index = createIndexFixture(
      Array.from({ length: 4 }, (_, n) => ({ sessionId: `s${n}`, messages: ['needle'] })),
    )
    const request = { query: 'needle', limit: 2, filters: { sort: 'newest' as const } }
    const cursor = results(index.db, request).page.cursor ?? ''
    const fields = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const anyField = fc.oneof(fc.jsonValue(), fc.constantFrom(...(fields as [])))
    fc.assert(
      fc.property(fc.nat(fields.length - 1), anyField, fc.string(), (at, value, noise) => {
        const altered = Buffer.from(JSON.stringify(fields.with(at, value))).toString('base64url')
        for (const text of [altered, noise, cursor.slice(at)]) {
          expect(['results', 'stale-cursor', 'malformed-cursor']).toContain(
            ask(index.db, { ...request, cursor: text }).kind,
          )
        }
      }),
    )
  })
})
