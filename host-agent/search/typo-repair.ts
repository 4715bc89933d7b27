/**
 * Guesses what a misspelt word was meant to be, from the words the index holds.
 * Only words that stand nowhere in the searched scope are touched, and never one with a digit in it: an id that is
 * not there must not be answered with another id.
 */
import type { SqlDatabase } from '../index/driver/driver.ts'
import { numberIn, textIn } from '../index/read.ts'
import { phraseExpression, type SearchScope, scopedExpression } from './plan.ts'
import type { QueryText } from './query-text.ts'

const minRepairLength = 4
const maxRepairLength = 40
/** Two letters more or less at most. */
const lengthSlack = 2
const minSimilarity = 0.82
const liveCheckedCandidates = 8
const maxCountedRows = 64
const maxRepairedTerms = 8
const maxTermsPerPrefix = 4000
/** Vocabulary rows cost as many steps as they have postings (about 45 ns each): all repairs of a query share these. */
const maxPostingsWalked = 400_000

const repairable = /^[\p{L}\p{M}]+$/u

/** @returns misspelt word → word of the index; empty when nothing needs repair or nothing comes near. */
export function findRepairs(db: SqlDatabase, query: QueryText, scope: SearchScope): Map<string, string> {
  const repairs = new Map<string, string>()
  const budget = { postings: maxPostingsWalked }
  const words = query.terms.filter((term) => !term.quoted && !term.common).flatMap((term) => term.words)
  const unknown = [...new Set(words)].filter(
    (word) => isRepairable(word) && countRows(db, word, scope, 1) === 0,
  )
  for (const word of unknown.slice(0, maxRepairedTerms)) {
    const repaired = nearestWord(db, word, scope, budget)
    if (repaired !== null) repairs.set(word, repaired)
  }
  return repairs
}

/** 2 · (longest common subsequence) ÷ (sum of lengths), by UTF-16 units: 1 for equal words, 0 for nothing in common. */
export function similarity(a: string, b: string): number {
  let previous = new Uint8Array(b.length + 1)
  let current = new Uint8Array(b.length + 1)
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const diagonal = previous[j - 1] ?? 0
      current[j] = a[i - 1] === b[j - 1] ? diagonal + 1 : Math.max(previous[j] ?? 0, current[j - 1] ?? 0)
    }
    ;[previous, current] = [current, previous]
  }
  return a.length + b.length === 0 ? 1 : (2 * (previous[b.length] ?? 0)) / (a.length + b.length)
}

function isRepairable(word: string): boolean {
  return word.length >= minRepairLength && word.length <= maxRepairLength && repairable.test(word)
}

/** From the narrowest prefix to the widest: most slips are late in a word, and wide prefixes are dear. */
function nearestWord(
  db: SqlDatabase,
  word: string,
  scope: SearchScope,
  budget: { postings: number },
): string | null {
  const [first = '', second = '', third = ''] = word
  for (const prefix of [first + second + third, first + second, second + first, first]) {
    const candidates = similarWords(db, prefix, word, budget)
      .slice(0, liveCheckedCandidates)
      .map((candidate) => ({ ...candidate, rows: countRows(db, candidate.term, scope, maxCountedRows) }))
      .filter((candidate) => candidate.rows > 0)
      .sort((a, b) => b.closeness - a.closeness || b.rows - a.rows)
    if (candidates[0] !== undefined) return candidates[0].term
  }
  return null
}

function similarWords(db: SqlDatabase, prefix: string, word: string, budget: { postings: number }) {
  const found: { term: string; closeness: number }[] = []
  const vocabulary = db.prepare('SELECT term, doc FROM messages_vocab WHERE term >= ? AND term < ? LIMIT ?')
  if (budget.postings <= 0) return found
  for (const row of vocabulary.iterate(prefix, `${prefix}\u{10ffff}`, maxTermsPerPrefix)) {
    const term = textIn(row, 'term')
    budget.postings -= numberIn(row, 'doc')
    if (Math.abs(term.length - word.length) <= lengthSlack && repairable.test(term)) {
      const closeness = similarity(word, term)
      if (closeness >= minSimilarity) found.push({ term, closeness })
    }
    if (budget.postings <= 0) break
  }
  return found.sort((a, b) => b.closeness - a.closeness)
}

/** Rows in scope that hold the word, counted up to `atMost`. Deleted rows are in the vocabulary, but not here. */
function countRows(db: SqlDatabase, word: string, scope: SearchScope, atMost: number): number {
  const statement = db.prepare(
    'SELECT count(*) AS rows FROM (SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? LIMIT ?)',
  )
  return numberIn(statement.get(scopedExpression(phraseExpression([word]), scope), atMost) ?? {}, 'rows')
}
