/** Hermes' database: sessions that grow, are compacted, taken back, branched and continued. */
import { idsOf, mixed, requireColumns, rootOf, rowsInOrder, safely, selected } from './database-rows.ts'
import { type CopyKind, withoutCopies } from './hermes-copies.ts'
import { tellHermesMessage } from './hermes-messages.ts'
import { asRecord, type JsonRecord, jsonIn, stringAt } from './json-record.ts'
import type { DatabaseFormat, DatabaseSession, SourceDatabase } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'

export function hermesDatabase(label: string, invocation: string): DatabaseFormat {
  return {
    kind: 'database',
    sessions: hermesSessions,
    read(file, _beside, database) {
      const id = file.sessionKey ?? ''
      const session = sessionRow(database, id)
      if (session === null) throw new Error('The session is no longer in the database.')
      const isPart = delegatedFrom(session) !== null
      const root = isPart ? rootOf(id, (child) => delegatedFrom(sessionRow(database, child) ?? {})) : id
      return toldWhole(
        label,
        file,
        (tell) => {
          tellSession(tell, database, id, session)
          return {
            sessionId: root,
            title: stringAt(session, 'title'),
            cwd: recordedPath(session.cwd),
            branch: stringAt(session, 'git_branch'),
            createdAtMs: timestampMs(session.started_at),
            updatedAtMs: timestampMs(session.last_activity_at),
            kind: isPart ? 'part' : 'session',
            invocation,
          }
        },
        isPart,
      )
    },
  }
}

/** Nothing but its messages' number, a title and a count of rewinds tells one state of a session from the next. */
function hermesSessions(database: SourceDatabase): DatabaseSession[] {
  if (!database.columns('sessions').has('id')) return []
  requireColumns(database, 'messages', ['id', 'session_id', 'role', 'content'])
  const columns = selected(database, 'sessions', [
    'id',
    'started_at',
    'ended_at',
    'last_activity_at',
    'title',
    'rewind_count',
  ])
  return database
    .rows(
      `SELECT ${columns}, CAST(coalesce(told.n, 0) AS REAL) AS n, CAST(coalesce(told.newest, 0) AS REAL) AS newest
        FROM sessions LEFT JOIN (SELECT session_id, count(*) AS n, max(id) AS newest FROM messages GROUP BY session_id)
        AS told ON told.session_id = sessions.id`,
    )
    .flatMap((row) => {
      const key = stringAt(row, 'id')
      if (key === null) return []
      const times = [row.started_at, row.ended_at, row.last_activity_at].map((time) => timestampMs(time) ?? 0)
      const numbers = [row.newest, row.n, row.rewind_count].map((value) => Number(value ?? 0))
      return [
        {
          key,
          updatedAtMs: Math.max(...times),
          size: mixed(...numbers, (stringAt(row, 'title') ?? '').length),
        },
      ]
    })
}

const sessionColumns = [
  'parent_session_id',
  'source',
  'model_config',
  'title',
  'cwd',
  'git_branch',
  'started_at',
  'last_activity_at',
  'end_reason',
]

function sessionRow(database: SourceDatabase, id: string): JsonRecord | null {
  const columns = selected(database, 'sessions', sessionColumns)
  return database.rows(`SELECT ${columns} FROM sessions WHERE id = ?`, id)[0] ?? null
}

/** The session a subagent works for. A parent alone is none: continued and branched sessions have one too. */
function delegatedFrom(session: JsonRecord): string | null {
  const parent = stringAt(session, 'parent_session_id')
  return stringAt(configOf(session), '_delegate_from') ?? (session.source === 'subagent' ? parent : null)
}

function tellSession(tell: Telling, database: SourceDatabase, id: string, session: JsonRecord): void {
  const current = [...messageRows(database, id, 'current')]
  const compacted = [...messageRows(database, id, 'compacted')]
  if (compacted.length > 0) {
    tellRows(tell, compacted)
    tellRows(tell, withoutCopies('compacted', compacted, current))
    return
  }
  const kind = copyKind(database, session)
  const parent = stringAt(session, 'parent_session_id') ?? ''
  tellRows(
    tell,
    kind === null ? current : withoutCopies(kind, [...messageRows(database, parent, 'originals')], current),
  )
}

/** Null for a session that merely came after its parent, or works for it. */
function copyKind(database: SourceDatabase, session: JsonRecord): CopyKind | null {
  const parent = stringAt(session, 'parent_session_id')
  if (parent === null || delegatedFrom(session) !== null) return null
  if (configOf(session)._branched_from !== undefined) return 'branched'
  return sessionRow(database, parent)?.end_reason === 'compression' ? 'compacted' : null
}

function configOf(session: JsonRecord): JsonRecord {
  return asRecord(jsonIn(session.model_config)) ?? {}
}

function tellRows(tell: Telling, rows: readonly JsonRecord[]): void {
  for (const row of rows) tellHermesMessage(tell, row, timestampMs(row.timestamp))
}

/** `active` is 0 for what was taken back, and for what was compacted, which was said all the same. */
const conditions = {
  current: { with: 'AND active <> 0', without: '' },
  compacted: { with: 'AND active = 0 AND compacted = 1', without: 'AND 0' },
  originals: { with: 'AND (active <> 0 OR compacted = 1)', without: '' },
} as const

const messageColumns = ['role', 'tool_calls', 'timestamp', 'reasoning', 'reasoning_content', 'display_kind']
/** A list of blocks is JSON behind the byte 0, or 1 in newer versions, and `json:`; drivers end a text at a byte of 0. */
const isBlocks = `hex(substr(CAST(messages.content AS BLOB), 1, 6)) IN ('006A736F6E3A', '016A736F6E3A')`
const contentColumns = `CASE WHEN ${isBlocks} THEN NULL ELSE ${safely('messages.content')} END AS content,
  CASE WHEN ${isBlocks} THEN CAST(substr(CAST(messages.content AS BLOB), 7) AS TEXT) END AS blocks`

function* messageRows(
  database: SourceDatabase,
  sessionId: string,
  which: keyof typeof conditions,
): Generator<JsonRecord, void, undefined> {
  const columns = database.columns('messages')
  const isFlagged = columns.has('active') && columns.has('compacted')
  const condition = isFlagged ? conditions[which].with : conditions[which].without
  const ids = idsOf(
    database.rows(
      `SELECT CAST(id AS REAL) AS id FROM messages WHERE session_id = ? ${condition} ORDER BY id`,
      sessionId,
    ),
  )
  const selection = `${selected(database, 'messages', messageColumns)}, ${contentColumns}`
  for (const row of rowsInOrder(database, 'messages', selection, ids))
    yield typeof row.blocks === 'string' ? { ...row, content: jsonIn(row.blocks) } : row
}
