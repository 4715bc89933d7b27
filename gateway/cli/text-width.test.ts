import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTextMeasure } from './text-width.ts'

const measure = createTextMeasure()

describe('createTextMeasure', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['한국', 4],
    ['👩‍👩‍👧', 2],
    ['🇯🇵', 2],
    ['✅', 2],
    ['❤️', 2],
    ['…·–', 3],
  ])('takes %j for %i columns', (text, columns) => expect(measure.width(text)).toBe(columns))

  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['abc def', 5, 'abc…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
    ['abc', -3, ''],
  ])('cuts the end of %j to %i columns: %j', (text, columns, cut) =>
    expect(measure.cutEnd(text, columns)).toBe(cut),
  )

  it('cuts the start likewise', () => {
    expect(measure.cutStart('~/src/gateway', 8)).toBe('…gateway')
    expect(measure.cutStart('日本語', 4)).toBe('…語')
    expect(measure.cutStart('abc', 0)).toBe('')
  })

  it('never exceeds the columns, and never cuts a grapheme open', () => {
    const unit = fc.constantFrom('a', ' ', '日', '👩‍👩‍👧', 'e\u0301', '🇯🇵', '…')
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), fc.integer({ min: 0, max: 30 }), (units, columns) => {
        const text = units.join('')
        for (const cut of [measure.cutEnd(text, columns), measure.cutStart(text, columns)]) {
          expect(measure.width(cut)).toBeLessThanOrEqual(columns)
          const graphemes = Array.from(new Intl.Segmenter().segment(cut), ({ segment }) => segment)
          for (const grapheme of graphemes)
            expect(['a', ' ', '日', '👩‍👩‍👧', 'e\u0301', '🇯🇵', '…']).toContain(grapheme)
        }
      }),
    )
  })
})
