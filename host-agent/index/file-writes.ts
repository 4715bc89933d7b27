/** Writes rows of the `files` table. Called inside the transactions of write.ts. */
import type { SqlDatabase } from './driver/driver.ts'
import type { FileBatch } from './file-batch.ts'
import type { FilePosition, FileState } from './file-rows.ts'
import { numberIn } from './read.ts'
import { rowsPerSession } from './schema.ts'

/** A file that fails this often at one size and time is left alone until either changes. */
export const maxFailures = 3

/** What a row says of the file's content; a shadowed file keeps no fold. */
export type FileContent = Omit<FileBatch, 'fold'> & { readonly fold: string | null }

/** @returns the file's row id. */
export function putFile(
  db: SqlDatabase,
  batch: FileContent,
  sessionRowId: number | null,
  position: FilePosition,
  state: FileState,
): number {
  const row = db
    .prepare(
      `INSERT INTO files (path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms, beside,
        byte_offset, tail_hash, message_count, rewrites, fold, bad_lines, unknown_records, fail_count, failure)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, NULL)
      ON CONFLICT (path) DO UPDATE SET agent = excluded.agent, root = excluded.root, session_row_id = excluded.session_row_id,
        kind = excluded.kind, state = excluded.state, device = excluded.device, inode = excluded.inode,
        size_bytes = excluded.size_bytes, mtime_ms = excluded.mtime_ms, beside = excluded.beside,
        byte_offset = excluded.byte_offset, tail_hash = excluded.tail_hash, message_count = excluded.message_count, rewrites = excluded.rewrites,
        fold = excluded.fold, bad_lines = excluded.bad_lines, unknown_records = excluded.unknown_records,
        fail_count = 0, failure = NULL
      RETURNING id`,
    )
    .get(
      batch.path,
      batch.agent,
      batch.root,
      sessionRowId,
      batch.kind,
      state,
      batch.stamp.device,
      batch.stamp.inode,
      batch.stamp.sizeBytes,
      batch.stamp.mtimeMs,
      batch.stamp.beside,
      position.byteOffset,
      batch.tailHash,
      batch.messageCount,
      position.rewrites,
      batch.fold,
      batch.unread.badLines,
      batch.unread.unknownRecords,
    )
  if (row === undefined) throw new Error('a file row was not written')
  return numberIn(row, 'id')
}

/** The row of a file that could not be read; where it was read before, its position and fold stay. */
export function putFailure(
  db: SqlDatabase,
  file: Pick<FileBatch, 'agent' | 'root' | 'path' | 'stamp'>,
  failure: string,
): void {
  const { stamp } = file
  db.prepare(
    `INSERT INTO files (path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms, beside,
      byte_offset, tail_hash, message_count, fold, bad_lines, unknown_records, fail_count, failure)
    VALUES (?, ?, ?, NULL, 'none', 'failed', ?, ?, ?, ?, ?, 0, '', 0, NULL, 0, 0, 1, ?)
    ON CONFLICT (path) DO UPDATE SET state = 'failed', failure = excluded.failure,
      session_row_id = CASE WHEN state = 'shadowed' THEN NULL ELSE session_row_id END,
      fail_count = CASE WHEN state = 'failed' AND size_bytes = excluded.size_bytes AND mtime_ms = excluded.mtime_ms
        AND beside = excluded.beside THEN fail_count + 1 ELSE 1 END,
      device = excluded.device, inode = excluded.inode, size_bytes = excluded.size_bytes, mtime_ms = excluded.mtime_ms,
      beside = excluded.beside`,
  ).run(
    file.path,
    file.agent,
    file.root,
    stamp.device,
    stamp.inode,
    stamp.sizeBytes,
    stamp.mtimeMs,
    stamp.beside,
    failure,
  )
}

export function markOverfull(db: SqlDatabase, fileId: number): void {
  db.prepare("UPDATE files SET state = 'failed', fail_count = ?, failure = ? WHERE id = ?").run(
    maxFailures,
    `more than ${rowsPerSession} rows in one session`,
    fileId,
  )
}
