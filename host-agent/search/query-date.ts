/** What `before:` and `after:` take: an instant, a day, or a time counted back from now. Time zones never by guess: UTC. */

const hourMs = 3_600_000
const msPerUnit: Readonly<Record<string, number>> = {
  m: 60_000,
  h: hourMs,
  d: 24 * hourMs,
  w: 7 * 24 * hourMs,
}

/** `ago`: so long before now. `day`: the first instant of today (0) or yesterday (1), UTC. */
export type QueryDate =
  | { readonly kind: 'instant'; readonly ms: number }
  | { readonly kind: 'ago'; readonly ms: number }
  | { readonly kind: 'day'; readonly daysBack: number }

const daysBackOf: Readonly<Record<string, number>> = { today: 0, yesterday: 1 }
const age = /^(\d{1,6})([mhdw])$/i
/** `2026`, `2026-11`, `2026-11-30`, each with a time and an offset after it or not. */
const isoShape =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/

/** @returns null for what is no date. A day, month or year means its first instant. */
export function readQueryDate(text: string): QueryDate | null {
  const word = text.toLowerCase()
  if (Object.hasOwn(daysBackOf, word)) return { kind: 'day', daysBack: daysBackOf[word] ?? 0 }
  const [, count, unit] = age.exec(word) ?? []
  if (unit !== undefined) return { kind: 'ago', ms: Number(count) * (msPerUnit[unit] ?? Number.NaN) }
  const ms = readInstant(text)
  return ms === null ? null : { kind: 'instant', ms }
}

/** @returns milliseconds since the epoch. */
export function resolveDate(date: QueryDate, nowMs: number): number {
  if (date.kind === 'instant') return date.ms
  if (date.kind === 'ago') return nowMs - date.ms
  const dayMs = msPerUnit.d ?? Number.NaN
  return Math.floor(nowMs / dayMs) * dayMs - date.daysBack * dayMs
}

function readInstant(text: string): number | null {
  const found = isoShape.exec(text)
  if (found === null) return null
  const [, year, month = '01', day = '01', hour, minute = '00', second = '00', fraction = '0', offset = 'Z'] =
    found
  // A clock time belongs to a day.
  if (hour !== undefined && found[3] === undefined) return null
  const fields = [year, month, day, hour ?? '00', minute, second].map(Number)
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields
  if (h > 23 || mi > 59 || s > 59) return null
  const date = new Date(0)
  date.setUTCFullYear(y, mo - 1, d)
  // 31 February is no day, though Date would make one of it.
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d) return null
  const offsetMs = readOffset(offset)
  if (offsetMs === null) return null
  const dayMs = date.getTime() + h * hourMs + mi * 60_000 + s * 1000
  return dayMs + Number(fraction.padEnd(3, '0').slice(0, 3)) - offsetMs
}

function readOffset(text: string): number | null {
  if (/^z$/i.test(text)) return 0
  const [, sign, hours, minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000)
}
