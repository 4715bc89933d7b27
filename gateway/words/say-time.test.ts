import { describe, expect, it } from 'vitest'
import { sayAgo, sayDuration } from './say-time.ts'

const now = new Date(2026, 10, 30, 15, 0, 0).getTime()

describe('sayAgo', () => {
  it.each([
    [new Date(2026, 10, 30, 14, 59, 30), 'just now'],
    [new Date(2026, 10, 30, 15, 0, 20), 'just now'],
    [new Date(2026, 10, 30, 14, 55, 0), '5 min ago'],
    [new Date(2026, 10, 30, 13, 0, 0), '2 h ago'],
    [new Date(2026, 10, 30, 0, 30, 0), '14 h ago'],
    [new Date(2026, 10, 29, 16, 0, 0), 'yesterday'],
    [new Date(2026, 10, 28, 23, 0, 0), '2 d ago'],
    [new Date(2026, 10, 1, 12, 0, 0), '29 d ago'],
    [new Date(2026, 9, 1, 12, 0, 0), '2026-10-01'],
    [new Date(2027, 0, 2, 12, 0, 0), '2027-01-02'],
  ])('says %s as %s', (time, words) => expect(sayAgo(time.getTime(), now)).toBe(words))
})

describe('sayDuration', () => {
  it.each([
    [0, '0 ms'],
    [6.4, '6 ms'],
    [999, '999 ms'],
    [999.7, '1 s'],
    [1234, '1.2 s'],
    [10_000, '10 s'],
    [10_004, '10 s'],
    [180_000, '3 min'],
    [7_200_000, '2 h'],
  ])('says %d ms as %s', (ms, words) => expect(sayDuration(ms)).toBe(words))
})
