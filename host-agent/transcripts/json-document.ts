/** A transcript that is one JSON document, as an untrusted value. */
import { asRecord, type JsonRecord, parseRecord } from './json-record.ts'
import { splitLines } from './transcript-lines.ts'

/**
 * @throws where the bytes are no JSON: as a rule the agent is in the middle of writing them, so the file is tried
 * again when it has changed.
 */
export function jsonDocument(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error('The document is not complete JSON.', { cause: error })
  }
}

/** @throws as `jsonDocument`, and where the document is no JSON object. */
export function jsonObject(bytes: Buffer): JsonRecord {
  const record = asRecord(jsonDocument(bytes))
  if (record === null) throw new Error('The document is not a JSON object.')
  return record
}

/** A manifest beside a transcript; empty for what is no JSON object. For `Beside.parsed`. */
export function jsonManifest(text: string): JsonRecord {
  try {
    return asRecord(JSON.parse(text)) ?? {}
  } catch {
    return {}
  }
}

/** A list of records beside transcripts, such as an index of all sessions. For `Beside.parsed`. */
export function jsonRecords(text: string): readonly JsonRecord[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed.map(asRecord).filter((record) => record !== null) : []
  } catch {
    return []
  }
}

/**
 * The records of a log that is read whole, because it takes back what it said before; null for a line that is no JSON
 * object, or too long. A last line without its newline is not written yet.
 */
export function* logRecords(bytes: Buffer): Generator<JsonRecord | null, void, undefined> {
  for (const { text } of splitLines([bytes]))
    if (text === null || text.trim() !== '') yield text === null ? null : parseRecord(text)
}
