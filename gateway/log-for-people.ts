/** Log lines as a person at a terminal reads them: time, level, message, and the fields as key=value. */

/** Wraps the stream that takes the text; what is not a log line passes as it is. */
export function writeForPeople(output: { write(text: string): unknown }): { write(line: string): void } {
  return {
    write(line) {
      output.write(formatLogLine(line))
    },
  }
}

/** @param line one JSON line of the log. Control characters of its values are escaped as JSON escapes them. */
export function formatLogLine(line: string): string {
  const entry = parseEntry(line)
  if (entry === null) return line
  const { level, time, msg, ...fields } = entry
  const clockTime = typeof time === 'string' ? time.slice(11, 19) : ''
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(
      ([key, value]) =>
        `${key}=${typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value)}`,
    )
  return `${[clockTime, String(level).padEnd(5), msg ?? '', ...shown].join(' ').trimEnd()}\n`
}

function isPlain(text: string): boolean {
  return /^[\p{L}\p{N}_.:/@%~+-]+$/u.test(text)
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
