/**
 * What tells the promising rows of a query from the others before any is read, where there are too many to read or even
 * to list: rows that hold its rare words, its common words together, or all of it in its order.
 */
import type { Matches } from './matches.ts'
import { type Phrase, phraseExpression, phraseGoesOn, type Rung, scopedExpression } from './plan.ts'
import { phraseOf, type QueryText } from './query-text.ts'
import { listRows, listTitles, type Retrieval, type RetrievalLimits } from './retrieve.ts'

export interface Clue {
  /** Rows it leads to. */
  readonly ids: readonly number[]
  /** Sessions to whose titles it leads. */
  readonly titled: readonly number[]
  /** What it says: the rarer the more. */
  readonly weight: number
}

/** Asked for once, when first needed. */
export type Clues = () => readonly Clue[]

const weightOfOrder = 1
/** Of a word too common for its rows to be listed. */
const weightOfCommon = 1.5

export function cluesOf(retrieval: Retrieval, query: QueryText, rung: Rung, matches: Matches): Clues {
  let known: readonly Clue[] | null = null
  return () => {
    if (known === null && rung.name === 'and') known = clueOfOrder(retrieval, query, rung, matches)
    known ??= rung.name === 'phrase' ? [] : cluesOfWords(retrieval, rung)
    return known
  }
}

/** FTS5 walks all rows that hold all of them, however many words: as dear as finding those rows was. */
const maxWordsInOrder = 5

/**
 * The query as it was written, its common words included. Not for two words that are too common to be listed: FTS5 would
 * have to walk all rows that hold both to find the few where they stand side by side (25 ms in a history of 957 MB).
 * Nor where a word may go on: all rows of all such words would be gathered once more.
 */
function clueOfOrder({ db, limits }: Retrieval, query: QueryText, rung: Rung, { listed }: Matches): Clue[] {
  const words = query.terms.flatMap(phraseOf)
  const isWorthIt = words.length > (listed === null ? 2 : 1) && words.length <= maxWordsInOrder
  const isPhraseItself = rung.highlights.length === 1
  if (!isWorthIt || isPhraseItself || words.some((word) => word.endsWith('*'))) return []
  return [
    { ids: listRows(db, expressionOf(rung, words), limits.readRows), titled: [], weight: weightOfOrder },
  ]
}

/**
 * Any of the words may stand in a row: the rare ones are listed, and of the others the rows that hold all or all but one.
 * A word that may go on is no clue beside others: FTS5 would gather the rows of all such words.
 */
function cluesOfWords(retrieval: Retrieval, rung: Rung): Clue[] {
  const { db, limits } = retrieval
  const most = listedOfWord(rung.highlights.length, limits)
  const clues: Clue[] = []
  const common: Phrase[] = []
  for (const phrase of rung.highlights) {
    if (phraseGoesOn(phrase) && rung.highlights.length > 1) continue
    const ids = listRows(db, expressionOf(rung, phrase), most + 1)
    const titled = rung.columns === null ? listTitles(db, phraseExpression(phrase), most) : []
    if (ids.length > most) common.push(phrase)
    if (ids.length > most) clues.push({ ids: [], titled, weight: weightOfCommon })
    else clues.push({ ids, titled, weight: Math.log1p(20_000 / Math.max(1, ids.length)) })
  }
  return [...clues, ...cluesOfCommon(retrieval, rung, common)]
}

/** More of them are listed where there are few words: from 2,000 rows a word to 8,000. */
function listedOfWord(words: number, { listedRows }: RetrievalLimits): number {
  return Math.min(listedRows, Math.max(listedRows / 4, Math.floor((listedRows * 3) / words)))
}

const maxTogether = 2000
/** Leaving each word out in turn takes as many walks as there are words. */
const maxLeftOut = 5

function cluesOfCommon({ db }: Retrieval, rung: Rung, common: readonly Phrase[]): Clue[] {
  if (common.length < 2) return []
  const together = (phrases: readonly Phrase[]): Clue => ({
    ids: listRows(
      db,
      scopedExpression(phrases.map(phraseExpression).join(' AND '), rung.columns),
      maxTogether,
    ),
    titled: [],
    weight: weightOfCommon * phrases.length,
  })
  const all = together(common)
  if (all.ids.length > 0 || common.length < 3 || common.length > maxLeftOut) return [all]
  return common.map((left) => together(common.filter((phrase) => phrase !== left)))
}

function expressionOf(rung: Rung, phrase: Phrase): string {
  return scopedExpression(phraseExpression(phrase), rung.columns)
}
