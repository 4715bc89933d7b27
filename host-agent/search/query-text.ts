/** A query's text, read: its operators, its words and what kind of words they are. No query is an error. */
import {
  type OperatorPart,
  readQuerySyntax,
  type TextPart,
  type TextReason,
} from '../../protocol/session-search/query-syntax.ts'
import { maxQueryUnits } from '../../protocol/session-search/request.ts'
import { isStopWord } from '../../protocol/session-search/stop-words.ts'
import { composedText, tokenize } from '../index/tokens.ts'
import { hasLiteralShape } from './literal-shape.ts'
import { gatherOperators, type QueryOperators, type ReadOperator, readOperator } from './query-operators.ts'

/** Index terms kept of one query; more are cut and told. */
export const maxQueryTerms = 48
const minLiteralSpanUnits = 3
/** Words that begin with one letter are a tenth of the index, and FTS5 collects them all before it shows the first. */
const minPrefixUnits = 2

/** What stands together in a query: `reconnect`, `src/app.ts`, `"quoted words"`. */
export interface QueryTerm {
  /** Its index terms in order; more than one is looked for as a phrase. Never empty. */
  readonly words: readonly string[]
  /** As written, without quotes, minus and star. */
  readonly raw: string
  readonly quoted: boolean
  /** The last of its words may go on: `recon*`. */
  readonly prefix: boolean
  /** Too common to be looked for by itself. */
  readonly common: boolean
}

export interface QueryText {
  readonly operators: QueryOperators
  readonly terms: readonly QueryTerm[]
  /** Sessions that hold one of these in any message are left out. */
  readonly without: readonly QueryTerm[]
  /** The query names something exactly: its words in their order are tried first. */
  readonly literal: boolean
  /** Something of the query was left out (`truncated.query`). */
  readonly truncated: boolean
  /** What the query was made of, for `debug`. */
  readonly read: { readonly operators: readonly ReadOperator[]; readonly asText: readonly TakenAsText[] }
}

/** What looks like syntax and was read as words, or not at all. */
export interface TakenAsText {
  readonly text: string
  readonly because: TextReason | 'bad-value' | 'unfinished' | 'no-words' | 'short-prefix'
}

/** Reads a query: cut at 512 units without splitting a surrogate pair, operators apart [request.query]. */
export function readQuery(query: string): QueryText {
  const text = cutQuery(query)
  const operators: ReadOperator[] = []
  const asText: TakenAsText[] = []
  const terms: QueryTerm[] = []
  const without: QueryTerm[] = []
  let literal = false
  let room = maxQueryTerms
  let truncated = text.length < query.length
  for (const part of readQuerySyntax(text)) {
    const written = text.slice(part.start, part.end)
    if (part.kind === 'unfinished') {
      asText.push({ text: written, because: 'unfinished' })
      continue
    }
    const operator = part.kind === 'operator' ? readOperator(part) : null
    if (operator !== null) {
      operators.push(operator)
      continue
    }
    const span = part.kind === 'operator' ? textOfOperator(part) : part
    const term = termOf(span)
    const because = part.kind === 'operator' ? 'bad-value' : (part.because ?? shortPrefix(part, term))
    if (because !== undefined) asText.push({ text: written, because })
    if (term === null) {
      if (because === undefined) asText.push({ text: written, because: 'no-words' })
      continue
    }
    if (term.words.length > room) truncated = true
    const kept = term.words.slice(0, room)
    room -= kept.length
    if (kept.length === 0) continue
    const fitting = kept.length === term.words.length ? term : { ...term, words: kept, prefix: false }
    if (span.negative) {
      without.push(fitting)
      continue
    }
    terms.push(fitting)
    literal ||= term.quoted ? term.raw.trim().length >= minLiteralSpanUnits : hasLiteralShape(term.raw)
  }
  const gathered = gatherOperators(operators)
  return { operators: gathered, terms, without, literal, truncated, read: { operators, asText } }
}

/** Whether the query narrows the sessions by anything but words it looks for: it then needs none. */
export function narrowsSessions({ operators, without }: QueryText): boolean {
  return (
    without.length > 0 || Object.values(operators).some(({ any, none }) => any.length > 0 || none.length > 0)
  )
}

/** The words of a term as FTS5 and the snippet look for them; a word that may go on ends in a star. */
export function phraseOf({ words, prefix }: Pick<QueryTerm, 'words' | 'prefix'>): readonly string[] {
  return prefix ? words.map((word, at) => (at === words.length - 1 ? `${word}*` : word)) : words
}

function termOf({ text, quoted, prefix }: TextPart): QueryTerm | null {
  const composed = composedText(text)
  const tokens = tokenize(composed)
  const last = tokens.at(-1)
  if (last === undefined) return null
  return {
    words: tokens.map((token) => token.term),
    raw: text,
    quoted,
    // A star after a full stop or a slash makes no word longer.
    prefix: prefix && last.end === composed.length && last.term.length >= minPrefixUnits,
    common: !quoted && !prefix && isStopWord(text),
  }
}

function shortPrefix(part: TextPart, term: QueryTerm | null): 'short-prefix' | undefined {
  return part.prefix && term !== null && !term.prefix ? 'short-prefix' : undefined
}

/** `before:soon` is the words `before` and `soon`; a minus before it still leaves them out. */
function textOfOperator({ name, value, negative, start, end }: OperatorPart): TextPart {
  return { kind: 'text', text: `${name}:${value}`, quoted: false, negative, prefix: false, start, end }
}

function cutQuery(query: string): string {
  if (query.length <= maxQueryUnits) return query
  const splitsPair =
    /[\ud800-\udbff]/.test(query.charAt(maxQueryUnits - 1)) &&
    /[\udc00-\udfff]/.test(query.charAt(maxQueryUnits))
  return query.slice(0, splitsPair ? maxQueryUnits - 1 : maxQueryUnits)
}
