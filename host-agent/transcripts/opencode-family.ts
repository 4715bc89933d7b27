/** The database of OpenCode and of the agents made from it: `session`, `message`, `part`, and newer `session_message`. */
import {
  chunks,
  idsOf,
  placesFor,
  requireColumns,
  rootOf,
  rowsInOrder,
  safely,
  selected,
} from './database-rows.ts'
import { type JsonRecord, parseRecord, stringAt } from './json-record.ts'
import { tellOpencodeEntry } from './opencode-entries.ts'
import { forkedMessages } from './opencode-forks.ts'
import { partsBefore, type Revert, revertOf, tellOpencodeMessage } from './opencode-parts.ts'
import { ownTitle } from './opencode-titles.ts'
import type { DatabaseFormat, DatabaseSession, SourceDatabase } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type SessionIdentity, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

export interface OpencodeKin {
  readonly label: string
  /** As `ResumeParts.invocation`; absent where the agent has no such command. */
  readonly invocation?: string
}

export function opencodeDatabase(kin: OpencodeKin): DatabaseFormat {
  return {
    kind: 'database',
    sessions: opencodeSessions,
    read: (file, _beside, database) => {
      const id = file.sessionKey ?? ''
      const session = sessionRow(database, id)
      const root = rootOf(id, (child) => parentOf(database, child))
      const isPart = stringAt(session, 'parent_id') !== null
      return toldWhole(
        kin.label,
        file,
        (tell) => {
          tellSession(tell, database, id, session)
          return identityOf(kin, session, isPart ? root : id, isPart)
        },
        isPart,
      )
    },
  }
}

/** Sessions whose messages and parts are counted at every look: more are not at work at one time. */
const countedSessions = 64

/**
 * Every session, subagents' and archived ones among them. A session's own row tells of a turn's begin and end; what
 * comes in between shows in the number of its parts and the time of the newest, which need no part's text to be read –
 * but in a large database take a while, so that only the sessions that moved last are looked at so closely. One that is
 * no longer among them is read once more.
 */
function opencodeSessions(database: SourceDatabase): DatabaseSession[] {
  if (!database.columns('session').has('id')) return []
  requireColumns(database, 'session', ['time_updated'])
  const sessions = database
    .rows(`SELECT id, ${safely('time_updated')} AS at FROM session`)
    .flatMap(({ id, at }) =>
      typeof id === 'string' && id !== '' ? [{ id, atMs: timestampMs(at) ?? 0 }] : [],
    )
    .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? -1 : 1))
  const newest = sessions.slice(0, countedSessions).map(({ id }) => id)
  const details = new Map(newest.map((id) => [id, { atMs: 0, size: 0 }]))
  for (const table of ['message', 'part', 'session_message']) addRows(database, table, newest, details)
  return sessions.map(({ id, atMs }) => {
    const detail = details.get(id)
    return { key: id, updatedAtMs: Math.max(atMs, detail?.atMs ?? 0), size: detail?.size ?? 0 }
  })
}

/** Adds how many rows of a table each session has, and when the one that was added last was written. */
function addRows(
  database: SourceDatabase,
  table: string,
  sessionIds: readonly string[],
  details: ReadonlyMap<string, { atMs: number; size: number }>,
): void {
  const columns = database.columns(table)
  if (!columns.has('session_id')) return
  const at = columns.has('time_updated') ? safely('newest.time_updated') : 'NULL'
  const rows = database.rows(
    `SELECT counted.session_id AS id, CAST(counted.n AS REAL) AS n, ${at} AS at FROM
      (SELECT session_id, count(*) AS n, max(rowid) AS newest FROM ${table}
        WHERE session_id IN (${placesFor(sessionIds)}) GROUP BY session_id) AS counted
      JOIN ${table} AS newest ON newest.rowid = counted.newest`,
    ...sessionIds,
  )
  for (const row of rows) {
    const detail = details.get(String(row.id))
    if (detail === undefined) continue
    detail.size += Number(row.n)
    detail.atMs = Math.max(detail.atMs, timestampMs(row.at) ?? 0)
  }
}

const sessionColumns = ['id', 'parent_id', 'directory', 'title', 'time_created', 'time_updated', 'revert']

function sessionRow(database: SourceDatabase, id: string): JsonRecord {
  const [row] = database.rows(
    `SELECT ${selected(database, 'session', sessionColumns)} FROM session WHERE id = ?`,
    id,
  )
  if (row === undefined) throw new Error('The session is no longer in the database.')
  return row
}

function parentOf(database: SourceDatabase, id: string): string | null {
  const [row] = database.rows(
    `SELECT ${selected(database, 'session', ['parent_id'])} FROM session WHERE id = ?`,
    id,
  )
  return row === undefined ? null : stringAt(row, 'parent_id')
}

