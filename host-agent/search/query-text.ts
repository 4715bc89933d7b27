/** A query's text, read: its operators, its words and what kind of words they are. No query is an error. */
import { maxQueryUnits } from '../../protocol/session-search/request.ts'
import { composedText, tokenize } from '../index/tokens.ts'
import { hasLiteralShape } from './literal-shape.ts'
import { isStopWord } from './stop-words.ts'

/** Index terms kept of one query; more are cut and told. */
export const maxQueryTerms = 48
const minLiteralSpanUnits = 3

/** What stands together in a query: `reconnect`, `src/app.ts`, `"quoted words"`. */
export interface QueryTerm {
  /** Its index terms in order; more than one is looked for as a phrase. Never empty. */
  readonly words: readonly string[]
  /** As written, without quotes. */
  readonly raw: string
  readonly quoted: boolean
  /** Too common to be looked for by itself. */
  readonly common: boolean
}

export interface QueryOperators {
  /** Each must stand in the last two parts of the session's folder. */
  readonly repo: readonly string[]
  /** Each must stand in the session's folder or its transcript's path. */
  readonly path: readonly string[]
}

export interface QueryText {
  readonly operators: QueryOperators
  readonly terms: readonly QueryTerm[]
  /** The query names something exactly: its words in their order are tried first. */
  readonly literal: boolean
  /** Something of the query was left out (`truncated.query`). */
  readonly truncated: boolean
}

/** A quoted span, an operator at the start of a word, or a word; in this order. */
const queryPart = /"([^"]*)"|(?<!\S)(repo|path):(?:"([^"]*)"|'([^']*)'|(\S*))|[^\s"]+/giu

/** Reads a query: cut at 512 units without splitting a surrogate pair, operators apart [request.query]. */
export function readQuery(query: string): QueryText {
  const text = cutQuery(query)
  const repo: string[] = []
  const path: string[] = []
  const terms: QueryTerm[] = []
  let literal = false
  let room = maxQueryTerms
  let truncated = text.length < query.length
  for (const part of text.matchAll(queryPart)) {
    const [whole, quotedSpan, operator, ...values] = part
    if (operator !== undefined) {
      const value = values.find((candidate) => candidate !== undefined)?.trim() ?? ''
      if (value !== '') (operator.toLowerCase() === 'repo' ? repo : path).push(value)
      continue
    }
    const raw = quotedSpan ?? whole
    const words = tokenize(composedText(raw)).map((token) => token.term)
    if (words.length === 0) continue
    if (words.length > room) truncated = true
    const kept = words.slice(0, room)
    room -= kept.length
    if (kept.length === 0) break
    const quoted = quotedSpan !== undefined
    terms.push({ words: kept, raw, quoted, common: !quoted && isStopWord(raw) })
    literal ||= quoted ? raw.trim().length >= minLiteralSpanUnits : hasLiteralShape(raw)
  }
  return { operators: { repo, path }, terms, literal, truncated }
}

export function hasOperators(operators: QueryOperators): boolean {
  return operators.repo.length + operators.path.length > 0
}

function cutQuery(query: string): string {
  if (query.length <= maxQueryUnits) return query
  const splitsPair =
    /[\ud800-\udbff]/.test(query.charAt(maxQueryUnits - 1)) &&
    /[\udc00-\udfff]/.test(query.charAt(maxQueryUnits))
  return query.slice(0, splitsPair ? maxQueryUnits - 1 : maxQueryUnits)
}
