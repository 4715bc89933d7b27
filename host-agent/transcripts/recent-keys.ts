/** A bounded memory of what was seen lately in one file, small enough to be stored with the file. */

/** A longer part is told by its length and by this many units from its start, from its end and in between. */
const sampledUnits = 16

/**
 * Two numbers of 32 bits folded over the parts, as one of 53 bits: equal parts, equal keys. Long parts are
 * sampled, for reading every text once more would cost as much as parsing it. Not for secrets.
 */
export function keyOf(...parts: readonly string[]): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (const part of parts) {
    const { length } = part
    const sampled = length > 3 * sampledUnits
    const edge = sampled ? sampledUnits : length
    const stride = sampled ? Math.floor((length - 2 * sampledUnits) / sampledUnits) : length
    let at = 0
    while (at < length) {
      const unit = part.charCodeAt(at)
      low = Math.imul(low ^ unit, 2654435761)
      high = Math.imul(high ^ unit, 1597334677)
      at += at < edge || at >= length - edge ? 1 : Math.min(stride, length - edge - at)
    }
    // The length keeps the parts apart: ('a', 'bc') is not ('ab', 'c').
    low = Math.imul(low ^ length, 2654435761)
    high = Math.imul(high ^ length, 1597334677)
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return 4294967296 * (2097151 & high) + (low >>> 0)
}

export interface RecentKeys {
  /** Whether the key is new; it is remembered from here on. */
  add(key: number): boolean
  /** `recentKeys` takes it back. */
  save(): [older: number[], newer: number[]]
}

/**
 * Remembers at least the last `capacity` keys and at most twice as many: when as many new ones have come, the
 * older half is forgotten at one go, which costs less than to forget one for each that comes.
 */
export function recentKeys(capacity: number, saved: readonly (readonly number[])[] = []): RecentKeys {
  let older = new Set(saved[0])
  let newer = new Set(saved[1])
  return {
    add(key) {
      if (newer.has(key) || older.has(key)) return false
      if (newer.size >= capacity) {
        older = newer
        newer = new Set()
      }
      newer.add(key)
      return true
    },
    save: () => [[...older], [...newer]],
  }
}
