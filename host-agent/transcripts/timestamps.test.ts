import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localTimestampMs, timestampMs, uuidV7Ms } from './timestamps.ts'

describe('timestampMs', () => {
  it.each([
    ['2025-12-16T00:00:02.000Z', 1765843202000],
    ['2025-12-16T00:00:02Z', 1765843202000],
    ['2025-12-16T01:00:02.5+01:00', 1765843202500],
    ['2025-12-16T00:00:02.123456789Z', 1765843202123],
    ['2025-12-16T00:00:02', 1765843202000],
    ['2025-12-16 00:00:02.250', 1765843202250],
    [1765843202, 1765843202000],
    [1765843202.5, 1765843202500],
    [1765843202000, 1765843202000],
    [1765843202000123, 1765843202000],
    [1765843202000000000, 1765843202000],
    ['1765843202', 1765843202000],
    ['1765843202000', 1765843202000],
  ])('reads %j', (value, expected) => {
    expect(timestampMs(value)).toBe(expected)
  })

  it.each([
    [undefined],
    [null],
    [''],
    ['yesterday'],
    ['12'],
    ['[trimmed]'],
    [0],
    [-5],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [{}],
    [true],
  ])('gives null for %j', (value) => {
    expect(timestampMs(value)).toBeNull()
  })

  it('reads the same moment from every unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 946684800, max: 4102444800 }), (seconds) => {
        const units = [seconds, seconds * 1e3, seconds * 1e6, new Date(seconds * 1e3).toISOString()]
        expect(units.map(timestampMs)).toEqual(units.map(() => seconds * 1e3))
      }),
    )
  })
})

describe('uuidV7Ms', () => {
  it('reads when a version 7 id was made, and nothing from any other id', () => {
    expect(uuidV7Ms('019b2ea4-aaaa-7bbb-8ccc-58208e1f0000')).toBe(0x019b2ea4aaaa)
    expect(uuidV7Ms('9a9eadc8-c1f1-493e-a0f1-884aa996b05b')).toBeNull()
    expect(uuidV7Ms('turn-1')).toBeNull()
  })
})

describe('localTimestampMs', () => {
  it('takes a time without a zone for one of this machine, and any other as it says', () => {
    const local = new Date(2025, 11, 16, 0, 0, 2).getTime()
    expect(localTimestampMs('2025-12-16T00:00:02')).toBe(local)
    expect(localTimestampMs('2025-12-16 00:00:02.250')).toBe(local + 250)
    expect(localTimestampMs('2025-12-16T00:00:02Z')).toBe(1765843202000)
    expect(localTimestampMs('2025-12-16T01:00:02+01:00')).toBe(1765843202000)
    expect(localTimestampMs(1765843202)).toBe(1765843202000)
    expect(localTimestampMs('2025-13-45T00:00:02')).toBeNull()
  })
})
