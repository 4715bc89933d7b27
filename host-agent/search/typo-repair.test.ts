import { describe, expect, it } from 'vitest'
import type { SqlDatabase, SqlStatement } from '../index/driver/driver.ts'
import { createIndexFixture } from './index-fixture.ts'
import { readQuery } from './query-text.ts'
import { findRepairs } from './typo-repair.ts'

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
    return Object.fromEntries(findRepairs(index.db, readQuery(query), scope).repairs)
  }

  it('repairs slips late and early in a word, to the nearest word', () => {
    expect(repairs('reconect')).toEqual({ reconect: 'reconnect' })
    expect(repairs('erconnect')).toEqual({ erconnect: 'reconnect' })
    expect(repairs('rconnect')).toEqual({ rconnect: 'reconnect' })
    for (const typo of ['econnect', 'xeconnect', 'rreconnect', 'rxconnect', 'reonnect'])
      expect(repairs(typo)).toEqual({ [typo]: 'reconnect' })
    expect(repairs('laoder loaxer')).toEqual({ laoder: 'loader', loaxer: 'loader' })
    expect(repairs('wieghts')).toEqual({ wieghts: 'weights' })
  })

  it('repairs two slips in a long word, and of a short word only swapped, missing and doubled letters', () => {
    expect(repairs('rexonmect')).toEqual({ rexonmect: 'reconnect' })
    expect(repairs('lxxder')).toEqual({})
    using index = createIndexFixture([{ sessionId: 'a', messages: ['yard loop'] }])
    const of = (query: string) => Object.fromEntries(findRepairs(index.db, readQuery(query), 'all').repairs)
    expect(of('yarn')).toEqual({})
    expect(of('yadr lopp')).toEqual({ yadr: 'yard' })
    expect(of('looop')).toEqual({ looop: 'loop' })
  })

  it('prefers what is one slip away to what shares the first half and is two away', () => {
    using index = createIndexFixture([{ sessionId: 'a', messages: ['keyalgos keyalgos keyvalues'] }])
    expect(findRepairs(index.db, readQuery('keyalues'), 'all').repairs.get('keyalues')).toBe('keyvalues')
  })

  it('leaves alone what stands in the scope, what is quoted, short, far off, or has a digit', () => {
    expect(repairs('loader "reconect" -recnnect lod rexonmekt x1234568 reconec* zzzzzzzz')).toEqual({})
  })

  it('looks at the searched scope only', () => {
    expect(repairs('tolword')).toEqual({ tolword: 'toolword' })
    expect(repairs('tolword', 'conversation')).toEqual({})
  })

  it('does not offer a word whose rows are gone', () => {
    using index = createIndexFixture(sessions)
    const id = index.add({ sessionId: 'c', messages: ['quagmire'] })
    expect(findRepairs(index.db, readQuery('quagmyre'), 'all').repairs.get('quagmyre')).toBe('quagmire')
    index.remove(id)
    expect(findRepairs(index.db, readQuery('quagmyre'), 'all').repairs.size).toBe(0)
  })

  it('is bounded by its design: 64 unknown words walk and look up no more than a few do', () => {
    using index = createIndexFixture([
      { sessionId: 'a', messages: Array.from({ length: 200 }, (_, row) => wordsOf(row, 200).join(' ')) },
    ])
    const work = { rows: 0, lookUps: 0 }
    const counting: SqlDatabase = { ...index.db, prepare: (sql) => counted(index.db.prepare(sql), work) }
    const unknown = Array.from({ length: 64 }, (_, n) => `ba${letters(n)}zu`).join(' ')
    const one = { ...work }
    findRepairs(counting, readQuery('bacazu'), 'all')
    Object.assign(one, work)
    Object.assign(work, { rows: 0, lookUps: 0 })
    findRepairs(counting, readQuery(unknown.slice(0, 512)), 'all')
    expect(one.rows).toBeGreaterThan(100)
    expect(work.lookUps).toBeLessThan(64 + 200)
    expect(work.rows).toBeLessThan(15_000)
  })
})

/** Distinct words of letters, all of one head, so that each unknown word has thousands of neighbours. */
function wordsOf(row: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `bac${letters(row * count + n)}`)
}

function letters(n: number): string {
  return [...n.toString(26).padStart(4, '0')]
    .map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))
    .join('')
}

function counted(statement: SqlStatement, work: { rows: number; lookUps: number }): SqlStatement {
  return {
    ...statement,
    get: (...values) => {
      work.lookUps++
      return statement.get(...values)
    },
    *iterate(...values) {
      for (const row of statement.iterate(...values)) {
        work.rows++
        yield row
      }
    },
  }
}
