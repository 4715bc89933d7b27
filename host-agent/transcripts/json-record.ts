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
