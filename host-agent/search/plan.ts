/**
 * The ladder of a query: what is looked for first, and what next when nothing is found.
 * phrase (all words in their order, for literal queries) → and (all in one message) → and over the session (all
 * somewhere in it) → or. Every expression is made of quoted index terms, so that no query is an FTS5 error.
 */

import { isStopWord } from '../../protocol/session-search/stop-words.ts'
import { hasUnspacedRun, humpsOf, tokenize } from '../index/tokens.ts'
import { searchedRoles } from './query-operators.ts'
import { phraseOf, type QueryTerm, type QueryText } from './query-text.ts'

export type SearchScope = 'conversation' | 'all'
export type RungRoute = 'phrase' | 'and' | 'or'
/** `session`: the `and` whose words may stand in different messages of one session. */
export type RungName = RungRoute | 'session'

/** Words in their order. A star ends a last word that may go on: `recon*`; no index term holds one itself. */
export type Phrase = readonly string[]

/** The columns of `messages_fts` that are searched; null for all of them. */
export type SearchedColumns = readonly string[] | null

export interface Rung {
  readonly name: RungName
  readonly route: RungRoute
  /** FTS5 expression, its columns fixed to the scope and the query's `role:`. */
  readonly match: string
  /** The columns that `match` and `everyTerm` are fixed to. */
  readonly columns: SearchedColumns
  /** Only for `session`: each must match some row of the session. */
  readonly everyTerm: readonly string[]
  /** What is marked in a snippet. */
  readonly highlights: readonly Phrase[]
  /** Where one word may go on and others stand beside it: both apart, for rows-going-on.ts. */
  readonly goingOn?: { readonly rest: string; readonly word: string }
}

const maxPiecesPerTerm = 12
const maxOrPhrases = 64

/**
 * @param unknown words of the query that are known to stand nowhere: what needs one of them is not looked for again.
 * @returns the rungs to climb, in order, none twice; empty when the query has no words, or no role is left to look in.
 */
export function planRungs(
  query: QueryText,
  scope: SearchScope,
  unknown: ReadonlySet<string> = new Set(),
): Rung[] {
  const { terms } = query
  const columns = searchedColumns(query, scope)
  if (terms.length === 0 || columns?.length === 0) return []
  const needed = terms.some((term) => !term.common) ? terms.filter((term) => !term.common) : terms
  const inScope = (expression: string) => scopedExpression(expression, columns)

  const wholePhrase = terms.flatMap(phraseOf)
  const mayStand = (words: Phrase) => !words.some((word) => unknown.has(word))
  const spellings = needed.map((term) => spellingsOf(term).filter(mayStand))
  const any = orPhrases(needed).filter(mayStand)
  if (any.length === 0) return []
  const rungs: Rung[] = []
  // FTS5 lets only the last word of a phrase go on.
  if (query.literal && mayStand(wholePhrase) && !wholePhrase.slice(0, -1).some(goesOn)) {
    const match = inScope(phraseExpression(wholePhrase))
    rungs.push({ name: 'phrase', route: 'phrase', match, columns, everyTerm: [], highlights: [wholePhrase] })
  }
  if (spellings.every((spelt) => spelt.length > 0)) {
    const each = spellings.map(anyOf)
    const spelt = distinct(spellings.flat())
    const match = inScope(allOf(each))
    const apart = goingOnApart(spellings, inScope)
    rungs.push({ name: 'and', route: 'and', match, columns, everyTerm: [], highlights: spelt, ...apart })
    if (each.length > 1) {
      const everyTerm = each.map(inScope)
      const some = inScope(anyOf(spelt))
      rungs.push({ name: 'session', route: 'and', match: some, columns, everyTerm, highlights: spelt })
    }
  }
  const or = inScope(anyOf(any))
  rungs.push({ name: 'or', route: 'or', match: or, columns, everyTerm: [], highlights: any })
  return rungs.filter((rung, at) => !rungs.slice(0, at).some((earlier) => findsTheSame(earlier, rung)))
}

/** Only where there is one such word, and it is nothing but a word. */
function goingOnApart(
  spellings: readonly (readonly Phrase[])[],
  inScope: (expression: string) => string,
): Pick<Rung, 'goingOn'> {
  const open = spellings.filter((spelt) => spelt.some(phraseGoesOn))
  const rest = spellings.filter((spelt) => !spelt.some(phraseGoesOn))
  const [[word, ...more] = [], ...others] = open[0] ?? []
  if (open.length !== 1 || word === undefined || more.length + others.length > 0 || rest.length === 0)
    return {}
  return { goingOn: { rest: inScope(allOf(rest.map(anyOf))), word } }
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

const columnOfRole = { user: 'user_text', assistant: 'assistant_text', tool: 'tool_text' } as const

/** Conversation is what was said. The parts of identifiers stand in a column without a role, so a narrowed search has none. */
export function searchedColumns({ operators }: QueryText, scope: SearchScope): SearchedColumns {
  const roles = searchedRoles(operators)
  if (roles === null && scope === 'all') return null
  const said = (roles ?? (['user', 'assistant'] as const)).filter(
    (role) => scope === 'all' || role !== 'tool',
  )
  return said.map((role) => columnOfRole[role])
}

/** The column filter binds the whole expression, not its first word. */
export function scopedExpression(expression: string, columns: SearchedColumns): string {
  return columns === null ? expression : `{${columns.join(' ')}} : (${expression})`
}

export function phraseExpression(phrase: Phrase): string {
  const last = phrase.at(-1) ?? ''
  return goesOn(last)
    ? `"${[...phrase.slice(0, -1), last.slice(0, -1)].join(' ')}" *`
    : `"${phrase.join(' ')}"`
}

/** Whether a word of a phrase is one of the index: the same, or one that begins with it. */
export function matchesTerm(word: string, term: string): boolean {
  return goesOn(word) ? term.startsWith(word.slice(0, -1)) : word === term
}

export function phraseGoesOn(phrase: Phrase): boolean {
  return goesOn(phrase.at(-1) ?? '')
}

function goesOn(word: string): boolean {
  return word.endsWith('*')
}

/** A term as it is, and a camel-case word also as its parts: `getUser` finds `get_user` and the head of `getUserName`. */
function spellingsOf(term: QueryTerm): Phrase[] {
  const humps = term.quoted ? [] : camelParts(term.raw)
  const whole = phraseOf(term)
  return humps.length > 1 ? distinct([whole, phraseOf({ words: humps, prefix: term.prefix })]) : [whole]
}

function camelParts(raw: string): string[] {
  return humpsOf(raw).flatMap((hump) => tokenize(hump).map((token) => token.term))
}

/** The terms, then what they are made of. A quoted span stays whole: whoever quotes wants no part of it. */
function orPhrases(terms: readonly QueryTerm[]): Phrase[] {
  const phrases: Phrase[] = terms.map(phraseOf)
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

export function anyOf(phrases: readonly Phrase[]): string {
  return phrases.map(phraseExpression).join(' OR ')
}

function distinct(phrases: readonly Phrase[]): Phrase[] {
  return [...new Map(phrases.map((phrase) => [phrase.join(' '), phrase])).values()]
}
