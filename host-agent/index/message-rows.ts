/** Cuts messages into the rows that the index holds: long ones in chunks at white space, tool text to its head. */
import type { TranscriptMessage } from '../transcripts/reader.ts'
import { chunkUnits, maxToolTextUnits, roleCodes } from './schema.ts'
import { identifierPieces, searchableText } from './tokens.ts'

/** One row to be; it may still be a view of a far larger text, so it is packed at once (packed-rows.ts). */
export interface MessageRow {
  /** Which message of its file, from 0; chunks of one message share it. */
  readonly position: number
  readonly role: number
  readonly timestampMs: number | null
  readonly text: string
  /** What FTS5 is handed; null where that is `text` itself. */
  readonly searchable: string | null
  readonly identifiers: string
}

/** @returns one row; more for a user or assistant message longer than `chunkUnits`. */
export function messageRows(message: TranscriptMessage, position: number): MessageRow[] {
  const whole = storable(message.text)
  const texts =
    message.role === 'tool' ? [headOf(whole, maxToolTextUnits)] : cutAtWhiteSpace(whole, chunkUnits)
  return texts.map((text) => {
    const searchable = searchableText(text)
    return {
      position,
      role: roleCodes[message.role],
      timestampMs: message.timestampMs,
      text,
      searchable: searchable === text ? null : searchable,
      identifiers: identifierPieces(text),
    }
  })
}

/** Node 22's SQLite driver ends a text it reads at the first U+0000; one that stands for what cannot be shown goes through. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

/**
 * Cuts `text` into pieces of at most `maxUnits` UTF-16 units that make it up again. Each cut is after the last Unicode
 * white space in the second half of the window, else after the last character there that is part of no word, else at
 * the window's end: a word comes to stand in two pieces only when it is longer than half a window. A surrogate pair
 * is never cut.
 */
export function cutAtWhiteSpace(text: string, maxUnits: number): string[] {
  if (text.length <= maxUnits) return [text]
  const pieces: string[] = []
  let start = 0
  while (text.length - start > maxUnits) {
    const end = cutBefore(text, start + Math.ceil(maxUnits / 2), start + maxUnits)
    pieces.push(text.slice(start, end))
    start = end
  }
  pieces.push(text.slice(start))
  return pieces
}

const wordCharacter = /[\p{L}\p{N}\p{M}\p{Co}]/u

function cutBefore(text: string, from: number, to: number): number {
  for (let at = to; at > from; at--) if (isWhiteSpace(text.charCodeAt(at - 1))) return at
  for (let at = to; at > from; at--) {
    const unit = text.charCodeAt(at - 1)
    if (!isSurrogate(unit) && !wordCharacter.test(text.charAt(at - 1))) return at
  }
  return splitsPair(text, to) ? to - 1 : to
}

/** The first `maxUnits` UTF-16 units, one fewer where a surrogate pair would be cut. */
function headOf(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text
  return text.slice(0, splitsPair(text, maxUnits) ? maxUnits - 1 : maxUnits)
}

/** White space as Unicode has it (property White_Space). */
function isWhiteSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  if (unit < 0x85) return false
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  )
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
