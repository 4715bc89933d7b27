/** What hostile text looks like in the page. */
import { describe, expect, it } from 'vitest'
import { plainLine, plainText } from './plain-text.ts'

describe('plainText', () => {
  it.each([
    ['keeps lines and tabs, whatever ends them', 'a\r\n\tb\rc\u2028d', 'a\n\tb\nc\nd'],
    [
      'takes terminal colours and titles away',
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u009b1my',
      'red xy',
    ],
    ['shows other control characters', 'a\u0000b\u0007c\u007fd\u0090e', 'a\u2400b\u2407c\u2421d\ufffde'],
    ['names what would reorder', 'a\u202eb\u202c\u2066c\u2069', 'a⟨RLO⟩b⟨PDF⟩⟨LRI⟩c⟨PDI⟩'],
    ['drops what cannot be seen', '\ufeff[\u2060[a\u200f', '[[a'],
    ['mends half of a character', 'a\ud800b', 'a\ufffdb'],
    ['leaves markup, Arabic and joined emoji as they are', '<b>&amp; سلام 👩‍👩‍👧', '<b>&amp; سلام 👩‍👩‍👧'],
  ])('%s', (_what, text, shown) => {
    expect(plainText(text)).toBe(shown)
  })

  it('takes time in proportion to the text', () => {
    const long = '\u001b]'.repeat(200_000)
    expect(plainText(long)).not.toContain('\u001b')
  })
})

it('plainLine makes one line of many, blanks at both ends kept as one', () => {
  expect(plainLine(' a\n\n\t b ')).toBe(' a b ')
})
