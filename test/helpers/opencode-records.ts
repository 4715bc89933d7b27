/** Rows of a made-up OpenCode database, in the shape of its tables. */
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'

export const opencodeTables = `
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL,
  title TEXT NOT NULL, version TEXT NOT NULL, revert TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL,
  time_archived INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
  time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX message_session ON message (session_id, time_created, id);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX part_message ON part (message_id, id);
CREATE INDEX part_session ON part (session_id);
`

export const epochMs = Date.UTC(2026, 2, 1, 9, 0, 0)

export interface SessionRow {
  readonly id?: string
  readonly parent?: string | null
  readonly directory?: string
  readonly title?: string
  readonly revert?: unknown
  readonly atMs?: number
  readonly archivedMs?: number
}

export function addSession(db: SqlDatabase, session: SessionRow = {}): string {
  const {
    id = 'ses_1',
    parent = null,
    directory = '/work/loom',
    title = 'Mend the loom',
    atMs = epochMs,
  } = session
  db.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    id,
    'proj',
    parent,
    'slug',
    directory,
    title,
    '1.4.0',
    session.revert === undefined ? null : JSON.stringify(session.revert),
    atMs,
    atMs,
    session.archivedMs ?? null,
  )
  return id
}

/** @param second after the session's first instant. */
export function addMessage(
  db: SqlDatabase,
  session: string,
  id: string,
  second: number,
  role: string,
  parts: readonly object[],
  more: object = {},
): void {
  const atMs = epochMs + second * 1000
  const data = { role, time: { created: atMs }, ...more }
  db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(id, session, atMs, atMs, JSON.stringify(data))
  parts.forEach((part, at) => {
    addPart(db, session, id, `${id}_p${at}`, atMs, JSON.stringify(part))
  })
}

export function addPart(
  db: SqlDatabase,
  session: string,
  message: string,
  id: string,
  atMs: number,
  data: string,
): void {
  db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run(id, message, session, atMs, atMs, data)
}

export const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more })

export function tool(name: string, input: object, output: string, second: number) {
  const start = epochMs + second * 1000
  return {
    type: 'tool',
    tool: name,
    callID: `call_${second}`,
    state: { status: 'completed', input, output, title: '', metadata: {}, time: { start, end: start + 500 } },
  }
}
