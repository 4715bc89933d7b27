/**
 * What the account's owner keeps out of the index (`[index] exclude`). The patterns stand in `meta`, as the agent that
 * was started last was told them: every agent at the index goes by those, so that none brings back what another took out.
 */
import type { SqlDatabase } from './driver/driver.ts'
import { hideSessions } from './purge.ts'
import { textIn, textOrNull } from './read.ts'
import { forgetSweepDigest } from './sweep-digest.ts'

const key = 'exclusion'

/** @returns JSON text of the patterns, '' where nothing is excluded. */
export function readExclusion(db: SqlDatabase): string {
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key)
  return row === undefined ? '' : textIn(row, 'value')
}

/**
 * Has the index made by this exclusion from now on. Files that were left out, and those that hold no session, are judged
 * anew by the next sweep. One transaction, and none where nothing is new. @returns whether it is.
 */
export function putExclusion(db: SqlDatabase, exclusion: string): boolean {
  if (readExclusion(db) === exclusion) return false
  db.transaction(() => {
    db.prepare('DELETE FROM files WHERE session_row_id IS NULL').run()
    db.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    ).run(key, exclusion)
    forgetSweepDigest(db)
  })
  return true
}

/** Hides some sessions that worked or lie in an excluded place. One transaction. @returns how many; 0 when none are left. */
export function hideExcludedSessions(db: SqlDatabase, covers: (path: string | null) => boolean): number {
  const excluded = db
    .prepare(
      `SELECT s.id, s.cwd, s.file_path, coalesce(s.updated_at_ms, max(f.mtime_ms), 0) AS updated_at_ms
      FROM sessions s LEFT JOIN files f ON f.session_row_id = s.id GROUP BY s.id`,
    )
    .all()
    .filter((row) => covers(textOrNull(row, 'cwd')) || covers(textIn(row, 'file_path')))
  return hideSessions(db, excluded)
}
