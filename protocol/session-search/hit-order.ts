/**
 * The one order of an `all` answer and of every host's `newest`: last touched first, as instants;
 * no or unreadable time last; ties by host id, then session id, then agent (wire.md §4).
 */
import type { Hit } from './hit.ts'

/** @returns milliseconds since the epoch, or null for an absent or unparseable time. */
export function updatedAtMs({ updatedAt }: Pick<Hit, 'updatedAt'>): number | null {
  if (updatedAt === null) return null
  if (usualTime.test(updatedAt)) return usualTimeMs(updatedAt)
  const ms = Date.parse(updatedAt)
  return Number.isNaN(ms) ? null : ms
}

/** As `toISOString` writes it, on a day that every month has. */
const usualTime =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

/** What `Date.parse` gives, in half its time: a merge over a hundred hosts reads two thousand of these. */
function usualTimeMs(text: string): number {
  const two = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
  const milliseconds = two(20) * 10 + text.charCodeAt(22) - 48
  return Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), milliseconds)
}

/** Descending, null last. */
export function compareRecency(a: number | null, b: number | null): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return b - a
}

/** Code point order, which is also the order of UTF-8 bytes that SQLite sorts text by. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x === y) continue
    const bothHigh = x >= 0xd800 && y >= 0xd800
    return bothHigh ? rankHighUnit(x) - rankHighUnit(y) : x - y
  }
  return a.length - b.length
}

/** Surrogates stand for code points above the rest of the high units. */
function rankHighUnit(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000
}
