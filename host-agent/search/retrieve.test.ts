import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIndexFixture } from './index-fixture.ts'
import { listRows, retrievalLimits, rowsOfSessions, sessionOf, sessionsAmong } from './retrieve.ts'

/** Sessions of so many matching rows each, with rows that do not match between them. */
function createSessions(counts: readonly number[]) {
  return createIndexFixture(
    counts.map((count, n) => ({
      sessionId: `s${n}`,
      messages: Array.from({ length: count * 2 }, (_, row) => (row % 2 === 0 ? 'needle' : 'hay')),
    })),
  )
}

describe('rowsOfSessions', () => {
  it('gives each session its first matching rows, however many the others have', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(3), fc.nat(90)), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        fc.func(fc.boolean()),
        (counts, rowsOfSession, isAsked) => {
          using index = createSessions(counts)
          const limits = { ...retrievalLimits, rowsOfSession }
          const asked = counts.flatMap((_, n) => (isAsked(n) ? [n + 1] : []))
          const found = rowsOfSessions({ db: index.db, limits }, '"needle"', asked)
          const all = listRows(index.db, '"needle"', 10_000)
          const expected = asked.flatMap((id) => {
            const rows = all.filter((row) => sessionOf(row) === id).slice(0, rowsOfSession)
            return rows.length === 0 ? [] : [[id, rows] as const]
          })
          expect(found).toEqual(new Map(expected))
          expect(sessionsAmong(index.db, '"needle"', asked)).toEqual(new Set(found.keys()))
        },
      ),
      { numRuns: 40 },
    )
  })

  it('asks again for a session in the middle of which a list broke off', () => {
    const counts = Array.from({ length: 60 }, () => 5)
    using index = createSessions(counts)
    const limits = { ...retrievalLimits, rowsOfSession: 4 }
    const asked = counts.map((_, n) => n + 1)
    const found = rowsOfSessions({ db: index.db, limits }, '"needle"', asked)
    expect(asked.filter((id) => found.get(id)?.length !== 4)).toEqual([])
  })
})
