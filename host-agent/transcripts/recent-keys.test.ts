import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyOf, recentKeys } from './recent-keys.ts'

describe('recentKeys', () => {
  it('remembers the last keys and forgets those before', () => {
    const keys = recentKeys(2)
    expect([1, 2, 1, 3, 4, 1, 5].map((key) => keys.add(key))).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
      true,
    ])
    expect(keys.save()).toEqual([[3, 4], [5]])
    expect(keys.add(1)).toBe(true)
  })

  it('remembers as many as it must and no more than twice as many', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 60 }), (capacity, count) => {
        const keys = recentKeys(capacity)
        for (let key = 0; key < count; key += 1) keys.add(key)
        expect(keys.save().flat().length).toBeLessThanOrEqual(2 * capacity)
        for (let key = Math.max(0, count - capacity); key < count; key += 1) expect(keys.add(key)).toBe(false)
      }),
    )
  })

  it('goes on from what was saved', () => {
    const keys = recentKeys(2, [[1], [2, 3]])
    expect([keys.add(1), keys.add(4), keys.add(1), keys.add(3)]).toEqual([false, true, true, false])
  })
})

describe('keyOf', () => {
  it('tells different parts apart, also where they join to the same text', () => {
    expect(keyOf('a', 'bc')).not.toBe(keyOf('ab', 'c'))
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(keyOf(a) === keyOf(b)).toBe(a === b)
        expect(Number.isSafeInteger(keyOf(a))).toBe(true)
      }),
    )
  })

  it('tells long texts apart by length, start, end and what lies between', () => {
    const long = 'word '.repeat(400)
    const changed = [0, 15, 1999, 1984].map((at) => `${long.slice(0, at)}#${long.slice(at + 1)}`)
    const rewritten = long.slice(0, 16) + 'x'.repeat(1968) + long.slice(-16)
    const texts = [long, `${long} `, long.slice(5), rewritten, ...changed]
    expect(new Set(texts.map((text) => keyOf(text))).size).toBe(texts.length)
  })
})
