/** The `files` table: what the index knows of each transcript file, and from where it goes on reading. */
import type { TranscriptKind } from '../transcripts/reader.ts'
import type { SqlDatabase, SqlRow } from './driver/driver.ts'
import { numberIn, numberOrNull, textIn, textOrNull } from './read.ts'

/** See schema.ts. */
export type FileState = 'current' | 'due' | 'failed' | 'shadowed'

/** What tells one version of a file from another without reading it. */
export interface FileStamp {
  readonly device: number
  readonly inode: number
  readonly sizeBytes: number
  /** Milliseconds since the epoch, with fractions. */
  readonly mtimeMs: number
  /** The same of its companions (a manifest beside it), as one text; '' for a file that has none. */
  readonly beside: string
}

/** What a write is fenced by: a file row that stands elsewhere than it did when the read began was written by another. */
export interface FilePosition {
  readonly byteOffset: number
  readonly rewrites: number
}

export interface FileRow extends FileStamp, FilePosition {
  readonly id: number
  readonly path: string
  readonly agent: string
  readonly root: string
  readonly sessionRowId: number | null
  readonly kind: TranscriptKind
  readonly state: FileState
  /** Of the bytes before `byteOffset`; '' where nothing was read. */
  readonly tailHash: string
  /** Messages read so far: the position of the next one. */
  readonly messageCount: number
  readonly failCount: number
}

/** Everything but the fold, which may be large and is read one at a time. */
const columns = `id, path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms, beside,
  byte_offset, tail_hash, message_count, rewrites, fail_count`

export function allFileRows(db: SqlDatabase): FileRow[] {
  return db.prepare(`SELECT ${columns} FROM files`).all().map(fileRow)
}

export function fileRowAt(db: SqlDatabase, path: string): FileRow | null {
  const row = db.prepare(`SELECT ${columns} FROM files WHERE path = ?`).get(path)
  return row === undefined ? null : fileRow(row)
}

/** @returns the saved fold as JSON text, null where none was kept. */
export function savedFold(db: SqlDatabase, fileId: number): string | null {
  const row = db.prepare('SELECT fold FROM files WHERE id = ?').get(fileId)
  return row === undefined ? null : textOrNull(row, 'fold')
}

export interface FileCounts {
  /** Files whose content the index covers. */
  readonly indexed: number
  readonly failed: number
  readonly unreadLines: number
}

export function countFiles(db: SqlDatabase): FileCounts {
  const row = db
    .prepare(
      `SELECT count(*) FILTER (WHERE state IN ('current', 'shadowed')) AS indexed,
        count(*) FILTER (WHERE state = 'failed') AS failed,
        coalesce(sum(bad_lines + unknown_records), 0) AS unread FROM files`,
    )
    .get()
  if (row === undefined) return { indexed: 0, failed: 0, unreadLines: 0 }
  return {
    indexed: numberIn(row, 'indexed'),
    failed: numberIn(row, 'failed'),
    unreadLines: numberIn(row, 'unread'),
  }
}

function fileRow(row: SqlRow): FileRow {
  return {
    id: numberIn(row, 'id'),
    path: textIn(row, 'path'),
    agent: textIn(row, 'agent'),
    root: textIn(row, 'root'),
    sessionRowId: numberOrNull(row, 'session_row_id'),
    kind: textIn(row, 'kind') as TranscriptKind,
    state: textIn(row, 'state') as FileState,
    device: numberIn(row, 'device'),
    inode: numberIn(row, 'inode'),
    sizeBytes: numberIn(row, 'size_bytes'),
    mtimeMs: numberIn(row, 'mtime_ms'),
    beside: textIn(row, 'beside'),
    byteOffset: numberIn(row, 'byte_offset'),
    tailHash: textIn(row, 'tail_hash'),
    messageCount: numberIn(row, 'message_count'),
    rewrites: numberIn(row, 'rewrites'),
    failCount: numberIn(row, 'fail_count'),
  }
}
