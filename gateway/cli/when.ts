/** Reads `--since`: an ISO time with its offset, a date (this machine's midnight), or an age such as `7d`. */

const msPerUnit: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

export const whenAllowed =
  'an age (30m, 2h, 7d, 3w), a date (2026-11-30), or a time with its offset (2026-11-30T09:00Z)'

/** @returns the instant as ISO text in UTC, or null where the words are none of the three. */
export function parseWhen(words: string, nowMs: number): string | null {
  const text = words.trim()
  const age = /^(\d{1,6})([mhdw])$/.exec(text)
  if (age !== null) return toIso(nowMs - Number(age[1]) * (msPerUnit[age[2] ?? ''] ?? Number.NaN))
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (date !== null) return localMidnight(Number(date[1]), Number(date[2]), Number(date[3]))
  const isTime = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/.test(text)
  return isTime ? toIso(Date.parse(text.replace(' ', 'T'))) : null
}

/** 31 February is no date, though `Date` would make one of it. */
function localMidnight(year: number, month: number, day: number): string | null {
  const date = new Date(year, month - 1, day)
  return date.getMonth() === month - 1 && date.getDate() === day ? toIso(date.getTime()) : null
}

function toIso(ms: number): string | null {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 0
    ? null
    : date.toISOString()
}
