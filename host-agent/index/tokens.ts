/**
 * How text becomes terms, on both sides of the index: what FTS5 is handed, what a query is cut into, and where the
 * words of a message stand. `tokenize(text)` is what FTS5 makes of `searchableText(text)`.
 */
import { isSymbol, symbolsAsTerms, symbolTerm, symbolUnits } from './symbol-terms.ts'
import { foldCodePoint, type TokenClass, tokenClass, tokenClasses } from './unicode61-table.ts'

/** One word: `term` as the index holds it, `start` and `end` in UTF-16 units of the text it was cut from. */
export interface Token {
  readonly term: string
  readonly start: number
  readonly end: number
}

/** Terms of camel-case words kept for one row. */
const maxIdentifierTerms = 4000
/** A longer run of word characters is no identifier (base64, minified code). */
const maxIdentifierUnits = 120

/**
 * Scripts that set no space between words: Thai, Lao, Myanmar, Khmer, Hangul, Kana, Bopomofo, Han and its
 * supplementary planes. FTS5 would take a whole sentence of them for one word.
 */
const unspacedClass =
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029' +
  '\\u3031-\\u312f\\u3131-\\u318e\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f' +
  '\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uffdc'
/** Without the `u` flag, so that a pass over plain text costs next to nothing; the planes 2 and 3 by their high halves. */
const mayBeUnspaced = new RegExp(`[${unspacedClass}\\ud840-\\ud8bf]`)
const mayBeSymbol = new RegExp(`[${symbolUnits}]`)
const mayStandAlone = new RegExp(`[${unspacedClass}\\ud840-\\ud8bf${symbolUnits}]`)
/** One range, which V8 rules out at once for a string of one-byte characters. */
const beyondPlain = /[\u0e00-\uffff]/
const unspacedCharacter = new RegExp(`[${unspacedClass}\\u{20000}-\\u{3fffd}]`, 'gu')
const unspacedRun = new RegExp(`[${unspacedClass}\\u{20000}-\\u{3fffd}]{2,}`, 'u')

function mayHoldAlone(text: string): boolean {
  return beyondPlain.test(text) && mayStandAlone.test(text)
}

function mayHoldUnspaced(text: string): boolean {
  return beyondPlain.test(text) && mayBeUnspaced.test(text)
}

/** Composed where the text holds unspaced scripts (a decomposed syllable is one character); as it is otherwise. */
export function composedText(text: string): string {
  return mayHoldUnspaced(text) ? text.normalize('NFC') : text
}

/** The text FTS5 is handed: each character of an unspaced script stands alone, so that any part of a sentence is a phrase; symbols are terms. */
export function searchableText(text: string): string {
  if (!mayHoldAlone(text)) return text
  const spaced = mayBeUnspaced.test(text) ? text.normalize('NFC').replace(unspacedCharacter, ' $& ') : text
  return mayBeSymbol.test(spaced) ? symbolsAsTerms(spaced) : spaced
}

/** Whether two or more characters of an unspaced script stand side by side. */
export function hasUnspacedRun(text: string): boolean {
  return mayHoldUnspaced(text) && unspacedRun.test(text)
}

/** @returns the terms of `text` in order, exactly as `unicode61 remove_diacritics 2` indexes `searchableText(text)`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const mayBeAlone = mayHoldAlone(text)
  const unspaced = mayBeAlone && mayBeUnspaced.test(text)
  const symbols = mayBeAlone && mayBeSymbol.test(text)
  let start = -1
  let at = 0
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0
    const next = at + (codePoint > 0xffff ? 2 : 1)
    const symbol = symbols && isSymbol(codePoint)
    const kind = symbol ? tokenClasses.separator : kindOf(codePoint)
    const alone = unspaced && codePoint >= 0xe00 && mayBeUnspaced.test(text.slice(at, next))
    if (start >= 0 && (alone || kind === tokenClasses.separator)) {
      tokens.push(tokenOf(text, start, at))
      start = -1
    }
    const term = symbol ? symbolTerm(codePoint) : null
    if (term !== null) tokens.push({ term, start: at, end: next })
    if (kind === tokenClasses.wordPart) {
      if (alone) tokens.push(tokenOf(text, at, next))
      else if (start < 0) start = at
    }
    at = next
  }
  if (start >= 0) tokens.push(tokenOf(text, start, text.length))
  return tokens
}

/** A lone surrogate is stored as U+FFFD, which is no part of a word. */
function kindOf(codePoint: number): TokenClass {
  return codePoint >= 0xd800 && codePoint <= 0xdfff ? tokenClasses.separator : tokenClass(codePoint)
}

