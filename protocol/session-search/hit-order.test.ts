import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { updatedAtMs } from './hit-order.ts'

describe('updatedAtMs', () => {
  it('reads every time as Date.parse does, of whichever year and day', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(updatedAtMs({ updatedAt: date.toISOString() })).toBe(date.getTime())
      }),
    )
  })

  it('agrees with Date.parse on texts that are nearly times', () => {
    const digit = fc.constantFrom(...'0123456789')
    const nearlyTime = fc
      .tuple(fc.array(digit, { minLength: 17, maxLength: 17 }), fc.constantFrom('Z', 'z', '', '+02:00'))
      .map(([digits, zone]) => {
        const [a, b, c, d, ...rest] = digits
        const pairs = Array.from({ length: 5 }, (_, at) => `${rest[2 * at]}${rest[2 * at + 1]}`)
        return `${a}${b}${c}${d}-${pairs[0]}-${pairs[1]}T${pairs[2]}:${pairs[3]}:${pairs[4]}.${rest.slice(10).join('')}${zone}`
      })
    const inRange = fc
      .tuple(
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        fc.integer({ min: 0, max: 25 }),
      )
      .map((parts) => parts.map((part) => String(part).padStart(2, '0')))
      .map(([month, day, hour]) => `2026-${month}-${day}T${hour}:00:00.000Z`)
    fc.assert(
      fc.property(fc.oneof(nearlyTime, inRange), (updatedAt) => {
        const ms = Date.parse(updatedAt)
        expect(updatedAtMs({ updatedAt })).toBe(Number.isNaN(ms) ? null : ms)
      }),
      { numRuns: 2000 },
    )
  })

  it('has no time for null and for what is none', () => {
    expect(updatedAtMs({ updatedAt: null })).toBeNull()
    expect(updatedAtMs({ updatedAt: 'yesterday' })).toBeNull()
  })
})
