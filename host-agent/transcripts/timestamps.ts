/** Times as agents write them, read as milliseconds since the epoch. */

/**
 * An ISO 8601 string (without a zone it is UTC, as agents write it), or a number – also as a string – of seconds,
 * milliseconds, microseconds or nanoseconds, told apart by size. Null for anything else, and for zero.
 */
export function timestampMs(value: unknown): number | null {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string' || value === '') return null
  if (!startsLikeDate.test(value)) return numeric.test(value) ? fromNumber(Number(value)) : null
  const ms = Date.parse(
    !value.endsWith('Z') && withoutZone.test(value) ? `${value.replace(' ', 'T')}Z` : value,
  )
  return Number.isNaN(ms) ? null : ms
}

/** As `timestampMs`, for an agent whose times without a zone are those of the clock on this machine's wall. */
export function localTimestampMs(value: unknown): number | null {
  if (typeof value !== 'string' || value.endsWith('Z') || !withoutZone.test(value)) return timestampMs(value)
  const ms = Date.parse(value.replace(' ', 'T'))
  return Number.isNaN(ms) ? null : ms
}

/** When a version 7 UUID was made, in milliseconds; null for any other id. */
export function uuidV7Ms(id: string): number | null {
  return uuidV7.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null
}

const numeric = /^\d{9,19}(?:\.\d+)?$/
const startsLikeDate = /^\d{4}-\d\d/
const withoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i

// 1e11 seconds is the year 5138 and 1e11 milliseconds is 1973: no session has either date.
function fromNumber(value: number): number | null {
  if (!Number.isFinite(value) || value <= 0) return null
  if (value < 1e11) return Math.round(value * 1e3)
  if (value < 1e14) return Math.round(value)
  return Math.round(value < 1e17 ? value / 1e3 : value / 1e6)
}
