import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SearchRequestInput } from '../../protocol/session-search/request.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { createIndexFixture, type FixtureSession } from './index-fixture.ts'
import { results } from './search-fixture.ts'

const said = (text: string, timestampMs: number | null) => ({ text, timestampMs })
const start = said('please fix the needle', 100)
const sorts = ['relevance', 'newest'] as const

function found(db: SqlDatabase, request: SearchRequestInput): [string, number][] {
  return results(db, request).hits.map((hit) => [hit.sessionId, hit.duplicateCount ?? 0])
}

function allPages(db: SqlDatabase, request: SearchRequestInput, limit: number): Hit[] {
  const hits: Hit[] = []
  let { hits: next, page } = results(db, { ...request, limit })
  hits.push(...next)
  while (page.cursor !== null) {
    ;({ hits: next, page } = results(db, { ...request, limit, cursor: page.cursor }))
    hits.push(...next)
  }
  return hits
}

describe('folding of copies', () => {
  it('folds sessions that hold nothing but copies into the one touched last, and counts them', () => {
    for (const sort of sorts) {
      using index = createIndexFixture([
        { sessionId: 'first', lineage: 'L', updatedAtMs: 1000, messages: [start, said('needle found', 200)] },
        { sessionId: 'fork', lineage: 'L', updatedAtMs: 3000, messages: [start, said('needle found', 200)] },
        {
          sessionId: 'resume',
          lineage: 'L',
          updatedAtMs: 2000,
          messages: [start, said('needle found', 200), said('go on', 900)],
        },
        { sessionId: 'other', lineage: 'M', updatedAtMs: 2500, messages: [said('another needle', 300)] },
      ])
      expect(new Map(found(index.db, { query: 'needle', filters: { sort } }))).toEqual(
        new Map([
          ['fork', 2],
          ['other', 0],
        ]),
      )
      // What only one of them holds is found in that one.
      expect(found(index.db, { query: '"go on"', filters: { sort } })).toEqual([['resume', 0]])
    }
  })

  it('never hides a session with a match of its own', () => {
    for (const sort of sorts) {
      using index = createIndexFixture([
        {
          sessionId: 'first',
          lineage: 'L',
          updatedAtMs: 1000,
          messages: [start, said('a needle of the first', 300)],
        },
        {
          sessionId: 'fork',
          lineage: 'L',
          updatedAtMs: 2000,
          messages: [start, said('a needle of the fork', 300)],
        },
        { sessionId: 'bare', lineage: 'L', updatedAtMs: 3000, messages: [start] },
      ])
      expect(new Map(found(index.db, { query: 'needle', filters: { sort } }))).toEqual(
        new Map([
          ['fork', 1],
          ['first', 0],
        ]),
      )
    }
  })

  it('takes the same words said again, at another time or at no known one, for no copy', () => {
    using index = createIndexFixture([
      { sessionId: 'a', lineage: 'L', messages: [start] },
      { sessionId: 'b', lineage: 'L', messages: [said(start.text, 101)] },
      { sessionId: 'c', lineage: 'L', messages: [said(start.text, null)] },
      { sessionId: 'd', lineage: 'L', messages: [said(start.text, null)] },
      { sessionId: 'e', lineage: 'M', messages: [start] },
      { sessionId: 'f', lineage: null, messages: [start] },
    ])
    expect(found(index.db, { query: 'needle' }).sort()).toEqual([...'abcdef'].map((id) => [id, 0]))
  })

  it('folds within what a filter lets through', () => {
    using index = createIndexFixture([
      { sessionId: 'here', lineage: 'L', cwd: '/here', updatedAtMs: 1000, messages: [start] },
      { sessionId: 'there', lineage: 'L', cwd: '/there', updatedAtMs: 2000, messages: [start] },
    ])
    for (const sort of sorts) {
      expect(found(index.db, { query: 'needle', filters: { sort } })).toEqual([['there', 1]])
      expect(found(index.db, { query: 'needle', filters: { sort, scopePaths: ['/here'] } })).toEqual([
        ['here', 0],
      ])
    }
  })

  it('folds nothing where only operators are asked for', () => {
    using index = createIndexFixture([
      { sessionId: 'a', lineage: 'L', messages: [start] },
      { sessionId: 'b', lineage: 'L', messages: [start] },
    ])
    expect(found(index.db, { query: 'path:work' })).toHaveLength(2)
  })

  it('a newest walk loses no copy whose newer twin was touched while it went on', () => {
    using index = createIndexFixture([
      { sessionId: 'twin', lineage: 'L', updatedAtMs: 1000, messages: [start] },
      { sessionId: 'stands-for-it', lineage: 'L', updatedAtMs: 2000, messages: [start] },
      { sessionId: 'head', updatedAtMs: 3000, messages: ['needle'] },
    ])
    const request = { query: 'needle', limit: 1, filters: { sort: 'newest' as const } }
    const first = results(index.db, request)
    expect(first.hits.map((hit) => hit.sessionId)).toEqual(['head'])
    index.append(1, ['unrelated'], 9000)
    const second = results(index.db, { ...request, cursor: first.page.cursor ?? '' })
    expect(second.hits.map((hit) => hit.sessionId)).toEqual(['stands-for-it'])
  })

  const anySession = fc.record({
    lineage: fc.constantFrom('L', 'M', null),
    updatedAtMs: fc.constantFrom(null, 1000, 2000, 3000),
    messages: fc.array(
      fc.record({
        text: fc.constantFrom('needle', 'the needle', 'hay', 'needle hay'),
        timestampMs: fc.constantFrom(null, 1, 2),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  const anySessions = fc
    .array(anySession, { maxLength: 16 })
    .map((sessions) => sessions.map((session, n): FixtureSession => ({ ...session, sessionId: `s${n}` })))

  it('[cursor.one-query] pages are the unpaged list, nothing twice, nothing lost, and every match is shown somewhere', () => {
    fc.assert(
      fc.property(
        anySessions,
        fc.constantFrom(...sorts),
        fc.constantFrom('needle', '"the needle"'),
        fc.integer({ min: 1, max: 5 }),
        (sessions, sort, query, limit) => {
          using index = createIndexFixture(sessions)
          const request = { query, filters: { sort } }
          const facts = (hit: Hit) => [hit.sessionId, hit.duplicateCount ?? 0, hit.score]
          const whole = results(index.db, { ...request, limit: 100 }).hits
          expect(allPages(index.db, request, limit).map(facts)).toEqual(whole.map(facts))
          const unfolded = createIndexFixture(sessions.map((session) => ({ ...session, lineage: null })))
          const all = results(unfolded.db, { ...request, limit: 100 }).hits
          unfolded[Symbol.dispose]()
          const folded = whole.reduce((sum, hit) => sum + (hit.duplicateCount ?? 0), 0)
          expect(whole.length + folded).toBe(all.length)
          const shown = new Set(whole.map((hit) => hit.sessionId))
          const word = query.replaceAll('"', '')
          const matching = (session: FixtureSession) =>
            (session.messages ?? []).flatMap((message) =>
              typeof message !== 'string' && message.text.includes(word)
                ? [`${message.timestampMs} ${message.text}`]
                : [],
            )
          const visible = new Set(sessions.filter(({ sessionId }) => shown.has(sessionId)).flatMap(matching))
          const wanted = new Set(all.map((hit) => hit.sessionId))
          for (const session of sessions.filter(({ sessionId }) => wanted.has(sessionId)))
            for (const message of matching(session)) expect(visible).toContain(message)
        },
      ),
      { numRuns: 25 },
    )
  })
})
