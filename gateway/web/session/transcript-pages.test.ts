import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cursorAt, firstPages, messagesOf, type SessionPage, withPage } from './transcript-pages.ts'

/** A page of a transcript of `total` messages, as a host gives it. */
function pageOf(start: number, end: number, total: number): SessionPage {
  const indexes = Array.from({ length: end - start }, (_, at) => start + at)
  return {
    kind: 'messages',
    messages: indexes.map((index) => ({ index, role: 'user', text: `${index}`, timestamp: null })),
    page: {
      cursor: end < total ? `${end}` : null,
      hasMore: end < total,
      previousCursor: start > 0 ? `${start}` : null,
    },
    session: { agent: 'claude', sessionId: 'a', title: '', messageCount: total },
  }
}

describe('the pages of a transcript', () => {
  it('stay a stretch without gaps or doubles, however they are read, and can be read on at both ends', () => {
    const step = fc.record({
      direction: fc.constantFrom('earlier', 'later'),
      limit: fc.integer({ min: 1, max: 400 }),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.nat(4999), fc.array(step), (total, at, steps) => {
        const start = Math.min(at, total - 1)
        let pages = firstPages(pageOf(start, Math.min(start + 50, total), total))
        for (const { direction, limit } of steps) {
          const cursor = cursorAt(pages, direction)
          if (cursor === null) continue
          const place = Number(cursor)
          const page =
            direction === 'later'
              ? pageOf(place, Math.min(place + limit, total), total)
              : pageOf(Math.max(0, place - limit), place, total)
          pages = withPage(pages, page, direction)
          const indexes = messagesOf(pages).map(({ index }) => index)
          expect(indexes).toEqual(indexes.map((_, offset) => (indexes[0] ?? 0) + offset))
          expect(indexes).toContain(direction === 'later' ? place : place - 1)
          expect(cursorAt(pages, 'earlier') === null).toBe(indexes[0] === 0)
          expect(cursorAt(pages, 'later') === null).toBe(indexes.at(-1) === total - 1)
          expect(indexes.length).toBeLessThanOrEqual(1200)
        }
      }),
      { numRuns: 100 },
    )
  })

  it('take in what has been written since, and no message twice', () => {
    const before = firstPages(pageOf(0, 10, 10))
    const after = withPage(before, pageOf(5, 14, 20), 'later')
    expect(messagesOf(after).map(({ index }) => index)).toEqual(Array.from({ length: 14 }, (_, n) => n))
    expect(cursorAt(after, 'later')).toBe('14')
    expect(after.session.messageCount).toBe(20)
  })
})
