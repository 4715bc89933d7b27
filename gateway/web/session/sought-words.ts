/** What a query looks for, and where that stands in a text: the words as the engine cuts and folds them. */
import { readQuerySyntax } from '../../../protocol/session-search/query-syntax.ts'
import { isStopWord } from '../../../protocol/session-search/stop-words.ts'

/** Words that follow each other; the last one may go on. */
export interface SoughtPhrase {
  readonly words: readonly string[]
  readonly prefix: boolean
}

/** In UTF-16 units of the text it was found in. */
export interface MatchRange {
  readonly start: number
  readonly end: number
}

interface Word extends MatchRange {
  readonly folded: string
}

/** Scripts that set no space between words; the index takes each of their characters for a word. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Bopomofo}'
const hump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** A longer run of word characters is no identifier (base64, minified code). */
const maxIdentifierUnits = 120

/**
 * @param marked texts between the marks of snippets: what the engine matched in place of what was typed, such as a
 *   misspelt word's repair.
 * @returns nothing for a query of operators alone. Common words count only where there is nothing else.
 */
export function soughtIn(query: string, marked: readonly string[] = []): SoughtPhrase[] {
  const parts = readQuerySyntax(query).filter((part) => part.kind === 'text' && !part.negative)
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part] : []))
  const telling = texts.filter(({ text, quoted }) => quoted || !isStopWord(text))
  const typed = (telling.length > 0 ? telling : texts).map(({ text, prefix }) => phraseOf(text, prefix))
  const found = marked.map((text) => phraseOf(text, false)).filter(({ words }) => words.length > 0)
  const phrases = new Map<string, SoughtPhrase>()
  for (const phrase of [...typed, ...found])
    if (phrase.words.length > 0) phrases.set(`${phrase.words.join(' ')}${phrase.prefix ? '*' : ''}`, phrase)
  return [...phrases.values()]
}

/** @returns where the phrases stand, in order, none over another; neighbours with nothing but white space between are one. */
export function matchRanges(text: string, phrases: readonly SoughtPhrase[]): MatchRange[] {
  if (phrases.length === 0) return []
  const words = wordsOf(text)
  const ranges: MatchRange[] = []
  for (let at = 0; at < words.length; at++) {
    const count = Math.max(0, ...phrases.map((phrase) => lengthAt(words, at, phrase)))
    const range = count > 0 ? spanOf(words, at, count) : humpAt(text, words[at], phrases)
    if (range === null) continue
    const last = ranges.at(-1)
    if (last !== undefined && /^\s+$/u.test(text.slice(last.end, range.start)))
      ranges[ranges.length - 1] = { start: last.start, end: range.end }
    else ranges.push(range)
    at += Math.max(count, 1) - 1
  }
  return ranges
}

function phraseOf(text: string, prefix: boolean): SoughtPhrase {
  return { words: wordsOf(text).map(({ folded }) => folded), prefix }
}

function wordsOf(text: string): Word[] {
  // Made anew each time, since such an expression keeps where it stands.
  const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{M}])+`, 'gu')
  return Array.from(text.matchAll(word), ({ 0: found, index }) => ({
    folded: fold(found),
    start: index,
    end: index + found.length,
  }))
}

/** How many words from `at` on are that phrase; 0 where they are not. */
function lengthAt(words: readonly Word[], at: number, { words: sought, prefix }: SoughtPhrase): number {
  const isThere = sought.every((word, offset) => {
    const folded = words[at + offset]?.folded
    if (folded === undefined) return false
    return prefix && offset === sought.length - 1 ? folded.startsWith(word) : folded === word
  })
  return isThere ? sought.length : 0
}

function spanOf(words: readonly Word[], at: number, count: number): MatchRange | null {
  const [first, last] = [words[at], words[at + count - 1]]
  return first === undefined || last === undefined ? null : { start: first.start, end: last.end }
}

/** The whole of `parseHTTPResponse` for `http`. */
function humpAt(text: string, word: Word | undefined, phrases: readonly SoughtPhrase[]): MatchRange | null {
  if (word === undefined || word.end - word.start > maxIdentifierUnits) return null
  const humps = text.slice(word.start, word.end).split(hump)
  if (humps.length < 2) return null
  const folded = new Set(humps.map(fold))
  const isThere = phrases.some(({ words, prefix }) =>
    words.every(
      (sought) => folded.has(sought) || (prefix && humps.some((one) => fold(one).startsWith(sought))),
    ),
  )
  return isThere ? { start: word.start, end: word.end } : null
}

function fold(word: string): string {
  const lower = word.toLowerCase()
  return /^[ -~]*$/.test(lower) ? lower : lower.normalize('NFD').replaceAll(/\p{M}/gu, '')
}
