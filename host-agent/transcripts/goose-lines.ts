/** The files in which Goose kept its sessions before it had a database: facts on the first line, then messages. */
import * as z from 'zod'
import { tellGooseMessage } from './goose-messages.ts'
import { recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { LinesFormat, TranscriptFile } from './reader.ts'
import { recordedPath, sessionIdOfFile } from './session-names.ts'
import { timestampMs } from './timestamps.ts'
import { type ToldFile, toldLines } from './told-lines.ts'

const state = z.object({
  title: z.string().nullable(),
  cwd: z.string().nullable(),
  /** Null until the first message asks. */
  isInDatabase: z.boolean().nullable(),
})

/** A session that has moved into the database is read there, and here no more. */
export function gooseLines(label: string, invocation: string): LinesFormat {
  return toldLines({
    label,
    state,
    initial: () => ({ title: null, cwd: null, isInDatabase: null }),
    record(record, session, tell, told) {
      if (record.role === undefined) {
        if (record.working_dir === undefined && record.description === undefined) tell.unknown()
        session.cwd = recordedPath(record.working_dir) ?? session.cwd
        session.title = stringAt(record, 'description') ?? session.title
        return
      }
      session.isInDatabase ??= isInDatabase(told)
      if (session.isInDatabase) return
      tellGooseMessage(tell, {
        role: record.role,
        content: record.content,
        metadata: recordAt(record, 'metadata'),
        atMs: timestampMs(record.created),
      })
    },
    identity: ({ title, cwd }, _tally, { file }) => ({ sessionId: idOf(file), title, cwd, invocation }),
  })
}

function idOf(file: TranscriptFile): string {
  return sessionIdOfFile(file.relativePath)
}

function isInDatabase({ file, beside }: ToldFile): boolean {
  const database = neighbourPath(file.path, 'sessions.db')
  return beside.rows(database, 'SELECT 1 FROM sessions WHERE id = ?', idOf(file)).length > 0
}
