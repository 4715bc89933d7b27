import { describe, expect, it } from 'vitest'
import { type MatchPlace, sayMatches, stepFrom } from './match-places.ts'

const counts = [
  { index: 3, count: 2 },
  { index: 9, count: 1 },
]

describe('the matches of a transcript', () => {
  it('follow each other both ways', () => {
    const walk = (step: 1 | -1, start: number) => {
      const places: MatchPlace[] = []
      for (let at = stepFrom(counts, start, step); at !== null; at = stepFrom(counts, at, step))
        places.push(at)
      return places.map(({ index, number }) => `${index}.${number}`)
    }
    expect(walk(1, 0)).toEqual(['3.0', '3.1', '9.0'])
    expect(walk(1, 4)).toEqual(['9.0'])
    expect(walk(-1, 100)).toEqual(['9.0', '3.1', '3.0'])
    expect(walk(-1, 9)).toEqual(['3.1', '3.0'])
    expect(stepFrom([], 0, 1)).toBe(null)
  })

  it('are counted exactly where all was read, and said to be some otherwise', () => {
    expect(sayMatches(counts, { index: 9, number: 0 }, true)).toBe('match 3 of 3')
    expect(sayMatches(counts, { index: 3, number: 1 }, false)).toBe('match 2 of 3 so far')
    expect(sayMatches(counts, null, true)).toBe('3 matches')
    expect(sayMatches([{ index: 1, count: 1 }], null, false)).toBe('1 match so far')
    expect(sayMatches([], null, true)).toBe('no match in the text')
    expect(sayMatches([], null, false)).toBe('no match so far')
  })
})
