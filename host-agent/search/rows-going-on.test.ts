import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIndexFixture } from './index-fixture.ts'
import { planRungs } from './plan.ts'
import { readQuery } from './query-text.ts'
import { listRows, retrievalLimits } from './retrieve.ts'
import { rowsGoingOn } from './rows-going-on.ts'
import { ask, results } from './search-fixture.ts'

function andRung(text: string, scope: 'all' | 'conversation' = 'all') {
  const rung = planRungs(readQuery(text), scope).find(({ name }) => name === 'and')
  if (rung === undefined) throw new Error('no rung holds all words')
  return rung
}

const word = fc.constantFrom(
  ...[
    'record',
    'Reconnect',
    'getRecordName',
    'wreck',
    'réception',
    'REC',
    're-cord',
    'x_rec_y',
    'plugin',
    'rec9',
  ],
  ...['日本rec', '🙂rec', 'prec', "d'rec", 'recto/verso', 'HTTPRecord2', 'Ⅻrec', 'ſrec', 'i̇rec'],
)
const message = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const, 'tool' as const),
  text: fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
})

describe('rowsGoingOn', () => {
  it('finds the very rows that the full text finds, by reading the others', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(
          'plugin rec*',
          'rec* plugin',
          'plugin re*',
          'plugin réc*',
          'plugin record*',
          'plugin reco*',
        ),
        fc.constantFrom('all' as const, 'conversation' as const),
        (messages, query, scope) => {
          const spoken = messages.map(({ role, text }) => ({ role, text: `plugin ${text}` }))
          using index = createIndexFixture([{ sessionId: 's', messages: spoken }])
          const rung = andRung(query, scope)
          const read = rowsGoingOn({ db: index.db, limits: retrievalLimits }, rung)
          expect(read).toEqual(listRows(index.db, rung.match, 1000))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('leaves it to the full text where it would be much to read, and where no single word may go on', () => {
    using index = createIndexFixture([
      { sessionId: 's', messages: ['plugin a', 'plugin b', 'plugin record'] },
    ])
    const few = { db: index.db, limits: { ...retrievalLimits, rowsReadForPrefix: 2 } }
    expect(rowsGoingOn(few, andRung('plugin rec*'))).toBeNull()
    expect(results(index.db, { query: 'plugin rec*' }).hits).toHaveLength(1)
    const retrieval = { db: index.db, limits: retrievalLimits }
    for (const query of ['rec*', 'plu* rec*', 'plugin "new rec"*', 'plugin getRec*', 'plugin record'])
      expect(rowsGoingOn(retrieval, andRung(query)), query).toBeNull()
  })

  it('answers the same either way, ranking and all', () => {
    const messages = Array.from(
      { length: 30 },
      (_, at) => `plugin number ${at} ${at % 3 === 0 ? 'recorded' : 'lost'}`,
    )
    using index = createIndexFixture(messages.map((text, at) => ({ sessionId: `s${at}`, messages: [text] })))
    const asked = (rowsReadForPrefix: number) => {
      const limits = { ...retrievalLimits, rowsReadForPrefix }
      const answer = ask(index.db, { query: 'plugin rec*', limit: 50 }, { limits })
      if (answer.kind !== 'results') throw new Error(answer.kind)
      return answer.hits.map(({ sessionId, score, evidence }) => ({ sessionId, score, evidence }))
    }
    expect(asked(100)).toHaveLength(10)
    expect(asked(100)).toEqual(asked(0))
  })
})
