/**
 * Tells sessions that are copies of one conversation: a fork, or a resume of old, begins with the very message that the
 * first one began with, said at the same instant.
 */
import { createHash } from 'node:crypto'
import type { SqlDatabase } from './driver/driver.ts'
import { numberOrNull, textIn } from './read.ts'
import { roleCodes } from './schema.ts'

/** What the user says first stands near the head, behind a few rows of tools at most. */
const maxHeadPositions = 200

/**
 * Notes whose copy a session may be, from the first user message of its own transcript. To be called when rows of the
 * file have been written. Without a time there is no telling a copy from the same words said again: the lineage is null.
 */
export function settleLineage(db: SqlDatabase, fileId: number, sessionRowId: number): void {
  const first = db
    .prepare(
      `SELECT m.timestamp_ms, m.text FROM files f JOIN messages m ON m.file_id = f.id
      WHERE f.id = ? AND f.kind = 'session' AND m.position < ? AND m.role = ${roleCodes.user}
      ORDER BY m.position, m.id LIMIT 1`,
    )
    .get(fileId, maxHeadPositions)
  if (first === undefined) return
  const lineage = lineageOf(textIn(first, 'text'), numberOrNull(first, 'timestamp_ms'))
  db.prepare('UPDATE sessions SET lineage = ? WHERE id = ? AND lineage IS NOT ?').run(
    lineage,
    sessionRowId,
    lineage,
  )
}

/** @param timestampMs since the epoch. @returns null where the time is not known. */
export function lineageOf(firstUserText: string, timestampMs: number | null): string | null {
  if (timestampMs === null) return null
  return createHash('sha256').update(`${timestampMs}\n${firstUserText}`).digest('base64url').slice(0, 16)
}
