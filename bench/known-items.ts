/**
 * Queries with a known answer, drawn from transcripts: a piece of what somebody said, spoilt as people spoil it. Right is
 * every session in which the piece truly stands, so that no search is blamed for a text that stands twice.
 */

import type { HeldSession } from './held-sessions.ts'
import { between, pick, type Random } from './random.ts'
import { contentWords, linesOf, misspell, shuffled } from './spoilt-words.ts'

export const queryKinds = [
  'exact phrase',
  'three words out of order',
  'identifier fragment',
  'path',
  'URL',
  'error line',
  'one typo',
  'two typos',
  'CJK substring',
  'prose question',
] as const
export type QueryKind = (typeof queryKinds)[number]

export interface KnownItem {
  readonly kind: QueryKind
  readonly query: string
  /** Row ids of the sessions that are right. */
  readonly right: ReadonlySet<number>
}

/** What a query was made of: the query, and a test for the texts in which its origin stands. */
interface Drawn {
  readonly query: string
  readonly standsIn: (text: string) => boolean
}

/** @returns nothing where this line holds nothing of the kind. */
type Draw = (line: string, random: Random, vocabulary: ReadonlySet<string>) => Drawn | null

/** Lines that are looked at for one query before the kind is given up for this collection. */
const maxTries = 30_000

/** @returns up to `count` queries; fewer where the sessions hold too little of the kind. None comes twice. */
export function drawItems(
  sessions: readonly HeldSession[],
  vocabulary: ReadonlySet<string>,
  kind: QueryKind,
  count: number,
  random: Random,
): KnownItem[] {
  const items = new Map<string, KnownItem>()
  if (sessions.length === 0) return []
  for (let tries = 0; items.size < count && tries < maxTries; tries++) {
    // By session and message first, so that long sessions and long messages do not give most of the queries.
    const { written } = pick(random, sessions)
    const lines = written.length === 0 ? [] : linesOf(pick(random, written))
    const drawn = lines.length === 0 ? null : draws[kind](pick(random, lines), random, vocabulary)
    if (drawn === null || items.has(drawn.query)) continue
    const right = new Set(
      sessions.filter((session) => session.texts.some(drawn.standsIn)).map(({ rowId }) => rowId),
    )
    items.set(drawn.query, { kind, query: drawn.query, right })
  }
  return [...items.values()]
}

