/**
 * The piece of a message that shows why it was found: about sixteen words around the best place, matches between
 * `[[` and `]]`, `…` where text was left out [evidence.marks].
 */
import { composedText, type Token, tokenize } from '../index/tokens.ts'
import { findSpans, type MatchSpan } from './match-spans.ts'
import type { Phrase } from './plan.ts'

/** Code points of a snippet, its marks not counted. */
export const maxSnippetCodePoints = 512
const windowTokens = 16
/** Words shown before the first match, where there are any. */
const leadTokens = 4
/** What is kept in front of the first match when words are long, in UTF-16 units. */
const maxLeadUnits = 80
/** How far a cut is moved outward to the next white space, so that no word or sign is cut open. */
const maxEdgeUnits = 24

/** Between two brackets of the transcript, so that they are no mark: takes no space and forbids a line break. */
const wordJoiner = '\u2060'
const ellipsis = '…'

export interface Snippet {
  /** Empty when nothing of the query stands in the text. */
  readonly text: string
  /** It was longer than a snippet may be. */
  readonly cut: boolean
}

/** Grapheme clusters: stateless, and dear to make. */
const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** In UTF-16 units of the text. */
interface Place {
  readonly start: number
  readonly end: number
}

/** A run of the snippet, marked or not. */
interface Piece {
  readonly text: string
  readonly marked: boolean
}

export function cutSnippet(messageText: string, phrases: readonly Phrase[]): Snippet {
  const text = composedText(messageText).toWellFormed()
  const tokens = tokenize(text)
  const spans = findSpans(text, tokens, phrases)
  const window = bestWindow(text, tokens, spans)
  if (window === null) return { text: '', cut: false }
  const { pieces, cut } = withinBudget(piecesOf(text, matchedPlaces(text, tokens, spans, window), window))
  const head = text.slice(0, window.start).trim() === '' ? '' : ellipsis
  const tail = cut || text.slice(window.end).trim() !== '' ? ellipsis : ''
  return { text: head + withMarks(pieces) + tail, cut }
}

/**
 * The sixteen words with the most different phrases in them, then the longest match, then the most that stand side by
 * side, then the most, then the first.
 */
function bestWindow(text: string, tokens: readonly Token[], spans: readonly MatchSpan[]): Place | null {
  let best: { at: MatchSpan; value: number } | null = null
  for (const [index, at] of spans.entries()) {
    const distinct = new Set<number>()
    let inside = 0
    let longest = 0
    let sideBySide = 0
    let end = -2
    for (const span of spans.slice(index, index + windowTokens * 4)) {
      if (span.last >= at.first + windowTokens - leadTokens && span !== at) continue
      distinct.add(span.phrase)
      inside++
      longest = Math.max(longest, span.last - span.first)
      if (span.first === end + 1) sideBySide++
      end = span.last
    }
    const value =
      distinct.size * 1_000_000 +
      Math.min(longest, 48) * 10_000 +
      Math.min(sideBySide, 99) * 100 +
      Math.min(inside, 99)
    if (best === null || value > best.value) best = { at, value }
  }
  if (best === null) return null
  const lastToken = tokens.length - 1
  const { first, last } = best.at
  const lead = Math.max(0, first - leadTokens)
  const to = Math.min(lastToken, Math.max(last, lead + windowTokens - 1))
  const from = Math.max(0, Math.min(lead, to - windowTokens + 1))
  const matchStart = tokens[first]?.start ?? 0
  const start = from === 0 ? 0 : outward(text, tokens[from]?.start ?? 0, -1)
  const end = to === lastToken ? text.length : outward(text, tokens[to]?.end ?? text.length, 1)
  return {
    start: characterStart(text, matchStart - start > maxLeadUnits ? leadStart(text, tokens, first) : start),
    end: characterEnd(text, end),
  }
}

/** The first word that still is near enough to the match. */
function leadStart(text: string, tokens: readonly Token[], first: number): number {
  const matchStart = tokens[first]?.start ?? 0
  const near = tokens.slice(Math.max(0, first - leadTokens), first + 1)
  const from = near.find((token) => matchStart - token.start <= maxLeadUnits)?.start ?? matchStart
  const start = outward(text, from, -1)
  return matchStart - start > maxLeadUnits ? from : start
}

