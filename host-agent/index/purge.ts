/**
 * Takes out sessions that are older than what is kept, in small transactions: first they are hidden, which is what
 * searches see and cursors are refused for; then their messages go, a few hundred at a time. A process that ends in
 * between leaves in `purges` what is still to be done.
 */
import type { SqlDatabase, SqlRow } from './driver/driver.ts'
import { numberIn } from './read.ts'
import { rowsPerSession } from './schema.ts'
import { forgetSweepDigest } from './sweep-digest.ts'

/** Sessions hidden, and messages deleted, in one transaction. */
const sessionsAtOnce = 500
const messagesAtOnce = 256

/**
 * Hides some sessions whose last message is from before `keptSinceMs`; where no message has a time, those whose files
 * were last written before. Their files stay known, so that nobody reads them again. One transaction.
 * @returns how many; 0 when there are none left. The generation and the removals have moved unless it is 0.
 */
export function hideOldSessions(db: SqlDatabase, keptSinceMs: number): number {
  const old = db.prepare('SELECT id, updated_at_ms FROM sessions WHERE updated_at_ms < ? LIMIT ?')
  const undated = db.prepare(
    `SELECT s.id, max(f.mtime_ms) AS updated_at_ms FROM sessions s JOIN files f ON f.session_row_id = s.id
    WHERE s.updated_at_ms IS NULL GROUP BY s.id HAVING max(f.mtime_ms) < ? LIMIT ?`,
  )
  const find = () => [...old.all(keptSinceMs, sessionsAtOnce), ...undated.all(keptSinceMs, sessionsAtOnce)]
  // Nearly always there are none: no lock is taken to see that.
  if (find().length === 0) return 0
  return db.transaction(() => hideFound(db, find()))
}

/** As above, of the sessions that are named, some at once. @returns how many. */
export function hideSessions(db: SqlDatabase, sessions: readonly SqlRow[]): number {
  if (sessions.length === 0) return 0
  return db.transaction(() => hideFound(db, sessions.slice(0, sessionsAtOnce)))
}

/** @param sessions rows with `id`, and `updated_at_ms` for the files. */
function hideFound(db: SqlDatabase, sessions: readonly SqlRow[]): number {
  const forgetFiles = db.prepare(
    `UPDATE files SET state = 'purged', purged_ms = ?, session_row_id = NULL, byte_offset = 0, tail_hash = '',
        message_count = 0, fold = NULL, rewrites = rewrites + 1 WHERE session_row_id = ?`,
  )
  const note = db.prepare('INSERT OR IGNORE INTO purges (session_row_id) VALUES (?)')
  const remove = db.prepare('DELETE FROM sessions WHERE id = ?')
  for (const row of sessions) {
    const id = numberIn(row, 'id')
    forgetFiles.run(Math.floor(numberIn(row, 'updated_at_ms')), id)
    note.run(id)
    remove.run(id)
  }
  forgetSweepDigest(db)
  return sessions.length
}

/** Deletes some messages of hidden sessions. One transaction. @returns whether there may be more. */
export function deletePurged(db: SqlDatabase): boolean {
  const next = db.prepare('SELECT session_row_id AS id FROM purges LIMIT 1')
  if (next.get() === undefined) return false
  return db.transaction(() => {
    const row = next.get()
    if (row === undefined) return false
    const first = numberIn(row, 'id') * rowsPerSession
    const ids = db
      .prepare('SELECT id FROM messages WHERE id BETWEEN ? AND ? LIMIT ?')
      .all(first, first + rowsPerSession - 1, messagesAtOnce)
    // Drivers bind numbers as floating point, which FTS5 takes for no row id.
    const fromText = db.prepare('DELETE FROM messages_fts WHERE rowid = CAST(? AS INTEGER)')
    const fromTable = db.prepare('DELETE FROM messages WHERE id = ?')
    for (const message of ids) {
      const id = numberIn(message, 'id')
      fromText.run(id)
      fromTable.run(id)
    }
    if (ids.length < messagesAtOnce)
      db.prepare('DELETE FROM purges WHERE session_row_id = ?').run(numberIn(row, 'id'))
    return true
  })
}
