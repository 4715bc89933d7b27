import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from './plain-text.ts'

describe('plainText', () => {
  it.each([
    ['a\nb\r\n\tc', 'a b c'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007shown', 'shown'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['a\u0000b\u0008c\u007f\u009b2Jd', 'abcd'],
    ['\u202eevil\u202c', 'evil'],
    ['[\u2060[', '[['],
    ['a\ud800b', 'a\ufffdb'],
    ['  a   b  ', 'a b'],
    ['日本語 👩‍👩‍👧 é', '日本語 👩‍👩‍👧 é'],
  ])('makes %j %j', (text, plain) => expect(plainText(text)).toBe(plain))

  it('never lets a control character or a line end through, and is done in one pass', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '0',
        ';',
        'm',
        '\u0007',
        '\\',
        '\n',
        '\u009b',
        '\u2028',
        'a',
        ' ',
      ),
    })
    fc.assert(
      fc.property(nasty, (text) => {
        const plain = plainText(text)
        expect(plain).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(plainText(plain)).toBe(plain)
      }),
    )
  })
})