/** Moves a cut to the next white space, where one is near; never back over another word. */
function outward(text: string, at: number, step: 1 | -1): number {
  for (let moved = 0, place = at; moved <= maxEdgeUnits; moved++, place += step) {
    const next = step === 1 ? text[place] : text[place - 1]
    if (next === undefined || isBlank(next)) return place
  }
  return at
}

function isBlank(character: string): boolean {
  return /[\s\p{Cc}]/u.test(character)
}

function piecesOf(text: string, places: readonly Place[], window: Place): Piece[] {
  const pieces: Piece[] = []
  let at = window.start
  for (const { start, end } of places) {
    pieces.push(
      { text: text.slice(at, start), marked: false },
      { text: text.slice(start, end), marked: true },
    )
    at = end
  }
  pieces.push({ text: text.slice(at, window.end), marked: false })
  return tidied(pieces)
}

/** The window's matches as places in the text, whole characters each; those with nothing but white space between are one. */
function matchedPlaces(
  text: string,
  tokens: readonly Token[],
  spans: readonly MatchSpan[],
  window: Place,
): Place[] {
  const places: { start: number; end: number }[] = []
  for (const span of spans) {
    const from = tokens[span.first]?.start ?? 0
    const to = tokens[span.last]?.end ?? 0
    if (from < window.start || to > window.end) continue
    const [start, end] = [characterStart(text, from), characterEnd(text, to)]
    const previous = places.at(-1)
    if (previous !== undefined && text.slice(previous.end, start).trim() === '')
      previous.end = Math.max(previous.end, end)
    else places.push({ start, end })
  }
  return places
}

/** The start of the character, as a person sees one, that holds the unit at `at`. */
function characterStart(text: string, at: number): number {
  if (isPlainBoundary(text, at)) return at
  return characters.segment(text).containing(at)?.index ?? at
}

function characterEnd(text: string, at: number): number {
  if (isPlainBoundary(text, at)) return at
  const character = characters.segment(text).containing(at)
  return character === undefined || character.index === at ? at : character.index + character.segment.length
}

/** Nothing below U+0300 joins what stands before it, but a line feed its carriage return. Most places are such. */
function isPlainBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return before < 0x300 && after < 0x300 && !(before === 0x0d && after === 0x0a)
}

/** Runs of white space and control characters become one space; none at the ends. */
function tidied(pieces: readonly Piece[]): Piece[] {
  const collapsed = pieces.map((piece) => ({ ...piece, text: piece.text.replace(/[\s\p{Cc}]+/gu, ' ') }))
  const [first, last] = [collapsed[0], collapsed.at(-1)]
  return collapsed
    .map((piece) => (piece === first ? { ...piece, text: piece.text.trimStart() } : piece))
    .map((piece, at) => (collapsed[at] === last ? { ...piece, text: piece.text.trimEnd() } : piece))
    .filter((piece) => piece.text !== '')
}

/** Cuts at the limit between two characters as a person sees them; room is kept for an ellipsis at either end. */
function withinBudget(pieces: readonly Piece[]): { pieces: Piece[]; cut: boolean } {
  let room = maxSnippetCodePoints - 2
  const kept: Piece[] = []
  for (const piece of separateBrackets(pieces)) {
    const length = [...piece.text].length
    if (length <= room) {
      kept.push(piece)
      room -= length
      continue
    }
    const head = firstGraphemes(piece.text, room)
    if (head !== '') kept.push({ ...piece, text: head })
    return { pieces: kept, cut: true }
  }
  return { pieces: kept, cut: false }
}

function firstGraphemes(text: string, room: number): string {
  let head = ''
  let used = 0
  for (const { segment } of characters.segment(text)) {
    used += [...segment].length
    if (used > room) break
    head += segment
  }
  return head
}

/** Doubled brackets of the transcript are set apart, and a bracket that would touch a mark of its own kind. */
function separateBrackets(pieces: readonly Piece[]): Piece[] {
  return pieces.map((piece, at) => {
    let text = piece.text.replace(/([[\]])(?=\1)/g, `$1${wordJoiner}`)
    const next = pieces[at + 1]
    const previous = pieces[at - 1]
    if (!piece.marked && next?.marked && text.endsWith('[')) text += wordJoiner
    if (!piece.marked && previous?.marked && text.startsWith(']')) text = wordJoiner + text
    return { ...piece, text }
  })
}

function withMarks(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (piece.marked ? `[[${piece.text}]]` : piece.text)).join('')
}
