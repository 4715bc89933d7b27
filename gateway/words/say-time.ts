/** Times and durations in words. */

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** `just now`, `5 min ago`, `2 h ago`, `yesterday`, `3 d ago`, and the date from a month on. Days are this machine's. */
export function sayAgo(timeMs: number, nowMs: number): string {
  const ageMs = nowMs - timeMs
  if (ageMs < -minuteMs) return isoDate(timeMs)
  if (ageMs < minuteMs) return 'just now'
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min ago`
  const days = calendarDay(nowMs) - calendarDay(timeMs)
  if (days === 0 || ageMs < 12 * hourMs) return `${Math.floor(ageMs / hourMs)} h ago`
  if (days === 1) return 'yesterday'
  return days < 30 ? `${days} d ago` : isoDate(timeMs)
}

/** `6 ms`, `1.2 s`, `10 s`, `3 min`, `2 h`. */
export function sayDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`
  if (ms < 99_500) return `${Math.round(ms / 1000)} s`
  return ms < 2 * hourMs ? `${Math.round(ms / minuteMs)} min` : `${Math.round(ms / hourMs)} h`
}

function calendarDay(ms: number): number {
  return Math.floor((ms - new Date(ms).getTimezoneOffset() * minuteMs) / dayMs)
}

function isoDate(ms: number): string {
  const date = new Date(ms)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
