/** One transcript line as an untrusted JSON object, and careful looks into it. */

export type JsonRecord = Readonly<Record<string, unknown>>

/** The object a line holds; null for what is no JSON object. Tolerates a byte order mark and runs of NUL. */
export function parseRecord(line: string): JsonRecord | null {
  try {
    return asRecord(JSON.parse(line))
  } catch {
    // A crash leaves runs of NUL where a file system had promised bytes; JSON never holds one as such.
    const repaired = line.replaceAll('\0', '').replace(/^\ufeff/, '')
    if (repaired.length === line.length) return null
    try {
      return asRecord(JSON.parse(repaired))
    } catch {
      return null
    }
  }
}

/**
 * The objects of a line that holds several with nothing between them, as two writers leave it; none where any of it is
 * no object. For lines that `parseRecord` does not take.
 */
export function gluedRecords(line: string): readonly JsonRecord[] {
  const records: JsonRecord[] = []
  let start = 0
  let depth = 0
  let inText = false
  for (let at = 0; at < line.length; at++) {
    const unit = line[at]
    if (inText) {
      if (unit === '\\') at++
      else if (unit === '"') inText = false
    } else if (unit === '"') inText = true
    else if (unit === '{') depth++
    else if (unit === '}' && --depth === 0) {
      const record = parseRecord(line.slice(start, at + 1))
      if (record === null) return []
      records.push(record)
      start = at + 1
    }
  }
  return line.slice(start).trim() === '' ? records : []
}

export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null
}

/** The member when it is an object, else one without members. */
export function recordAt(record: JsonRecord, key: string): JsonRecord {
  return asRecord(record[key]) ?? {}
}

/** The member when it is a string with something in it. */
export function stringAt(record: JsonRecord, key: string): string | null {
  const value = record[key]
  return typeof value === 'string' && value !== '' ? value : null
}

export function listAt(record: JsonRecord, key: string): readonly unknown[] {
  const value = record[key]
  return Array.isArray(value) ? value : []
}

/** What JSON in a text says; null where it is none. */
export function jsonIn(text: unknown): unknown {
  if (typeof text !== 'string') return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
