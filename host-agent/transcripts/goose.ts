/** Goose: one database for all sessions, and the files it took the place of. */
import { posix, win32 } from 'node:path'
import { idsOf, mixed, requireColumns, rootOf, rowsInOrder, safely, selected } from './database-rows.ts'
import { gooseLines } from './goose-lines.ts'
import { tellGooseMessage } from './goose-messages.ts'
import { asRecord, type JsonRecord, jsonIn, stringAt } from './json-record.ts'
import type { AgentEnvironment, DatabaseFormat, SourceDatabase, TranscriptReader } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { xdgDataFolder } from './xdg-places.ts'

const label = 'Goose'
const invocation = 'goose session --resume --session-id'
const lines = gooseLines(label, invocation)

const database: DatabaseFormat = {
  kind: 'database',
  sessions(source) {
    if (!source.columns('sessions').has('id')) return []
    requireColumns(source, 'sessions', ['updated_at'])
    requireColumns(source, 'messages', ['id', 'session_id', 'content_json'])
    return source
      .rows(
        `SELECT sessions.id, ${safely('sessions.updated_at')} AS updated_at, CAST(coalesce(told.n, 0) AS REAL) AS n,
          CAST(coalesce(told.newest, 0) AS REAL) AS newest FROM sessions LEFT JOIN
          (SELECT session_id, count(*) AS n, max(id) AS newest FROM messages GROUP BY session_id) AS told
          ON told.session_id = sessions.id`,
      )
      .flatMap(({ id, updated_at, n, newest }) =>
        typeof id === 'string' && id !== ''
          ? // A conversation that is written anew has as many messages as before, but none of the old ones.
            [{ key: id, updatedAtMs: timestampMs(updated_at) ?? 0, size: mixed(Number(newest), Number(n)) }]
          : [],
      )
  },
  read(file, _beside, source) {
    const id = file.sessionKey ?? ''
    const session = sessionRow(source, id)
    if (session === null) throw new Error('The session is no longer in the database.')
    const type = stringAt(session, 'session_type')
    const parent = stringAt(session, 'parent_session_id')
    // Goose's own errands, and a subagent that names nobody it works for: there is no session to find them in.
    if (type === 'hidden' || (type === 'sub_agent' && parent === null)) return nothingTold(label, file, id)
    const isPart = parent !== null
    const parentOf = (child: string) => stringAt(sessionRow(source, child) ?? {}, 'parent_session_id')
    return toldWhole(
      label,
      file,
      (tell) => {
        tellMessages(tell, source, id)
        return {
          sessionId: isPart ? rootOf(id, parentOf) : id,
          title: stringAt(session, 'name') ?? stringAt(session, 'description'),
          cwd: recordedPath(session.working_dir),
          createdAtMs: timestampMs(session.created_at),
          updatedAtMs: timestampMs(session.updated_at),
          kind: isPart ? 'part' : 'session',
          invocation,
        }
      },
      isPart,
    )
  },
}

export function gooseReader(): TranscriptReader {
  return {
    agent: 'goose',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['GOOSE_PATH_ROOT', 'XDG_DATA_HOME', 'APPDATA'],
      resume: 'goose session --resume --session-id ID',
      remark: 'The database first, older files second.',
    },
    roots: (environment) => dataFolders(environment).map((path) => ({ path })),
    enters: () => false,
    formatOf(relativePath) {
      if (relativePath === 'sessions.db') return database
      return /^[^/]+\.jsonl$/.test(relativePath) ? lines : null
    },
  }
}

function dataFolders(environment: AgentEnvironment): string[] {
  const { homeDir, platform, env } = environment
  const { isAbsolute, join } = platform === 'win32' ? win32 : posix
  const configured = env.GOOSE_PATH_ROOT
  if (configured !== undefined && isAbsolute(configured)) return [join(configured, 'data', 'sessions')]
  if (platform !== 'win32') return [xdgDataFolder(environment, 'goose', 'sessions')]
  const roaming = env.APPDATA ?? join(homeDir, 'AppData', 'Roaming')
  return [['data', 'sessions'], ['sessions']].map((names) => join(roaming, 'Block', 'goose', ...names))
}

const sessionColumns = [
  'name',
  'description',
  'session_type',
  'working_dir',
  'created_at',
  'updated_at',
  'parent_session_id',
]

function sessionRow(source: SourceDatabase, id: string): JsonRecord | null {
  const columns = selected(source, 'sessions', sessionColumns)
  return source.rows(`SELECT ${columns} FROM sessions WHERE id = ?`, id)[0] ?? null
}

function tellMessages(tell: Telling, source: SourceDatabase, sessionId: string): void {
  const order = source.columns('messages').has('created_timestamp') ? 'created_timestamp, id' : 'id'
  const ids = idsOf(
    source.rows(
      `SELECT CAST(id AS REAL) AS id FROM messages WHERE session_id = ? ORDER BY ${order}`,
      sessionId,
    ),
  )
  const columns = selected(source, 'messages', [
    'role',
    'content_json',
    'created_timestamp',
    'timestamp',
    'metadata_json',
  ])
  for (const row of rowsInOrder(source, 'messages', columns, ids)) {
    const content = jsonIn(row.content_json)
    if (content === null) tell.bad()
    else
      tellGooseMessage(tell, {
        role: row.role,
        content,
        metadata: asRecord(jsonIn(row.metadata_json)) ?? {},
        atMs: timestampMs(row.created_timestamp) ?? timestampMs(row.timestamp),
      })
  }
}
