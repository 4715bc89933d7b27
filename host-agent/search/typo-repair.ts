/**
 * Guesses what a misspelt word was meant to be, from the words the index holds.
 * Only words that stand nowhere in the searched scope are touched, and never one with a digit in it: an id that is
 * not there must not be answered with another id.
 */
import type { SqlDatabase } from '../index/driver/driver.ts'
import { numberIn, numberOrNull, textIn } from '../index/read.ts'
import { slipsBetween, slipsInHead } from './edit-distance.ts'
import {
  phraseExpression,
  type SearchedColumns,
  type SearchScope,
  scopedExpression,
  searchedColumns,
} from './plan.ts'
import type { QueryTerm, QueryText } from './query-text.ts'

const minRepairLength = 4
const maxRepairLength = 40
const minLengthForTwoSlips = 8
/** Letters that have to be right for the last look that walks the vocabulary; a slip among them is looked for by trying. */
const headUnits = 3
const countedCandidates = 6
const maxCountedRows = 64
/** Of a query's unknown words the first few: a query of forty is no misspelt one. */
const maxRepairedTerms = 8

/**
 * All repairs of a query, and finding out what needs one, share this much work, in about microseconds. What it buys is
 * decided by counting, not by the clock, so that the same query of the same index always gets the same answer.
 */
const maxWork = 18_000
/** Of a long query, which costs more elsewhere too, and of which a few words say enough. */
const maxWorkOfLong = 6_000
const longFromWords = 9
/** Of it, for one word: walking all words that begin with three of its letters, or two. */
const maxHeadWork = 8_000
const maxWideWork = 5_000
/** A look-up asks each segment of the full text (measured: 105 µs in 85 of them, 125 in 101). */
const workPerSegment = 1.2
const workPerLookUp = 25
const workPerWord = 1.3
const workPerPosting = 0.05

const lettersOnly = /^[\p{L}\p{M}]+$/u

export interface Repairs {
  /** Misspelt word → word of the index; empty when nothing needs repair or nothing comes near. */
  readonly repairs: ReadonlyMap<string, string>
  /** Words of the query that stand nowhere in the searched scope, and that no repair was found for. */
  readonly unknown: ReadonlySet<string>
}

export function findRepairs(db: SqlDatabase, query: QueryText, scope: SearchScope): Repairs {
  const columns = searchedColumns(query, scope)
  if (columns?.length === 0) return { repairs: new Map(), unknown: new Set() }
  const sought = query.terms.filter((term) => !term.common)
  const vocabulary = createVocabulary(db, columns, sought.length)
  const misspelt = new Set(sought.filter((term) => !term.quoted).flatMap(wholeWords))
  const missing = [...new Set(sought.flatMap(wholeWords))].filter((word) => !vocabulary.holds(word))
  const repairable = missing.filter((word) => misspelt.has(word) && isRepairable(word))
  // Every word gets the cheap looks before any gets a dear one.
  const nearest = new Map<string, NearWord>()
  for (const look of [lookFromHalf, lookFromHead, lookWider, lookBySlips]) {
    for (const word of repairable.slice(0, maxRepairedTerms)) {
      const found = nearest.get(word)
      // What is two slips away does not end the looking: a later look may find what is one away.
      if (found?.slips === 1 || (found && look === lookBySlips) || vocabulary.isSpent()) continue
      const near = look(word, vocabulary)
      if (near !== null && near.slips < (found?.slips ?? Number.POSITIVE_INFINITY)) nearest.set(word, near)
    }
  }
  const repairs = new Map([...nearest].map(([word, { term }]) => [word, term]))
  return { repairs, unknown: new Set(missing.filter((word) => !repairs.has(word))) }
}

/** Not the last of `recon*`, which is the beginning of one. */
function wholeWords({ words, prefix }: QueryTerm): readonly string[] {
  return prefix ? words.slice(0, -1) : words
}

type Look = (word: string, vocabulary: Vocabulary) => NearWord | null

/** Most slips come late in a word. */
const lookFromHalf: Look = (word, vocabulary) =>
  likeliestOf(
    vocabulary.wordsNear(word, headOf(word, Math.max(headUnits, Math.ceil(word.length / 2)))),
    vocabulary,
  )

const lookFromHead: Look = (word, vocabulary) =>
  word.length <= 2 * headUnits
    ? null
    : likeliestOf(vocabulary.wordsNear(word, headOf(word, headUnits), maxHeadWork), vocabulary)

/** Two slips, one of them at the third letter. */
const lookWider: Look = (word, vocabulary) =>
  word.length < minLengthForTwoSlips
    ? null
    : likeliestOf(vocabulary.wordsNear(word, headOf(word, headUnits - 1), maxWideWork), vocabulary)

