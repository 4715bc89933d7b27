/** For tests: small real indexes, written through the product's own tables and tokens. */

import { cwdKey } from '../index/cwd-key.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { createSchema, roleCodes, rowsPerSession } from '../index/schema.ts'
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
  return {
    db,
    add: (session) => db.transaction(() => insertSession(db, session)),
    append: (sessionRowId, messages, updatedAtMs) =>
      db.transaction(() => {
        insertMessages(db, sessionRowId, messages)
        if (updatedAtMs !== undefined) {
          db.prepare('UPDATE sessions SET updated_at_ms = ? WHERE id = ?').run(updatedAtMs, sessionRowId)
        }
        db.prepare('UPDATE files SET byte_offset = byte_offset + 1 WHERE session_row_id = ?').run(
          sessionRowId,
        )
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
        resume_command, codex_home, file_path) VALUES (?, ?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?)`)
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
    )
  if (session.fileState !== null) {
    db.prepare(`
      INSERT INTO files (path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms, beside, byte_offset,
        tail_hash, message_count, bad_lines, unknown_records, fail_count)
      VALUES (?, ?, '/home/me', ?, 'session', ?, 1, 1, 1, 1, '', 1, '', ?, 0, 0, 0)`).run(
      filePath,
      agent,
      lastInsertRowid,
      session.fileState ?? 'current',
      messages.length,
    )
  }
  insertMessages(db, lastInsertRowid, messages)
  return lastInsertRowid
}

function insertMessages(
  db: SqlDatabase,
  sessionRowId: number,
  messages: readonly (string | FixtureMessage)[],
): void {
  const first = sessionRowId * rowsPerSession
  const row = db
    .prepare('SELECT coalesce(max(id) + 1, ?) AS next FROM messages WHERE id >= ? AND id < ?')
    .get(first, first, first + rowsPerSession)
  const next = Number(row?.next)
  for (const [at, given] of messages.entries()) {
    const { role = 'user', text, timestampMs = null } = typeof given === 'string' ? { text: given } : given
    const id = next + at
    db.prepare(`
      INSERT INTO messages (id, file_id, session_row_id, position, role, timestamp_ms, text)
      VALUES (?, 1, ?, ?, ?, ?, ?)`).run(id, sessionRowId, id - first, roleCodes[role], timestampMs, text)
    db.prepare(`INSERT INTO messages_fts (rowid, ${role}_text, identifiers) VALUES (?, ?, ?)`).run(
      id,
      searchableText(text),
      identifierPieces(text),
    )
  }
}
