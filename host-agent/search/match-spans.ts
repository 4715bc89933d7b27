/** Where in a message's text a query's words stand: the same words that FTS5 matched, found again by the same tokenizer. */
import { humpsOf, type Token } from '../index/tokens.ts'
import type { Phrase } from './plan.ts'

/** Tokens `first` to `last` match phrase number `phrase`. */
export interface MatchSpan {
  readonly first: number
  readonly last: number
  readonly phrase: number
}

/** @returns all places of all phrases, by their first token; a camel-case word is found by its parts where nothing else is. */
export function findSpans(text: string, tokens: readonly Token[], phrases: readonly Phrase[]): MatchSpan[] {
  const spans = phrases.flatMap((phrase, number) => wordSpans(tokens, phrase, number))
  const found = spans.length > 0 ? spans : identifierSpans(text, tokens, phrases)
  return found.sort((a, b) => a.first - b.first || b.last - a.last)
}

function wordSpans(tokens: readonly Token[], phrase: Phrase, number: number): MatchSpan[] {
  const spans: MatchSpan[] = []
  for (let first = 0; first + phrase.length <= tokens.length; first++) {
    if (phrase.every((word, at) => tokens[first + at]?.term === word)) {
      spans.push({ first, last: first + phrase.length - 1, phrase: number })
    }
  }
  return spans
}

/** The whole identifier is the match: `parseHTTPResponse` for `http`. */
function identifierSpans(text: string, tokens: readonly Token[], phrases: readonly Phrase[]): MatchSpan[] {
  const spans: MatchSpan[] = []
  for (const [index, token] of tokens.entries()) {
    const humps = humpsOf(text.slice(token.start, token.end))
    if (humps.length < 2) continue
    const parts = new Set(humps)
    const phrase = phrases.findIndex((words) => words.every((word) => parts.has(word)))
    if (phrase >= 0) spans.push({ first: index, last: index, phrase })
  }
  return spans
}
