import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainLines, plainText } from './plain-text.ts'

describe('plainText', () => {
  it.each([
    ['a\nb\r\n\tc', 'a b c'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007shown', 'shown'],
    ['\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['a\u0000b\u0008c\u007f\u009b2Jd', 'abcd'],
    ['\u001bPq#0;2;0;0;0\u001b\\after', 'after'],
    ['\u001b(Bascii\u001b7', 'ascii'],
    ['\u001b]0;never ended, and read on', '0;never ended, and read on'],
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

  it('reads text that is made to be slow once', () => {
    const many = 200_000
    for (const part of ['\u001b]', '\u009d', '\u001b[1;', '\u009b', '\u001bP;'])
      expect(plainText(part.repeat(many)).length).toBeLessThanOrEqual(part.length * many)
  }, 5_000)
})

describe('plainLines', () => {
  it('keeps line ends and indents, and nothing a terminal obeys', () =>
    expect(plainLines('a\r\n\tb \u001b[2J\u2028\u202ec\u0000\n')).toEqual(['a', '  b', 'c', '']))
})
