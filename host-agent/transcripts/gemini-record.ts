/** Puts a Gemini CLI session together: one JSON document, or a log of messages, changes and rewinds. */
import { jsonObject, logRecords } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, stringAt } from './json-record.ts'

export interface GeminiRecord {
  /** `sessionId`, `summary`, `kind`, times. */
  readonly session: JsonRecord
  readonly messages: readonly JsonRecord[]
  readonly badLines: number
}

/** @throws where a document is not complete JSON. */
export function geminiDocument(bytes: Buffer): GeminiRecord {
  const session = jsonObject(bytes)
  // The older of the two names is the one of sessions that were moved in from elsewhere.
  const listed = [...listAt(session, 'messages'), ...listAt(session, 'history')]
  const messages = listed.map(asRecord).filter((message) => message !== null)
  return { session, messages, badLines: listed.length - messages.length }
}

/** Replays the log: a message that comes again replaces the one of its id, a rewind takes back what follows. */
export function geminiLog(bytes: Buffer): GeminiRecord {
  let session: JsonRecord = {}
  let badLines = 0
  const messages = new Map<string, JsonRecord>()
  const keep = (values: readonly unknown[]): void => {
    for (const value of values) {
      const message = asRecord(value)
      const id = message === null ? null : stringAt(message, 'id')
      if (message !== null && id !== null) messages.set(id, message)
    }
  }
  for (const record of logRecords(bytes)) {
    if (record === null) {
      badLines += 1
      continue
    }
    const changes = asRecord(record.$set)
    const rewindTo = stringAt(record, '$rewindTo')
    if (rewindTo !== null) rewind(messages, rewindTo)
    else if (changes !== null) {
      session = { ...session, ...changes }
      if (Array.isArray(changes.messages)) {
        messages.clear()
        keep(changes.messages)
      }
    } else if (stringAt(record, 'id') !== null) keep([record])
    else if (stringAt(record, 'sessionId') !== null) {
      session = { ...session, ...record }
      keep(listAt(record, 'messages'))
    } else badLines += 1
  }
  return { session, messages: [...messages.values()], badLines }
}

/** The message itself goes as well; of a message that is not there, everything does. */
function rewind(messages: Map<string, JsonRecord>, id: string): void {
  let found = !messages.has(id)
  for (const key of [...messages.keys()]) {
    found ||= key === id
    if (found) messages.delete(key)
  }
}
