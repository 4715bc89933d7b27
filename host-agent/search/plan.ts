/**
 * The ladder of a query: what is looked for first, and what next when nothing is found.
 * phrase (all words in their order, for literal queries) → and (all in one message) → and over the session (all
 * somewhere in it) → or. Every expression is made of quoted index terms, so that no query is an FTS5 error.
 */
import { hasUnspacedRun, humpsOf, tokenize } from '../index/tokens.ts'
import type { QueryTerm, QueryText } from './query-text.ts'
import { isStopWord } from './stop-words.ts'

export type SearchScope = 'conversation' | 'all'
export type RungRoute = 'phrase' | 'and' | 'or'
/** `session`: the `and` whose words may stand in different messages of one session. */
export type RungName = RungRoute | 'session'

/** Words in their order. */
export type Phrase = readonly string[]

export interface Rung {
  readonly name: RungName
  readonly route: RungRoute
  /** FTS5 expression, its columns fixed to the scope. */
  readonly match: string
  /** Only for `session`: each must match some row of the session. */
  readonly everyTerm: readonly string[]
  /** What is marked in a snippet. */
  readonly highlights: readonly Phrase[]
}

const maxPiecesPerTerm = 12
const maxOrPhrases = 64

/** @returns the rungs to climb, in order, none twice; empty when the query has no words. */
export function planRungs(query: QueryText, scope: SearchScope): Rung[] {
  const { terms } = query
  if (terms.length === 0) return []
  const needed = terms.some((term) => !term.common) ? terms.filter((term) => !term.common) : terms
  const inScope = (expression: string) => scopedExpression(expression, scope)

  const wholePhrase = terms.flatMap((term) => term.words)
  const spellings = needed.map(spellingsOf)
  const any = orPhrases(needed)
  const phrase = inScope(phraseExpression(wholePhrase))
  const each = spellings.map(anyOf)
  const every = inScope(allOf(each))
  const or = inScope(anyOf(any))

  const rungs: Rung[] = []
  if (query.literal) {
    rungs.push({ name: 'phrase', route: 'phrase', match: phrase, everyTerm: [], highlights: [wholePhrase] })
  }
  const spelt = distinct(spellings.flat())
  rungs.push({ name: 'and', route: 'and', match: every, everyTerm: [], highlights: spelt })
  if (each.length > 1) {
    const everyTerm = each.map(inScope)
    rungs.push({ name: 'session', route: 'and', match: inScope(anyOf(spelt)), everyTerm, highlights: spelt })
  }
  rungs.push({ name: 'or', route: 'or', match: or, everyTerm: [], highlights: any })
  return rungs.filter((rung, at) => !rungs.slice(0, at).some((earlier) => findsTheSame(earlier, rung)))
}

function findsTheSame(a: Rung, b: Rung): boolean {
  return a.match === b.match && a.everyTerm.length === b.everyTerm.length
}

/** The same query with some of its words spelt otherwise; the verdict on its kind is kept. */
export function respell(query: QueryText, repairs: ReadonlyMap<string, string>): QueryText {
  if (repairs.size === 0) return query
  const terms = query.terms.map((term) => {
    if (term.quoted || !term.words.some((word) => repairs.has(word))) return term
    const words = term.words.map((word) => repairs.get(word) ?? word)
    return { ...term, words, raw: words.join(' ') }
  })
  return { ...query, terms }
}

/** The column filter binds the whole expression, not its first word. */
export function scopedExpression(expression: string, scope: SearchScope): string {
  return scope === 'all' ? expression : `{user_text assistant_text} : (${expression})`
}

export function phraseExpression(phrase: Phrase): string {
  return `"${phrase.join(' ')}"`
}

/** A term as it is, and a camel-case word also as its parts: `getUser` finds `get_user` and the head of `getUserName`. */
function spellingsOf(term: QueryTerm): Phrase[] {
  const humps = term.quoted ? [] : camelParts(term.raw)
  return humps.length > 1 ? distinct([term.words, humps]) : [term.words]
}

function camelParts(raw: string): string[] {
  return humpsOf(raw).flatMap((hump) => tokenize(hump).map((token) => token.term))
}

/** The terms, then what they are made of. A quoted span stays whole: whoever quotes wants no part of it. */
function orPhrases(terms: readonly QueryTerm[]): Phrase[] {
  const phrases: Phrase[] = terms.map((term) => term.words)
  for (const term of terms) {
    if (!term.quoted) phrases.push(...piecesOf(term).slice(0, maxPiecesPerTerm))
  }
  return distinct(phrases).slice(0, maxOrPhrases)
}

function piecesOf(term: QueryTerm): Phrase[] {
  if (hasUnspacedRun(term.raw)) return pairs(term.words)
  const pieces = [...term.words, ...camelParts(term.raw)].filter(
    (piece) => piece.length > 1 && !isStopWord(piece),
  )
  return pieces.length > 1 ? pieces.map((piece) => [piece]) : []
}

/** In scripts without spaces two neighbours are the least that means something. */
function pairs(words: readonly string[]): Phrase[] {
  return words.slice(1).map((word, at) => [words[at] ?? '', word])
}

function allOf(expressions: readonly string[]): string {
  return expressions
    .map((expression) => (expression.includes(' OR ') ? `(${expression})` : expression))
    .join(' AND ')
}

function anyOf(phrases: readonly Phrase[]): string {
  return phrases.map(phraseExpression).join(' OR ')
}

function distinct(phrases: readonly Phrase[]): Phrase[] {
  return [...new Map(phrases.map((phrase) => [phrase.join(' '), phrase])).values()]
}
