/** The files in which Hermes keeps, or kept, sessions beside its database: one document each, or one line a message. */
import * as z from 'zod'
import { tellHermesMessage } from './hermes-messages.ts'
import { jsonObject } from './json-document.ts'
import { asRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, LinesFormat, TranscriptFile } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, toldWhole } from './telling.ts'
import { localTimestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'

/** A session that the database has is read there, and here no more. */
export function hermesDocument(label: string, invocation: string): DocumentFormat {
  return {
    kind: 'document',
    read(file, beside, bytes) {
      const session = jsonObject(bytes)
      const sessionId = stringAt(session, 'session_id') ?? idOf(file)
      if (isInDatabase(file, beside, sessionId)) return nothingTold(label, file, sessionId)
      if (!Array.isArray(session.messages)) throw new Error('The document has no list of messages.')
      return toldWhole(label, file, (tell) => {
        for (const value of listAt(session, 'messages')) {
          const message = asRecord(value)
          if (message === null) tell.bad()
          else tellHermesMessage(tell, message, localTimestampMs(message.timestamp))
        }
        return {
          sessionId,
          title: stringAt(session, 'title'),
          cwd: recordedPath(session.cwd) ?? recordedPath(recordAt(session, 'model_config').cwd),
          branch: stringAt(session, 'git_branch'),
          createdAtMs: localTimestampMs(session.session_start),
          updatedAtMs: localTimestampMs(session.last_updated),
          invocation,
        }
      })
    },
  }
}

const state = z.object({
  cwd: z.string().nullable(),
  /** Null until the first message asks. */
  isInDatabase: z.boolean().nullable(),
})

export function hermesLines(label: string, invocation: string): LinesFormat {
  return toldLines({
    label,
    state,
    initial: () => ({ cwd: null, isInDatabase: null }),
    record(record, session, tell, { file, beside }) {
      session.cwd ??= recordedPath(record.cwd)
      session.isInDatabase ??= isInDatabase(file, beside, idOf(file))
      if (!session.isInDatabase) tellHermesMessage(tell, record, localTimestampMs(record.timestamp))
    },
    identity: ({ cwd }, _tally, { file }) => ({ sessionId: idOf(file), cwd, invocation }),
  })
}

/** `session_<id>.json` or `<id>.jsonl`. */
function idOf({ relativePath }: TranscriptFile): string {
  const name = relativePath.slice(relativePath.lastIndexOf('/') + 1)
  return name.replace(/^session_/, '').replace(/\.jsonl?$/, '')
}

function isInDatabase(file: TranscriptFile, beside: Beside, sessionId: string): boolean {
  const database = neighbourPath(file.path, '..', 'state.db')
  return beside.rows(database, 'SELECT 1 FROM sessions WHERE id = ?', sessionId).length > 0
}