function identityOf(
  kin: OpencodeKin,
  session: JsonRecord,
  sessionId: string,
  isPart: boolean,
): SessionIdentity {
  return {
    sessionId,
    title: ownTitle(session.title),
    cwd: recordedPath(session.directory),
    createdAtMs: timestampMs(session.time_created),
    updatedAtMs: timestampMs(session.time_updated),
    kind: isPart ? 'part' : 'session',
    ...(kin.invocation === undefined ? {} : { invocation: kin.invocation }),
  }
}

function tellSession(tell: Telling, database: SourceDatabase, id: string, session: JsonRecord): void {
  const revert = revertOf(session.revert)
  // A version that keeps both fills the newer table from the older one: the fuller of the two has everything.
  if (rowCount(database, 'session_message', id) > rowCount(database, 'message', id))
    tellEntries(tell, database, id, revert)
  else tellMessages(tell, database, id, session, revert)
}

function rowCount(database: SourceDatabase, table: string, sessionId: string): number {
  const columns = database.columns(table)
  if (!columns.has('session_id')) return 0
  const only = columns.has('type') ? " AND type IN ('user', 'assistant')" : ''
  const [row] = database.rows(
    `SELECT CAST(count(*) AS REAL) AS n FROM ${table} WHERE session_id = ?${only}`,
    sessionId,
  )
  return Number(row?.n ?? 0)
}

function orderedIds(database: SourceDatabase, table: string, sessionId: string): (string | number)[] {
  const columns = database.columns(table)
  const order = ['seq', 'time_created', 'id'].filter((column) => columns.has(column))
  return idsOf(
    database.rows(`SELECT id FROM ${table} WHERE session_id = ? ORDER BY ${order.join(', ')}`, sessionId),
  )
}

/** What a message's row holds beside its words may be large: the files a turn changed, twice each. */
const messageData = `CASE WHEN length(message.data) > 20000 AND json_valid(message.data)
  THEN json_remove(message.data, '$.summary.diffs', '$.system') ELSE ${safely('message.data')} END AS data`
/** A picture, as a data URL or among a tool's attachments. */
const partData = `CASE WHEN length(part.data) > 100000 AND json_valid(part.data)
  THEN json_remove(part.data, '$.url', '$.source', '$.state.attachments', '$.state.metadata')
  ELSE ${safely('part.data')} END AS data`

function tellMessages(
  tell: Telling,
  database: SourceDatabase,
  sessionId: string,
  session: JsonRecord,
  revert: Revert | null,
): void {
  if (!database.columns('message').has('session_id')) return
  const ids = orderedIds(database, 'message', sessionId)
  const copied = forkedMessages(database, sessionId, session)
  for (const some of chunks(ids.slice(copied))) {
    const parts = partsOf(tell, database, some)
    for (const { id, data } of rowsInOrder(database, 'message', messageData, some)) {
      const message = parseRecord(String(data))
      const counted = partsBefore(revert, String(id), parts.get(String(id)) ?? [])
      if (message === null) tell.bad()
      else tellOpencodeMessage(tell, message, counted.parts)
      if (counted.isLast) return
    }
  }
}

function partsOf(
  tell: Telling,
  database: SourceDatabase,
  messageIds: readonly (string | number)[],
): Map<string, JsonRecord[]> {
  const byMessage = new Map<string, JsonRecord[]>()
  if (!database.columns('part').has('message_id')) return byMessage
  const rows = database.rows(
    `SELECT id, message_id, ${partData} FROM part WHERE message_id IN (${placesFor(messageIds)}) ORDER BY message_id, id`,
    ...messageIds,
  )
  for (const { id, message_id, data } of rows) {
    const part = parseRecord(String(data))
    if (part === null) {
      tell.bad()
      continue
    }
    const key = String(message_id)
    const known = byMessage.get(key)
    if (known === undefined) byMessage.set(key, [{ ...part, id }])
    else known.push({ ...part, id })
  }
  return byMessage
}

function tellEntries(
  tell: Telling,
  database: SourceDatabase,
  sessionId: string,
  revert: Revert | null,
): void {
  const ids = orderedIds(database, 'session_message', sessionId)
  const columns = selected(database, 'session_message', ['type', 'time_created', 'data'])
  for (const row of rowsInOrder(database, 'session_message', columns, ids)) {
    if (revert !== null && row.id === revert.messageId) return
    const data = parseRecord(String(row.data))
    if (data === null) tell.bad()
    else
      tellOpencodeEntry(tell, stringAt(row, 'type') ?? String(data.type), data, timestampMs(row.time_created))
  }
}
