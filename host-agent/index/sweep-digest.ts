/**
 * What the last sweep found, as one text, kept where nothing was left to do: a sweep that finds the very same has nothing
 * to compare file by file. Whoever takes files out of the index, or does not want all of them, forgets it.
 */
import type { SqlDatabase } from './driver/driver.ts'
import { textIn } from './read.ts'

const key = 'sweep_digest'

export function readSweepDigest(db: SqlDatabase): string | null {
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').get(key)
  return row === undefined ? null : textIn(row, 'value')
}

/** Writes only what is new. */
export function keepSweepDigest(db: SqlDatabase, digest: string): void {
  if (readSweepDigest(db) !== digest)
    db.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
    ).run(key, digest)
}

export function forgetSweepDigest(db: SqlDatabase): void {
  db.prepare('DELETE FROM meta WHERE key = ?').run(key)
}
