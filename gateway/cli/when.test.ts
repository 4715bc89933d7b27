import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseWhen } from './when.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')

describe('parseWhen', () => {
  it.each([
    ['30m', '2026-11-30T11:30:00.000Z'],
    ['2h', '2026-11-30T10:00:00.000Z'],
    ['7d', '2026-11-23T12:00:00.000Z'],
    ['3w', '2026-11-09T12:00:00.000Z'],
    [' 1h ', '2026-11-30T11:00:00.000Z'],
    ['2026-11-01T09:00Z', '2026-11-01T09:00:00.000Z'],
    ['2026-11-01T09:00:30.5+02:00', '2026-11-01T07:00:30.500Z'],
    ['2026-11-01 09:00-0530', '2026-11-01T14:30:00.000Z'],
  ])('reads %j as %s', (words, iso) => expect(parseWhen(words, nowMs)).toBe(iso))

  it('reads a date as midnight of this machine’s zone', () => {
    expect(parseWhen('2026-03-01', nowMs)).toBe(new Date(2026, 2, 1).toISOString())
  })

  it.each([
    '',
    'yesterday',
    '7',
    'd',
    '-7d',
    '1.5h',
    '7y',
    '2026-02-30',
    '2026-13-01',
    '2026-11-01T09:00',
    '2026-11-01T25:00Z',
    '999999w',
    '01/02/2026',
  ])('refuses %j', (words) => expect(parseWhen(words, nowMs)).toBeNull())

  it('answers any text with an ISO time or null', () => {
    fc.assert(
      fc.property(fc.string(), (words) => {
        const iso = parseWhen(words, nowMs)
        if (iso !== null) expect(new Date(iso).toISOString()).toBe(iso)
      }),
    )
  })
})
