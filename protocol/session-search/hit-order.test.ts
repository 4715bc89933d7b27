import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUsualTime, updatedAtMs } from './hit-order.ts'

const padded = (value: number, length: number) => String(value).padStart(length, '0')

/** Times as they are written, some of them on days and in hours that no calendar has. */
const nearlyTime = fc
  .tuple(
    fc.integer({ min: 990, max: 10_010 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 25 }),
    fc.integer({ min: 0, max: 61 }),
    fc.constantFrom('.000Z', '.999Z', 'Z', '.000z', '.000', '.000+02:00'),
  )
  .map(([year, month, day, hour, minute, rest]) => {
    const date = [padded(year, 4), padded(month, 2), padded(day, 2)].join('-')
    return `${date}T${padded(hour, 2)}:${padded(minute, 2)}:${padded(minute, 2)}${rest}`
  })

describe('updatedAtMs', () => {
  it('has no time for null and for what is none', () => {
    expect(updatedAtMs({ updatedAt: null })).toBeNull()
    expect(updatedAtMs({ updatedAt: 'yesterday' })).toBeNull()
    expect(updatedAtMs({ updatedAt: '1970-01-01T01:00:00+01:00' })).toBe(0)
  })
})

describe('isUsualTime', () => {
  it('picks texts that sort as the instants they name', () => {
    let picked = 0
    fc.assert(
      fc.property(nearlyTime, nearlyTime, (a, b) => {
        if (!isUsualTime(a) || !isUsualTime(b)) return
        picked++
        const [aMs, bMs] = [Date.parse(a), Date.parse(b)]
        expect(new Date(aMs).toISOString()).toBe(a)
        expect(Math.sign(aMs - bMs)).toBe(a < b ? -1 : a > b ? 1 : 0)
      }),
      { numRuns: 5000 },
    )
    expect(picked).toBeGreaterThan(20)
  })

  it('knows what toISOString writes', () => {
    expect(isUsualTime(new Date(1_790_000_000_123).toISOString())).toBe(true)
    expect(isUsualTime('2026-01-01T00:00:00Z')).toBe(false)
  })
})
