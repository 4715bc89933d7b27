import { describe, expect, it } from 'vitest'
import { quoteForShell } from './shell-quote.ts'
import { createStyle } from './style.ts'

const terminal = { write: () => {}, isTTY: true }
const pipe = { write: () => {} }

describe('createStyle', () => {
  it.each([
    [terminal, {}, false, true],
    [pipe, {}, false, false],
    [terminal, { NO_COLOR: '1' }, false, false],
    [terminal, { NO_COLOR: '' }, false, true],
    [terminal, { TERM: 'dumb' }, false, false],
    [terminal, {}, true, false],
    [pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [terminal, { FORCE_COLOR: '0' }, false, false],
  ])('%#: of %j with %j and --no-color %s has colour: %s', (stream, env, isOff, isColour) => {
    const style = createStyle(stream, env, isOff)
    expect(style.isColour).toBe(isColour)
    expect(style.bold('x')).toBe(isColour ? '\u001b[1mx\u001b[22m' : 'x')
  })
})

describe('quoteForShell', () => {
  it.each([
    ['plain-word_1.2:/=', 'plain-word_1.2:/='],
    ['two words', "'two words'"],
    ["it's", "'it'\\''s'"],
    ['', "''"],
    ['$(rm)', "'$(rm)'"],
    ['a|b&c', "'a|b&c'"],
  ])('quotes %j as %s', (word, quoted) => expect(quoteForShell(word)).toBe(quoted))
})
