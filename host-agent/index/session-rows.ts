/** The `sessions` table: which session a file belongs to, and what becomes of a session when one of its files goes. */

import type { SessionFacts } from '../transcripts/reader.ts'
import { cwdKey } from './cwd-key.ts'
import type { SqlDatabase } from './driver/driver.ts'
import { storable } from './message-rows.ts'
import { numberIn, textIn } from './read.ts'
import { identifierPieces, searchableText } from './tokens.ts'

export interface SessionSource {
  readonly agent: string
  /** The transcript that the facts come from. */
  readonly filePath: string
  /** Of this machine: decides how folders are compared. */
  readonly platform: NodeJS.Platform
}

/** Writes the facts of a session's own transcript. @returns the session's row id. */
export function putSession(db: SqlDatabase, source: SessionSource, facts: SessionFacts): number {
  const title = storable(facts.title)
  const known = titleOf(db, source.agent, facts.sessionId)
  const row = db
    .prepare(
      `INSERT INTO sessions (agent, session_id, title, cwd, cwd_key, branch, created_at_ms, updated_at_ms, message_count,
        resume_command, codex_home, file_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (agent, session_id) DO UPDATE SET title = excluded.title, cwd = excluded.cwd, cwd_key = excluded.cwd_key,
        branch = excluded.branch, created_at_ms = excluded.created_at_ms, updated_at_ms = excluded.updated_at_ms,
        message_count = excluded.message_count, resume_command = excluded.resume_command,
        codex_home = excluded.codex_home, file_path = excluded.file_path
      RETURNING id`,
    )
    .get(
      source.agent,
      facts.sessionId,
      title,
      facts.cwd,
      facts.cwd === null ? null : cwdKey(facts.cwd, source.platform),
      facts.branch,
      facts.createdAtMs,
      facts.updatedAtMs,
      facts.messageCount,
      facts.resumeCommand,
      facts.codexHome ?? null,
      source.filePath,
    )
  if (row === undefined) throw new Error('a session row was not written')
  const sessionRowId = numberIn(row, 'id')
  if (known !== title) putTitle(db, sessionRowId, title)
  return sessionRowId
}

/** Makes a title findable in place of the one before. A trigger takes it away with its session. */
export function putTitle(db: SqlDatabase, sessionRowId: number, title: string): void {
  db.prepare(
    'INSERT OR REPLACE INTO titles_fts (rowid, title, identifiers) VALUES (CAST(? AS INTEGER), ?, ?)',
  ).run(sessionRowId, searchableText(title), identifierPieces(title))
}

function titleOf(db: SqlDatabase, agent: string, sessionId: string): string | null {
  const row = db
    .prepare('SELECT title FROM sessions WHERE agent = ? AND session_id = ?')
    .get(agent, sessionId)
  return row === undefined ? null : textIn(row, 'title')
}

/**
 * The session that a subagent's transcript belongs to. Where its own transcript was not read yet, the session begins
 * with what the subagent's says of it.
 */
export function putPartOfSession(db: SqlDatabase, source: SessionSource, facts: SessionFacts): number {
  const sessionRowId = sessionRowOf(db, source.agent, facts.sessionId)
  if (sessionRowId === null) return putSession(db, source, facts)
  if (mainFile(db, sessionRowId) === null)
    db.prepare('UPDATE sessions SET updated_at_ms = max(coalesce(updated_at_ms, ?), ?) WHERE id = ?').run(
      facts.updatedAtMs,
      facts.updatedAtMs,
      sessionRowId,
    )
  return sessionRowId
}

export function sessionRowOf(db: SqlDatabase, agent: string, sessionId: string): number | null {
  const row = db.prepare('SELECT id FROM sessions WHERE agent = ? AND session_id = ?').get(agent, sessionId)
  return row === undefined ? null : numberIn(row, 'id')
}

export interface MainFile {
  readonly id: number
  readonly path: string
  readonly mtimeMs: number
}

/** The transcript that is the session's source; null for a session known from its subagents alone. */
export function mainFile(db: SqlDatabase, sessionRowId: number): MainFile | null {
  const row = db
    .prepare(
      `SELECT id, path, mtime_ms FROM files WHERE session_row_id = ? AND kind = 'session' AND state <> 'shadowed' LIMIT 1`,
    )
    .get(sessionRowId)
  if (row === undefined) return null
  return { id: numberIn(row, 'id'), path: textIn(row, 'path'), mtimeMs: numberIn(row, 'mtime_ms') }
}

/**
 * To be called when a file has left a session. Copies that stood in its shadow become due, so that the next pass reads
 * the newest of them; a session that no file is left of goes.
 */
export function settleSession(db: SqlDatabase, sessionRowId: number): void {
  if (mainFile(db, sessionRowId) === null)
    db.prepare(
      "UPDATE files SET state = 'due', session_row_id = NULL WHERE session_row_id = ? AND state = 'shadowed'",
    ).run(sessionRowId)
  // No numbered parameters: better-sqlite3 takes `?1` for a name.
  db.prepare(
    'DELETE FROM sessions WHERE id = ? AND NOT EXISTS (SELECT 1 FROM files WHERE session_row_id = ?)',
  ).run(sessionRowId, sessionRowId)
}
