/** Devin's database, for the sessions of which no document was written: their messages are in its `message_nodes`. */

import { idsOf, mixed, rowsInOrder, selected } from './database-rows.ts'
import { tellDevinStep } from './devin-steps.ts'
import { type JsonRecord, parseRecord, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { DatabaseFormat, SourceDatabase } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

export function devinDatabase(label: string, invocation: string): DatabaseFormat {
  return {
    kind: 'database',
    sessions(database) {
      if (!database.columns('sessions').has('id') || !database.columns('message_nodes').has('session_id'))
        return []
      const columns = selected(database, 'sessions', ['id', 'created_at', 'last_activity_at', 'hidden'])
      return database
        .rows(
          `SELECT ${columns}, CAST(told.n AS REAL) AS n, CAST(told.newest AS REAL) AS newest FROM sessions JOIN
            (SELECT session_id, count(*) AS n, max(rowid) AS newest FROM message_nodes GROUP BY session_id) AS told
            ON told.session_id = sessions.id`,
        )
        .flatMap((row) => {
          const key = stringAt(row, 'id')
          if (key === null || row.hidden === 1) return []
          const updatedAtMs = timestampMs(row.last_activity_at) ?? timestampMs(row.created_at) ?? 0
          return [{ key, updatedAtMs, size: mixed(Number(row.n), Number(row.newest)) }]
        })
    },
    read(file, beside, database) {
      const id = file.sessionKey ?? ''
      if (beside.list(neighbourPath(file.path, 'transcripts')).includes(`${id}.json`))
        return nothingTold(label, file, id)
      const session = sessionRow(database, id)
      return toldWhole(label, file, (tell) => {
        tellNodes(tell, database, id)
        return {
          sessionId: id,
          title: stringAt(session, 'title'),
          cwd: recordedPath(session.working_directory),
          createdAtMs: timestampMs(session.created_at),
          updatedAtMs: timestampMs(session.last_activity_at),
          invocation,
        }
      })
    },
  }
}

function sessionRow(database: SourceDatabase, id: string): JsonRecord {
  const columns = ['title', 'working_directory', 'created_at', 'last_activity_at']
  const [row] = database.rows(
    `SELECT ${selected(database, 'sessions', columns)} FROM sessions WHERE id = ?`,
    id,
  )
  if (row === undefined) throw new Error('The session is no longer in the database.')
  return row
}

function tellNodes(tell: Telling, database: SourceDatabase, sessionId: string): void {
  const ids = idsOf(
    database.rows(
      'SELECT CAST(rowid AS REAL) AS id FROM message_nodes WHERE session_id = ? ORDER BY created_at, rowid',
      sessionId,
    ),
  )
  const columns = selected(database, 'message_nodes', ['chat_message', 'created_at'])
  for (const row of rowsInOrder(database, 'message_nodes', columns, ids, 'rowid')) {
    const message = parseRecord(String(row.chat_message))
    if (message === null) tell.bad()
    else tellDevinStep(tell, { ...message, timestamp: row.created_at })
  }
}
