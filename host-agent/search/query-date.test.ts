import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readQueryDate, resolveDate } from './query-date.ts'

/** Half past three in the afternoon. */
const nowMs = Date.UTC(2026, 10, 30, 15, 30)

function resolved(text: string): string | null {
  const date = readQueryDate(text)
  return date === null ? null : new Date(resolveDate(date, nowMs)).toISOString()
}

describe('readQueryDate', () => {
  it.each([
    ['2026-11-03', '2026-11-03T00:00:00.000Z'],
    ['2026-11-03+02:00', '2026-11-02T22:00:00.000Z'],
    ['2026-11', '2026-11-01T00:00:00.000Z'],
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-03T09:15', '2026-11-03T09:15:00.000Z'],
    ['2026-11-03T09:15Z', '2026-11-03T09:15:00.000Z'],
    ['2026-11-03t09:15:30.25-05:30', '2026-11-03T14:45:30.250Z'],
    ['2026-11-03 09:15+0100', '2026-11-03T08:15:00.000Z'],
    ['3h', '2026-11-30T12:30:00.000Z'],
    ['45m', '2026-11-30T14:45:00.000Z'],
    ['7D', '2026-11-23T15:30:00.000Z'],
    ['2w', '2026-11-16T15:30:00.000Z'],
    ['today', '2026-11-30T00:00:00.000Z'],
    ['Yesterday', '2026-11-29T00:00:00.000Z'],
  ])('reads %j', (text, instant) => expect(resolved(text)).toBe(instant))

  it.each([
    'soon',
    '',
    '7',
    '7y',
    '-7d',
    '2026-13-01',
    '2026-02-31',
    '2025-02-29',
    '2026-11-03T24:00',
    '2026-11-03T09:60',
    '2026-11T09:00',
    '2026-11-03T09:15+25:00',
    '26-11-03',
    '1234567d',
    'constructor',
  ])('takes %j for no date', (text) => expect(readQueryDate(text)).toBeNull())

  it('reads every instant that ISO text can say, to the millisecond', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
        expect(readQueryDate(date.toISOString())).toEqual({ kind: 'instant', ms: date.getTime() })
      }),
    )
  })
})
