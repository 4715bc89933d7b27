import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composedText } from '../index/tokens.ts'
import { cutSnippet, maxSnippetCodePoints } from './snippet.ts'

const snippet = (text: string, ...phrases: string[]) =>
  cutSnippet(
    text,
    phrases.map((phrase) => phrase.split(' ')),
  ).text
const filler = (count: number, stem = 'w') => Array.from({ length: count }, (_, n) => `${stem}${n}`).join(' ')

/** Reads marks as a client does: open and close by turns, never nested. @returns null where they do not. */
function readMarks(text: string): { plain: string; marked: string[] } | null {
  const marked: string[] = []
  let plain = ''
  let at = 0
  while (at < text.length) {
    const open = text.indexOf('[[', at)
    const straySide = text.slice(at, open < 0 ? undefined : open)
    if (straySide.includes(']]')) return null
    plain += straySide
    if (open < 0) break
    const close = text.indexOf(']]', open + 2)
    if (close < 0 || text.slice(open + 2, close).includes('[[')) return null
    marked.push(text.slice(open + 2, close))
    plain += text.slice(open + 2, close)
    at = close + 2
  }
  return { plain, marked }
}

describe('cutSnippet', () => {
  it('[evidence.marks] marks every match and leaves a short text whole', () => {
    expect(snippet('Fix the Reconnect loop, the loop!', 'reconnect', 'loop')).toBe(
      'Fix the [[Reconnect loop]], the [[loop]]!',
    )
  })

  it('marks a phrase as one', () => {
    expect(snippet('see src/app.ts: no', 'src app ts')).toBe('see [[src/app.ts]]: no')
  })

  it('shows the window with the most different words of the query', () => {
    const text = `loop ${filler(40)} reconnect then loop ${filler(40, 'v')}`
    const found = snippet(text, 'reconnect', 'loop')
    expect(found).toBe('…w36 w37 w38 w39 [[reconnect]] then [[loop]] v0 v1 v2 v3 v4 v5 v6 v7 v8…')
  })

  it('marks a whole identifier that was found by its parts', () => {
    expect(snippet('call parseHTTPResponse now', 'http')).toBe('call [[parseHTTPResponse]] now')
  })

  it('marks characters of scripts without spaces, neighbours as one', () => {
    expect(snippet('昨天修复了登录错误', '登 录', '录 错')).toBe('昨天修复了[[登录错]]误')
  })

  it('is empty when nothing of the query is there', () => {
    expect(cutSnippet('nothing here', [['else']])).toEqual({ text: '', cut: false })
  })

  it('collapses white space and control characters', () => {
    expect(snippet('  a\n\n\tneedle \u001b[31m\0 b ', 'needle')).toBe('a [[needle]] [31m b')
  })

  it('[evidence.marks] sets brackets of the transcript apart', () => {
    expect(snippet('if [[ needle ]] then', 'needle')).toBe('if [\u2060[ [[needle]] ]\u2060] then')
    expect(snippet('a[[needle]]b', 'needle')).toBe('a[\u2060[\u2060[[needle]]\u2060]\u2060]b')
    expect(snippet('x[needle]', 'needle')).toBe('x[\u2060[[needle]]\u2060]')
  })

  it('[evidence.marks] is at most 512 code points, told as cut, and closes its marks', () => {
    const { text, cut } = cutSnippet(`needle ${'x'.repeat(3000)} tail`, [['needle']])
    expect(cut).toBe(true)
    expect(text.startsWith('[[needle]] xxx') && text.endsWith('…')).toBe(true)
    const long = 'y'.repeat(600)
    const whole = cutSnippet(`a ${long} b`, [[long]])
    expect(whole.cut).toBe(true)
    expect(readMarks(whole.text)?.marked[0]).toMatch(/^y+$/)
  })

  it('[evidence.marks] shows the match even behind very long words', () => {
    const { text } = cutSnippet(`${'x'.repeat(2000)} ${'y'.repeat(2000)} needle end`, [['needle']])
    expect(text).toBe('…[[needle]] end')
  })

  it('[evidence.marks] keeps marks whole, text true and characters uncut, whatever the text', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '[',
        ']',
        '[[',
        ']]',
        '[[[',
        'needle',
        'loop',
        ' ',
        '\n',
        '登',
        '录',
        'e\u0301',
        '👩‍💻',
        '🇩🇪',
        'ก็',
        'needle\u20dd',
        '\u2060',
        '\ud800',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.integer({ min: 1, max: 700 }).map((length) => 'z'.repeat(length)),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('')
        const { text: found } = cutSnippet(text, [['needle'], ['loop'], ['登', '录']])
        if (found === '') return
        const read = readMarks(found)
        expect(read).not.toBeNull()
        const { plain, marked } = read ?? { plain: '', marked: [] }
        for (const match of marked) expect(match).toMatch(/needle|loop|登[^\p{L}\p{N}]*录|z/iu)
        expect([...plain].length).toBeLessThanOrEqual(maxSnippetCodePoints)
        const bare = (value: string) => value.replaceAll('\u2060', '').replace(/[\s\p{Cc}]+/gu, ' ')
        const body = bare(plain).replace(/^…|…$/g, '')
        const source = bare(composedText(text).toWellFormed())
        expect(source).toContain(body)
      }),
      { numRuns: 500 },
    )
  })

  it('[evidence.marks] never cuts a character in two', () => {
    const family = '👨‍👩‍👧‍👦'
    for (const character of ['→\u20dd\u20e3\u20df\u20de', family]) {
      const { text, cut } = cutSnippet(`needle${character.repeat(300)}`, [['needle']])
      // A family is four words, so the window of sixteen ends before the limit does.
      expect(cut).toBe(character !== family)
      expect(text.endsWith('…')).toBe(true)
      expect(text.slice('[[needle]]'.length, -1).replaceAll(character, '')).toBe('')
    }
    expect(snippet('x ก็ needle\u20dd y', 'needle')).toBe('x ก็ [[needle\u20dd]] y')
  })
})
