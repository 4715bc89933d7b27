/** For tests: small real indexes, written through the product's own tables and tokens. */

import { cwdKey } from '../index/cwd-key.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { createSchema, roleCodes, rowsPerSession } from '../index/schema.ts'
import { putTitle } from '../index/session-rows.ts'
import { identifierPieces, searchableText } from '../index/tokens.ts'

export interface FixtureSession {
  readonly sessionId: string
  readonly agent?: string
  readonly title?: string
  readonly cwd?: string | null
  readonly branch?: string | null
  readonly updatedAtMs?: number | null
  readonly messageCount?: number
  readonly resumeCommand?: string | null
  readonly codexHome?: string | null
  readonly filePath?: string
  /** State of its file row; null for a session without one. */
  readonly fileState?: string | null
  /** Stored as it is; not made from the messages. */
  readonly lineage?: string | null
  readonly messages?: readonly (string | FixtureMessage)[]
}

interface FixtureMessage {
  readonly role?: keyof typeof roleCodes
  readonly text: string
  readonly timestampMs?: number | null
}

export interface IndexFixture extends Disposable {
  readonly db: SqlDatabase
  add(session: FixtureSession): number
  /** More messages at the end of a session, which was touched at that time. */
  append(sessionRowId: number, messages: readonly (string | FixtureMessage)[], updatedAtMs?: number): void
  /** A subagent's transcript of that session, in a file of its own. */
  addPart(sessionRowId: number, messages: readonly (string | FixtureMessage)[]): void
  /** Takes a session away as a retention purge does. */
  remove(sessionRowId: number): void
}

/** @param path `:memory:`, or a file that a second connection can open. */
export function createIndexFixture(
  sessions: readonly FixtureSession[] = [],
  path = ':memory:',
): IndexFixture {
  const db = loadSqlDriver().open(path, { readOnly: false })
  createSchema(db, 'fixture-index')
  const fixture = openFixture(db)
  db.transaction(() => {
    for (const session of sessions) insertSession(db, session)
  })
  return fixture
}

function openFixture(db: SqlDatabase): IndexFixture {
  let parts = 0
  return {
    db,
    add: (session) => db.transaction(() => insertSession(db, session)),
    append: (sessionRowId, messages, updatedAtMs) =>
      db.transaction(() => {
        const file = db
          .prepare("SELECT id FROM files WHERE session_row_id = ? AND kind = 'session'")
          .get(sessionRowId)
        const fileId = Number(file?.id ?? 0)
        insertMessages(db, sessionRowId, fileId, messages)
        if (updatedAtMs !== undefined) {
          db.prepare('UPDATE sessions SET updated_at_ms = ? WHERE id = ?').run(updatedAtMs, sessionRowId)
        }
        db.prepare(
          'UPDATE files SET byte_offset = byte_offset + 1, message_count = message_count + ? WHERE id = ?',
        ).run(messages.length, fileId)
      }),
    addPart: (sessionRowId, messages) =>
      db.transaction(() => {
        const path = `/home/me/parts/${sessionRowId}/${parts++}.jsonl`
        const file = { path, agent: 'claude', kind: 'part', state: 'current' }
        insertMessages(db, sessionRowId, insertFile(db, sessionRowId, file, messages.length), messages)
      }),
    remove: (sessionRowId) =>
      db.transaction(() => {
        const range = [sessionRowId * rowsPerSession, (sessionRowId + 1) * rowsPerSession]
        db.prepare(
          'DELETE FROM messages_fts WHERE rowid IN (SELECT id FROM messages WHERE id >= ? AND id < ?)',
        ).run(...range)
        db.prepare('DELETE FROM messages WHERE id >= ? AND id < ?').run(...range)
        db.prepare('DELETE FROM files WHERE session_row_id = ?').run(sessionRowId)
        db.prepare('DELETE FROM sessions WHERE id = ?').run(sessionRowId)
      }),
    [Symbol.dispose]: () => db.close(),
  }
}

function insertSession(db: SqlDatabase, session: FixtureSession): number {
  const agent = session.agent ?? 'claude'
  const cwd = session.cwd === undefined ? '/work/app' : session.cwd
  const filePath = session.filePath ?? `/home/me/.${agent}/${session.sessionId}.jsonl`
  const messages = session.messages ?? []
  const { lastInsertRowid } = db
    .prepare(`
      INSERT INTO sessions (agent, session_id, title, cwd, cwd_key, branch, created_at_ms, updated_at_ms, message_count,
        resume_command, codex_home, file_path, lineage) VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?, ?)`)
    .run(
      agent,
      session.sessionId,
      session.title ?? `Title of ${session.sessionId}`,
      cwd,
      cwd === null ? null : cwdKey(cwd, 'linux'),
      session.branch ?? null,
      session.updatedAtMs === undefined ? 1_700_000_000_000 : session.updatedAtMs,
      session.messageCount ?? messages.length,
      session.resumeCommand ?? null,
      session.codexHome ?? null,
      filePath,
      session.lineage ?? null,
    )
  putTitle(db, lastInsertRowid, session.title ?? `Title of ${session.sessionId}`)
  const file = { path: filePath, agent, kind: 'session', state: session.fileState ?? 'current' }
  const fileId = session.fileState === null ? 0 : insertFile(db, lastInsertRowid, file, messages.length)
  insertMessages(db, lastInsertRowid, fileId, messages)
  return lastInsertRowid
}

function insertFile(
  db: SqlDatabase,
  sessionRowId: number,
  file: { readonly path: string; readonly agent: string; readonly kind: string; readonly state: string },
  messageCount: number,
): number {
  return db
    .prepare(`
      INSERT INTO files (path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms, byte_offset,
        tail_hash, message_count, bad_lines, unknown_records, fail_count, beside)
      VALUES (?, ?, '/home/me', ?, ?, ?, 1, 1, 1, 1, 1, '', ?, 0, 0, 0, '')`)
    .run(file.path, file.agent, sessionRowId, file.kind, file.state, messageCount).lastInsertRowid
}

function insertMessages(
  db: SqlDatabase,
  sessionRowId: number,
  fileId: number,
  messages: readonly (string | FixtureMessage)[],
): void {
  const first = sessionRowId * rowsPerSession
  const row = db
    .prepare('SELECT coalesce(max(id) + 1, ?) AS next FROM messages WHERE id >= ? AND id < ?')
    .get(first, first, first + rowsPerSession)
  const next = Number(row?.next)
  const inFile = db
    .prepare(
      'SELECT coalesce(max(position) + 1, 0) AS next FROM messages WHERE file_id = ? AND session_row_id = ?',
    )
    .get(fileId, sessionRowId)
  const position = Number(inFile?.next)
  for (const [at, given] of messages.entries()) {
    const { role = 'user', text, timestampMs = null } = typeof given === 'string' ? { text: given } : given
    const id = next + at
    db.prepare(`
      INSERT INTO messages (id, file_id, session_row_id, position, role, timestamp_ms, text)
      VALUES (?, ?, ?, ?, ?, ?, ?)`).run(
      id,
      fileId,
      sessionRowId,
      position + at,
      roleCodes[role],
      timestampMs,
      text,
    )
    db.prepare(`INSERT INTO messages_fts (rowid, ${role}_text, identifiers) VALUES (?, ?, ?)`).run(
      id,
      searchableText(text),
      identifierPieces(text),
    )
  }
}
