import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slipsBetween, slipsInHead } from './edit-distance.ts'

describe('slipsBetween', () => {
  it('counts a letter more, less, another, and two swapped as one slip each', () => {
    expect(slipsBetween('weight', 'weight', 2)).toBe(0)
    expect(slipsBetween('weight', 'weights', 2)).toBe(1)
    expect(slipsBetween('weight', 'eight', 2)).toBe(1)
    expect(slipsBetween('weight', 'weixht', 2)).toBe(1)
    expect(slipsBetween('weight', 'wieght', 2)).toBe(1)
    expect(slipsBetween('', 'ab', 2)).toBe(2)
  })

  it('says one more than was asked for where there are more', () => {
    expect(slipsBetween('weight', 'height', 0)).toBe(1)
    expect(slipsBetween('weight', 'zebra', 2)).toBe(3)
    expect(slipsBetween('a', 'abcdefgh', 1)).toBe(2)
  })

  it('is the same either way round, and never more than the longer word is long', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(slipsBetween(a, b, 9)).toBe(slipsBetween(b, a, 9))
        expect(slipsBetween(a, b, 9)).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })
})

describe('slipsInHead', () => {
  it('yields every word that one slip in the first letters leads to, and no other', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'z'), minLength: 3, maxLength: 7 })
    fc.assert(
      fc.property(word, fc.nat(2), fc.constantFrom('q', 'a'), (meant, at, letter) => {
        const slipped = meant.slice(0, at) + letter + meant.slice(at + 1)
        if (slipped !== meant) expect(slipsInHead(slipped, 3).flat()).toContain(meant)
        for (const each of slipsInHead(meant, 3).flat())
          expect(slipsBetween(meant, each, 2)).toBeLessThanOrEqual(1)
      }),
      { numRuns: 50 },
    )
    expect(slipsInHead('erconnect', 3)[0]).toContain('reconnect')
    expect(slipsInHead('econnect', 3)[2]).toContain('reconnect')
    expect(slipsInHead('rreconnect', 3)[1]).toContain('reconnect')
  })
})
