import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createIndexFixture } from './index-fixture.ts'
import { planRungs } from './plan.ts'
import { type Needles, needlesOf } from './query-needles.ts'
import { readQuery } from './query-text.ts'
import { retrievalLimits } from './retrieve.ts'
import { scoreText } from './score-text.ts'

/** As for a query over an index that holds these texts. */
function needlesFor(text: string, texts: readonly string[] = []): Needles {
  using index = createIndexFixture([{ sessionId: 'a', messages: texts }])
  const query = readQuery(text)
  const rung = planRungs(query, 'all').at(-1)
  if (rung === undefined) throw new Error(`no words in ${text}`)
  return needlesOf({ db: index.db, limits: retrievalLimits }, query, rung)
}

const score = (query: string, text: string) => scoreText(text, 'user', needlesFor(query)).score

describe('scoreText', () => {
  it('finds words whatever signs are on their letters, and tells which', () => {
    expect(scoreText('Die GRÖSSE des Cafés', 'user', needlesFor('größe grosse des naive')).words).toEqual([
      1, 2,
    ])
    expect(scoreText('Die GRÖßE im Café', 'user', needlesFor('größe cafe')).words).toEqual([0, 1])
  })

  it('finds characters of scripts without spaces, side by side before apart', () => {
    expect(score('登录', '昨天登录了')).toBeGreaterThan(score('登录', '登山和录音'))
    expect(scoreText('一二三', 'user', needlesFor('登录')).words).toEqual([])
  })

  it('finds symbols', () => {
    expect(scoreText('done 🚀 now', 'user', needlesFor('🚀')).words).toEqual([0])
  })

  it('says more for a word that is rare in the index', () => {
    const texts = Array.from({ length: 50 }, () => 'common')
    const needles = needlesFor('common rare', [...texts, 'rare'])
    const [common, rare] = needles.words
    expect(rare?.weight).toBeGreaterThan(1.5 * (common?.weight ?? 0))
    expect(scoreText('a rare one', 'user', needles).score).toBeGreaterThan(
      scoreText('a common one', 'user', needles).score,
    )
  })

  it('says less for a word in a long text, and for one inside another word', () => {
    expect(score('needle', 'a needle')).toBeGreaterThan(score('needle', `a needle ${'hay '.repeat(400)}`))
    expect(score('needle', 'a needle, here it is')).toBeGreaterThan(score('needle', 'a needlework'))
    expect(score('need*', 'a needlework')).toBeGreaterThan(score('need', 'a needlework'))
  })

  it('comes to an end, above nothing, whatever the texts', () => {
    const piece = fc.oneof(
      fc.constantFrom('needle', 'getUserName', 'a', '\u0301', '登', '🚀', ' ', '/', 'É', 'İ', '\ud800'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, text, fc.constantFrom('user', 'tool', 'title'), (query, message, kind) => {
        if (planRungs(readQuery(query), 'all').length === 0) return
        const { score: found } = scoreText(message, kind, needlesFor(query))
        expect(found).toBeGreaterThan(0)
        expect(Number.isFinite(found)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})
