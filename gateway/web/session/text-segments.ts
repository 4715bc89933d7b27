/** A text cut where a match or a token of code begins or ends. */
import type { NumberedRange } from './message-text.ts'

export interface CodeToken {
  readonly text: string
  /** Of what kind, as the highlighter names it; null for plain text. */
  readonly kind: string | null
}

export interface TextSegment {
  readonly text: string
  /** Which match it is a part of. */
  readonly match: number | null
  readonly kind: string | null
}

/** @param tokens which make up `text`; none for text that is no code. */
export function segmentsOf(
  text: string,
  ranges: readonly NumberedRange[],
  tokens: readonly CodeToken[] = [{ text, kind: null }],
): TextSegment[] {
  const segments: TextSegment[] = []
  let at = 0
  let next = 0
  for (const { text: tokenText, kind } of tokens) {
    const tokenEnd = at + tokenText.length
    while (at < tokenEnd) {
      while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next++
      const range = ranges[next]
      const isInside = range !== undefined && range.start <= at
      const end = Math.min(tokenEnd, (isInside ? range.end : range?.start) ?? tokenEnd)
      segments.push({ text: text.slice(at, end), match: isInside ? range.number : null, kind })
      at = end
    }
  }
  return segments
}
