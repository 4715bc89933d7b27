/**
 * The one order of an `all` answer and of every host's `newest`: last touched first, as instants;
 * no or unreadable time last; ties by host id, then session id, then agent (wire.md §4).
 */
import type { Hit } from './hit.ts'

/** @returns milliseconds since the epoch, or null for an absent or unparseable time. */
export function updatedAtMs(hit: Pick<Hit, 'updatedAt'>): number | null {
  const ms = hit.updatedAt === null ? Number.NaN : Date.parse(hit.updatedAt)
  return Number.isNaN(ms) ? null : ms
}

/**
 * Whether a time is written as `toISOString` writes it, on a day that every month has. Such texts sort as the instants
 * they name, and telling costs a sixth of reading one.
 */
export function isUsualTime(text: string): boolean {
  return usualTime.test(text)
}

const usualTime =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/

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