/** One slip among the first letters leaves few words that it can have been: the likeliest kind of slip that leads to one. */
const lookBySlips: Look = (word, vocabulary) => {
  for (const terms of slipsInHead(word, headUnits)) {
    let best: NearWord | null = null
    for (const term of terms) {
      if (vocabulary.isSpent()) break
      const slips = slipsFrom(word, term)
      if (slips === null) continue
      const rows = vocabulary.countRows(term, maxCountedRows)
      if (rows > (best?.rows ?? 0)) best = { term, rows, slips }
    }
    if (best !== null) return best
  }
  return null
}

interface NearWord {
  readonly term: string
  readonly slips: number
  /** Rows that held it, deleted ones and those out of scope included. */
  readonly rows: number
}

interface Vocabulary {
  isSpent(): boolean
  /** Whether the word stands in a row in scope, or in a title where those are searched. */
  holds(word: string): boolean
  /** Rows in scope that hold the word, counted up to `atMost`. */
  countRows(word: string, atMost: number): number
  /** Words of the index that begin so and are near `word`, as far as the work goes, or that much of it. */
  wordsNear(word: string, prefix: string, atMostWork?: number): NearWord[]
}

/** The nearest that is there, then the most frequent. Deleted rows are in the vocabulary, but not in the count. */
function likeliestOf(candidates: NearWord[], vocabulary: Vocabulary): NearWord | null {
  const likeliest = candidates
    .sort((a, b) => a.slips - b.slips || b.rows - a.rows)
    .slice(0, countedCandidates)
  const [best] = likeliest
    .map((candidate) => ({ ...candidate, rows: vocabulary.countRows(candidate.term, maxCountedRows) }))
    .filter((candidate) => candidate.rows > 0)
    .sort((a, b) => a.slips - b.slips || b.rows - a.rows)
  return best ?? null
}

function createVocabulary(db: SqlDatabase, columns: SearchedColumns, words: number): Vocabulary {
  let left = words < longFromWords ? maxWork : maxWorkOfLong
  const lookUp = workPerLookUp + workPerSegment * countSegments(db)
  const titled = db.prepare('SELECT 1 FROM titles_fts WHERE titles_fts MATCH ? LIMIT 1')
  const counting = db.prepare(
    'SELECT count(*) AS rows FROM (SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? LIMIT ?)',
  )
  const walking = db.prepare('SELECT term, doc FROM messages_vocab WHERE term >= ? AND term < ?')
  const rowsOf = (word: string, atMost: number) =>
    numberIn(counting.get(scopedExpression(phraseExpression([word]), columns), atMost) ?? {}, 'rows')
  return {
    isSpent: () => left <= 0,
    holds(word) {
      left -= lookUp
      return rowsOf(word, 1) > 0 || (columns === null && titled.get(phraseExpression([word])) !== undefined)
    },
    countRows(word, atMost) {
      left -= lookUp
      return rowsOf(word, atMost)
    },
    wordsNear(word, prefix, atMostWork = left) {
      const found: NearWord[] = []
      const stopAt = Math.max(0, left - atMostWork)
      left -= lookUp
      for (const row of walking.iterate(prefix, `${prefix}\u{10ffff}`)) {
        const term = textIn(row, 'term')
        const rows = numberIn(row, 'doc')
        left -= workPerWord + rows * workPerPosting
        const slips = slipsFrom(word, term)
        if (slips !== null && lettersOnly.test(term)) found.push({ term, rows, slips })
        if (left <= stopAt) break
      }
      return found
    },
  }
}

/** FTS5 gives the least free number to each new segment, so the greatest is about how many there are. */
function countSegments(db: SqlDatabase): number {
  return (
    numberOrNull(db.prepare('SELECT max(segid) AS greatest FROM messages_fts_idx').get() ?? {}, 'greatest') ??
    0
  )
}

/** @returns how many slips made `word` of `term`; null for too many. Short words have many neighbours: of four letters none may be another. */
function slipsFrom(word: string, term: string): number | null {
  const atMost = maxSlips(word)
  if (Math.abs(term.length - word.length) > atMost || term.length < minRepairLength - 1) return null
  const isShort = word.length === minRepairLength && term.length === word.length
  if (isShort && !haveSameLetters(word, term)) return null
  const slips = slipsBetween(word, term, atMost)
  return slips > atMost ? null : slips
}

function haveSameLetters(a: string, b: string): boolean {
  return [...a].sort().join('') === [...b].sort().join('')
}

function maxSlips(word: string): number {
  return word.length < minLengthForTwoSlips ? 1 : 2
}

function isRepairable(word: string): boolean {
  return word.length >= minRepairLength && word.length <= maxRepairLength && lettersOnly.test(word)
}

function headOf(word: string, units: number): string {
  return [...word].slice(0, units).join('')
}
