/**
 * How the messages of one session are numbered where it lies in several files: its own transcript from 0, and behind it
 * each subagent's in a block of its own, the first from 1,048,576 on. The numbers of one file do not move when another
 * one grows.
 */
import type { SqlDatabase } from '../index/driver/driver.ts'
import { numberIn, textIn } from '../index/read.ts'
import { rowsPerSession } from '../index/schema.ts'

/** Messages of one file, `start` being the number of its first. */
export interface TranscriptBlock {
  readonly fileId: number
  readonly start: number
  readonly messageCount: number
  /** How often the file was read anew. */
  readonly rewrites: number
}

/** No file has as many messages: a session has no more rows. */
export const messagesPerBlock = rowsPerSession

/** @returns the blocks that hold messages of this session, in order; none for a session that is not there. */
export function transcriptBlocks(db: SqlDatabase, sessionRowId: number): TranscriptBlock[] {
  const files = db
    .prepare(
      `SELECT id, kind, message_count, rewrites FROM files
      WHERE session_row_id = ? AND kind IN ('session', 'part') AND state <> 'shadowed'
      ORDER BY kind = 'part', id`,
    )
    .all(sessionRowId)
  let parts = 0
  return files.map((row) => ({
    fileId: numberIn(row, 'id'),
    start: textIn(row, 'kind') === 'part' ? ++parts * messagesPerBlock : 0,
    messageCount: numberIn(row, 'message_count'),
    rewrites: numberIn(row, 'rewrites'),
  }))
}
