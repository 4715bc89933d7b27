/** A query made ready to be found in texts: its words in their order, and how much each of them says. */
import { composedText, humpsOf, tokenize } from '../index/tokens.ts'
import { phraseExpression, type Rung, scopedExpression } from './plan.ts'
import type { QueryTerm, QueryText } from './query-text.ts'
import { listRows, type Retrieval } from './retrieve.ts'

/** One word that is looked for. */
export interface Needle {
  /** Folded, as it is looked for in a folded text. */
  readonly word: string
  /** It may go on. */
  readonly prefix: boolean
  /** What a camel-case word is made of; empty for any other. */
  readonly humps: readonly string[]
  /** How much finding it says: from 1 for a word that is everywhere to 10 for one that stands once. */
  readonly weight: number
}

export interface Needles {
  /** In the query's order; a word that stands twice in it, twice. */
  readonly words: readonly Needle[]
  /** What stands together in the query and is more than a word, folded: `src/app.ts`, `foo_bar`, a quoted span. */
  readonly wholes: readonly { readonly text: string; readonly weight: number }[]
  /** The query's whole text, folded, where it is more than one word. */
  readonly all: string | null
}

/**
 * Rows beyond which a word is common and no longer counted: fewer where every row holds all the words, and a word's
 * weight tells no row from another.
 */
const countedRows = { anyWord: 4000, allWords: 500 } as const
/** FTS5 gathers all words that begin so before it counts the first row: too dear for what it says. */
const weightOfPrefix = 3

/** The query's common words say where a phrase is, but are not looked for, unless there are no others. */
export function needlesOf(retrieval: Retrieval, query: QueryText, rung: Rung): Needles {
  const needed = query.terms.some((term) => !term.common)
    ? query.terms.filter((term) => !term.common)
    : query.terms
  // Of one word, or one phrase, every row that is found holds all.
  const isOnlyTerm = needed.length === 1 && rung.name !== 'or'
  const weights = new Map<string, number>()
  const weigh = (word: string, prefix: boolean) => {
    const key = prefix ? `${word}*` : word
    const known = weights.get(key)
    if (known !== undefined) return known
    const weight = isOnlyTerm ? 1 : prefix ? weightOfPrefix : weightOf(retrieval, word, rung)
    weights.set(key, weight)
    return weight
  }
  const words = needed.flatMap((term) => needlesOfTerm(term, weigh))
  const wholes = needed
    .filter((term) => term.words.length > 1)
    .map((term) => ({
      text: folded(term.raw.trim()),
      weight: term.words.reduce((sum, word) => sum + weigh(word, false), 0),
    }))
  const all = query.terms.length > 1 ? folded(query.terms.map((term) => term.raw.trim()).join(' ')) : null
  return { words, wholes, all }
}

function needlesOfTerm(term: QueryTerm, weigh: (word: string, prefix: boolean) => number): Needle[] {
  const text = composedText(term.raw)
  const tokens = tokenize(text).slice(0, term.words.length)
  return tokens.map((token, at) => {
    const written = text.slice(token.start, token.end)
    const parts = humpsOf(written)
    const prefix = term.prefix && at === term.words.length - 1
    return {
      word: folded(written),
      prefix,
      humps: parts.length > 1 ? parts : [],
      weight: weigh(token.term, prefix),
    }
  })
}

/** Counted no further than is needed to tell a rare word from a common one: a count is paid for by the row. */
function weightOf({ db }: Retrieval, word: string, rung: Rung): number {
  const most = rung.name === 'or' || rung.name === 'session' ? countedRows.anyWord : countedRows.allWords
  const rows = listRows(db, scopedExpression(phraseExpression([word]), rung.columns), most).length
  return Math.log1p((countedRows.anyWord * 1.72) / Math.max(1, rows))
}

/** Lower case without the signs on letters that the index folds too; length and places may move. */
export function folded(text: string): string {
  const plain = isFoldable(text)
    ? text.replace(foldableRun, (run) => run.normalize('NFD').replace(/\p{M}+/gu, ''))
    : text
  return plain.toLowerCase()
}

export function isFoldable(text: string): boolean {
  return foldable.test(text)
}

/** Latin, Greek and Cyrillic letters with signs, and the signs themselves. */
const foldable = /[\u00c0-\u052f\u1e00-\u1fff]/
const foldableRun = /[\u00c0-\u052f\u1e00-\u1fff]+/g
