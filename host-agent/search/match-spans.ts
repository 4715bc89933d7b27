/** Where in a message's text a query's words stand: the same words that FTS5 matched, found again by the same tokenizer. */
import { humpsOf, type Token } from '../index/tokens.ts'
import { matchesTerm, type Phrase } from './plan.ts'

/** Tokens `first` to `last` match phrase number `phrase`. */
export interface MatchSpan {
  readonly first: number
  readonly last: number
  readonly phrase: number
}

/** @returns all places of all phrases, by their first token; a camel-case word is found by its parts where nothing else is. */
export function findSpans(text: string, tokens: readonly Token[], phrases: readonly Phrase[]): MatchSpan[] {
  const spans = findWords(tokens, phrases)
  const found = spans.length > 0 ? spans : identifierSpans(text, tokens, phrases)
  return found.sort((a, b) => a.first - b.first || b.last - a.last)
}

/** Without the parts of camel-case words. By their first words: of the tokens of a message only few begin a phrase, and of the phrases few begin with a token. */
export function findWords(tokens: readonly Token[], phrases: readonly Phrase[]): MatchSpan[] {
  const byFirstWord = new Map<string, number[]>()
  const goingOn: number[] = []
  for (const [number, [word = '']] of phrases.entries()) {
    if (word.endsWith('*')) goingOn.push(number)
    else byFirstWord.set(word, [...(byFirstWord.get(word) ?? []), number])
  }
  const spans: MatchSpan[] = []
  for (const [first, { term }] of tokens.entries()) {
    const starting = byFirstWord.get(term)
    if (starting === undefined && goingOn.length === 0) continue
    for (const number of [...(starting ?? []), ...goingOn]) {
      const phrase = phrases[number] ?? []
      if (phrase.every((word, at) => matchesTerm(word, tokens[first + at]?.term ?? '')))
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
    const phrase = phrases.findIndex((words) =>
      words.every((word) => humps.some((hump) => matchesTerm(word, hump))),
    )
    if (phrase >= 0) spans.push({ first: index, last: index, phrase })
  }
  return spans
}
