import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDistance, nearestWord } from './nearest-word.ts'

describe('nearestWord', () => {
  it.each([
    ['hots', 'host'],
    ['legTimeoutMS', 'legTimeoutMs'],
    ['agnet', 'agent'],
    ['limt', 'limit'],
  ])('takes %s for %s', (typed, meant) => {
    expect(nearestWord(typed, ['host', 'legTimeoutMs', 'agent', 'limit'])).toBe(meant)
  })

  it('finds nothing near a word of its own', () => {
    expect(nearestWord('frobnicate', ['host', 'agent'])).toBeNull()
    expect(nearestWord('x', [])).toBeNull()
  })
})

describe('editDistance', () => {
  it('is 0 for equal words alone, symmetric, and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b)
        expect(distance === 0).toBe(a === b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })
})