const draws: Readonly<Record<QueryKind, Draw>> = {
  'exact phrase': (line, random) => {
    const words = [...line.matchAll(/\S+/g)]
    if (words.length < 6) return null
    const length = between(random, 4, 6)
    const from = between(random, 0, words.length - length)
    const [first, last] = [words[from], words[from + length - 1]]
    if (first === undefined || last === undefined) return null
    const text = line.slice(first.index, last.index + last[0].length)
    // What the query language takes for its own is another matter.
    if (/[":*]|(?:^|\s)-/.test(text) || contentWords(text).length < 2) return null
    return { query: random() < 0.5 ? text : `"${text}"`, standsIn: holds(text) }
  },
  'three words out of order': (line, random) => {
    const words = wordsNearEachOther(line, 3, random)
    return words === null
      ? null
      : { query: shuffled(words, random).join(' '), standsIn: holdsInOneLine(words) }
  },
  'identifier fragment': (line, random) => {
    const found = [
      ...line.matchAll(/[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+){2,}|[a-zA-Z][a-z]+(?:[A-Z][a-z]+){2,}/g),
    ]
    if (found.length === 0) return null
    const [identifier] = pick(random, found)
    const isSnake = identifier.includes('_')
    const parts = identifier.match(isSnake ? /[^_]+/g : /[A-Z]?[a-z]+/g) ?? []
    const from = between(random, 0, parts.length - 2)
    const fragment = parts.slice(from, from + 2).join(isSnake ? '_' : '')
    return fragment.length < 8 ? null : { query: fragment, standsIn: holds(fragment) }
  },
  path: (line, random) =>
    matched(line, /(?:[\w.@-]+\/)+[\w@-]+\.[a-z]{1,5}\b/g, random, ({ length }) => length >= 12),
  URL: (line, random) =>
    matched(line, /https?:\/\/[^\s"'`<>()[\]{}\\,;]+[A-Za-z0-9/]/g, random, ({ length }) => length >= 16),
  'error line': (line, random) =>
    matched(
      line,
      /\b(?:[A-Z][A-Za-z]*(?:Error|Exception)|Error|E[A-Z]{4,}): [^"*]{12,90}(?=\s|$)/g,
      random,
      (text) => contentWords(text).length > 1,
    ),
  'one typo': (line, random, vocabulary) => {
    const words = wordsNearEachOther(line, 2, random)
    if (words === null) return null
    const [first = '', second = ''] = words
    const wrong = misspell(first, random, vocabulary)
    return wrong === null ? null : { query: `${wrong} ${second}`, standsIn: holdsInOneLine(words) }
  },
  'two typos': (line, random, vocabulary) => {
    const words = wordsNearEachOther(line, 3, random)
    if (words === null) return null
    const [first = '', second = '', third = ''] = words
    const wrong = [misspell(first, random, vocabulary), misspell(third, random, vocabulary)]
    return wrong.includes(null)
      ? null
      : { query: [wrong[0], second, wrong[1]].join(' '), standsIn: holdsInOneLine(words) }
  },
  'CJK substring': (line, random) => {
    const runs = [
      ...line.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4,}/gu),
    ]
    if (runs.length === 0) return null
    const characters = [...pick(random, runs)[0]]
    const length = between(random, 2, Math.min(6, characters.length))
    const from = between(random, 0, characters.length - length)
    const text = characters.slice(from, from + length).join('')
    return { query: text, standsIn: holds(text) }
  },
  'prose question': (line, random) => {
    const words = wordsNearEachOther(line, 4, random)
    if (words === null) return null
    const [a = '', b = '', c = '', d = ''] = words
    const questions = [
      `how did we get the ${a} ${b} of ${c} to ${d}?`,
      `where was the ${a} that ${b} with ${c} and ${d}`,
      `why is ${a} ${b} not in the ${c} ${d}?`,
      // Half of the time a word too many, that nobody said.
      `what was wrong when ${a} and ${b} had that odd ${c} ${d}?`,
      `which session was it where I asked about ${a} ${b} for ${c} ${d}`,
      `didn't somebody fix the ${a} ${b} problem with ${c} and ${d} yesterday`,
    ]
    return { query: pick(random, questions), standsIn: holdsInOneLine(words) }
  },
}

function matched(
  line: string,
  pattern: RegExp,
  random: Random,
  isEnough: (text: string) => boolean,
): Drawn | null {
  const found = [...line.matchAll(pattern)].map(([text]) => text.trim()).filter(isEnough)
  if (found.length === 0) return null
  const text = pick(random, found)
  return { query: text, standsIn: holds(text) }
}

/** Different words of one line, no further than a dozen words from the first to the last, in their order. */
function wordsNearEachOther(line: string, count: number, random: Random): string[] | null {
  const words = contentWords(line)
  if (words.length < count) return null
  const from = between(random, 0, Math.max(0, words.length - 12))
  const near = [...new Set(words.slice(from, from + 12).map((word) => word.toLowerCase()))]
  if (near.length < count) return null
  const chosen = new Set(shuffled(near, random).slice(0, count))
  return near.filter((word) => chosen.has(word))
}

function holds(piece: string): Drawn['standsIn'] {
  const wanted = piece.toLowerCase()
  return (text) => text.includes(wanted)
}

/** All of the words as words, in one line. */
function holdsInOneLine(words: readonly string[]): Drawn['standsIn'] {
  const patterns = words.map((word) => new RegExp(`(?<![a-z0-9])${word}(?![a-z0-9])`))
  return (text) =>
    words.every((word) => text.includes(word)) &&
    linesOf(text).some((line) => patterns.every((pattern) => pattern.test(line)))
}
