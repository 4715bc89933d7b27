import { describe, expect, it } from 'vitest'
import { createIndexFixture } from './index-fixture.ts'
import { readQuery } from './query-text.ts'
import { findRepairs, similarity } from './typo-repair.ts'

describe('similarity', () => {
  it('is the share of common letters in order', () => {
    expect(similarity('abc', 'abc')).toBe(1)
    expect(similarity('abc', 'xyz')).toBe(0)
    expect(similarity('reconect', 'reconnect')).toBeCloseTo(16 / 17)
    expect(similarity('', '')).toBe(1)
  })
})

describe('findRepairs', () => {
  const sessions = [
    {
      sessionId: 'a',
      messages: [
        'reconnect reconnect the Größe of weights',
        { role: 'tool' as const, text: 'toolword x1234567' },
      ],
    },
    { sessionId: 'b', messages: ['reconnects', 'reconnect', 'loader', 'loaded'] },
  ]
  const repairs = (query: string, scope: 'all' | 'conversation' = 'all') => {
    using index = createIndexFixture(sessions)
    return Object.fromEntries(findRepairs(index.db, readQuery(query), scope))
  }

  it('repairs slips late and early in a word, to the nearest word', () => {
    expect(repairs('reconect')).toEqual({ reconect: 'reconnect' })
    expect(repairs('erconnect')).toEqual({ erconnect: 'reconnect' })
    expect(repairs('rconnect')).toEqual({ rconnect: 'reconnect' })
    expect(repairs('wieghts')).toEqual({ wieghts: 'weights' })
  })

  it('leaves alone what stands in the scope, what is quoted, short, far off, or has a digit', () => {
    expect(repairs('loader "reconect" lod rexonmect x1234568 zzzzzzzz')).toEqual({})
  })

  it('looks at the searched scope only', () => {
    expect(repairs('tolword')).toEqual({ tolword: 'toolword' })
    expect(repairs('tolword', 'conversation')).toEqual({})
  })

  it('does not offer a word whose rows are gone', () => {
    using index = createIndexFixture(sessions)
    const id = index.add({ sessionId: 'c', messages: ['quagmire'] })
    expect(findRepairs(index.db, readQuery('quagmyre'), 'all').get('quagmyre')).toBe('quagmire')
    index.remove(id)
    expect(findRepairs(index.db, readQuery('quagmyre'), 'all').size).toBe(0)
  })

  it('is bounded: many unknown words cost no more than a few', () => {
    const words = Array.from(
      { length: 40 },
      (_, n) => `reconec${String.fromCharCode(97 + (n % 26))}t${'q'.repeat(n % 3)}`,
    )
    expect(Object.keys(repairs(words.join(' '))).length).toBeLessThanOrEqual(8)
  })
})