function tokenOf(text: string, start: number, end: number): Token {
  const word = text.slice(start, end)
  return { term: plainWord.test(word) ? word.toLowerCase() : foldWord(word), start, end }
}

const plainWord = /^[A-Za-z0-9]+$/

function foldWord(word: string): string {
  let folded = ''
  for (const character of word) {
    const codePoint = character.codePointAt(0) ?? 0
    if (tokenClass(codePoint) === tokenClasses.wordPart)
      folded += String.fromCodePoint(foldCodePoint(codePoint))
  }
  return folded
}

/** A place where the tokenizer sees one word and a person sees two: `parse|HTTP`, `HTTP|Response`, `sha256|Sum`. */
const humpBoundary = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/

/**
 * The parts of camel-case words, which FTS5 does not split: `parseHTTPResponse` → `parse http response`.
 * @returns lower-cased parts of two characters or more, each word's together and in its order, so that a piece of a word
 * is a phrase; each word once; at most `maxIdentifierTerms`; `''` for none.
 */
export function identifierPieces(text: string): string {
  const pieces: string[] = []
  const seen = new Set<string>()
  const boundary = new RegExp(humpBoundary, 'g')
  // `test` and the place it leaves: `exec` would make an array for every word of a history.
  while (boundary.test(text)) {
    const [start, end] = wordAround(text, boundary.lastIndex - 2)
    boundary.lastIndex = end
    if (end - start > maxIdentifierUnits) continue
    const word = text.slice(start, end)
    if (seen.has(word)) continue
    seen.add(word)
    pieces.push(...humpsOf(word))
    if (pieces.length >= maxIdentifierTerms) break
  }
  return pieces.slice(0, maxIdentifierTerms).join(' ')
}

/** The parts of one word: `parseHTTPResponse` → parse, http, response. A word without humps is its own only part. */
export function humpsOf(word: string): string[] {
  const parts: string[] = []
  let start = 0
  while (start < word.length) {
    const end = endOfHump(word, start)
    const part = word.slice(start, end).toLowerCase()
    if (part.length > 1) parts.push(part)
    start = end
  }
  return parts
}

/** Capitals and the digits after them, but for a last capital that begins a word; else one capital at most and all up to the next. */
function endOfHump(word: string, start: number): number {
  let at = start
  while (isCapital(word.charCodeAt(at))) at++
  if (at > start && !isSmall(word.charCodeAt(at))) {
    while (isDigit(word.charCodeAt(at))) at++
    return at
  }
  if (at > start + 1) return at - 1
  while (at < word.length && !isCapital(word.charCodeAt(at))) at++
  return at
}

const isCapital = (unit: number) => unit >= 65 && unit <= 90
const isSmall = (unit: number) => unit >= 97 && unit <= 122
const isDigit = (unit: number) => unit >= 48 && unit <= 57

function wordAround(text: string, at: number): [start: number, end: number] {
  let start = at
  while (start > 0 && isIdentifierUnit(text.charCodeAt(start - 1))) start--
  let end = at + 2
  while (end < text.length && isIdentifierUnit(text.charCodeAt(end))) end++
  return [start, end]
}

/** ASCII letters and digits, and the Latin letters beyond them, so that `naïveBayes` is one word. */
function isIdentifierUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    (unit >= 0xc0 && unit < 0x250 && unit !== 0xd7 && unit !== 0xf7)
  )
}
