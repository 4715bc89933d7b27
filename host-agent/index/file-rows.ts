/** The `files` table: what the index knows of each transcript file, and from where it goes on reading. */
import type { TranscriptKind } from '../transcripts/reader.ts'
import type { SqlDatabase, SqlRow } from './driver/driver.ts'
import { numberIn, numberOrNull, textIn, textOrNull } from './read.ts'

/** See schema.ts. */
export type FileState = 'current' | 'due' | 'failed' | 'shadowed' | 'purged' | 'excluded'

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

/** What decides whether a file is read, and whether it is looked for. */
export interface KnownFile extends FileStamp {
  readonly path: string
  readonly agent: string
  readonly root: string
  readonly state: FileState
  readonly byteOffset: number
  readonly failCount: number
  /** Of a purged file: when its session's last message was, in milliseconds since the epoch. */
  readonly purgedMs: number | null
}

export interface FileRow extends KnownFile, FilePosition {
  readonly id: number
  readonly sessionRowId: number | null
  readonly kind: TranscriptKind
  /** Of the bytes before `byteOffset`; '' where nothing was read. */
  readonly tailHash: string
  /** Messages read so far: the position of the next one. */
  readonly messageCount: number
}

const knownColumns = `path, agent, root, state, device, inode, size_bytes, mtime_ms, beside, byte_offset, fail_count,
  purged_ms`

/** All files. Half the columns take half the time, which a restart with many files waits for. */
export function knownFiles(db: SqlDatabase): KnownFile[] {
  return db.prepare(`SELECT ${knownColumns} FROM files`).all().map(knownFile)
}

/** Everything but the fold, which may be large and is read one at a time. */
const columns = `id, path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms, beside,
  byte_offset, tail_hash, message_count, rewrites, fail_count, purged_ms`

export function allFileRows(db: SqlDatabase): FileRow[] {
  return db.prepare(`SELECT ${columns} FROM files`).all().map(fileRow)
}

export function fileRowAt(db: SqlDatabase, path: string): FileRow | null {
  const row = db.prepare(`SELECT ${columns} FROM files WHERE path = ?`).get(path)
  return row === undefined ? null : fileRow(row)
}

/** Files that the index says are to be read: read in part, or a copy whose original has gone. */
export function duePaths(db: SqlDatabase): { path: string; agent: string; root: string }[] {
  return db
    .prepare("SELECT path, agent, root FROM files WHERE state = 'due'")
    .all()
    .map((row) => ({ path: textIn(row, 'path'), agent: textIn(row, 'agent'), root: textIn(row, 'root') }))
}

export function holdsFilesOf(db: SqlDatabase, root: string): boolean {
  return db.prepare('SELECT 1 FROM files WHERE root = ? LIMIT 1').get(root) !== undefined
}

/** Whether a file failed and is to be tried again as it is. */
export function hasFailuresToRetry(db: SqlDatabase, maxFailures: number): boolean {
  const one = db.prepare("SELECT 1 FROM files WHERE state = 'failed' AND fail_count < ? LIMIT 1")
  return one.get(maxFailures) !== undefined
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
  readonly sessions: number
  /** Rows of tools among them. */
  readonly messages: number
}

export const nothingCounted: FileCounts = { indexed: 0, failed: 0, unreadLines: 0, sessions: 0, messages: 0 }

export function countFiles(db: SqlDatabase): FileCounts {
  const row = db
    .prepare(
      `SELECT count(*) FILTER (WHERE state IN ('current', 'shadowed')) AS indexed,
        count(*) FILTER (WHERE state = 'failed') AS failed,
        coalesce(sum(bad_lines + unknown_records), 0) AS unread,
        coalesce(sum(message_count) FILTER (WHERE session_row_id IS NOT NULL), 0) AS messages,
        (SELECT count(*) FROM sessions) AS sessions FROM files`,
    )
    .get()
  if (row === undefined) return nothingCounted
  return {
    indexed: numberIn(row, 'indexed'),
    failed: numberIn(row, 'failed'),
    unreadLines: numberIn(row, 'unread'),
    sessions: numberIn(row, 'sessions'),
    messages: numberIn(row, 'messages'),
  }
}

/** A file that was not read, or not all of it. */
export interface UnreadFile {
  readonly path: string
  readonly agent: string
  /** Why it was not read at all; null for one of which lines were left out. */
  readonly failure: string | null
  /** Lines and records left out. */
  readonly lines: number
}

/** Failed files first, then those with the most left out. @param limit of each. */
export function unreadFiles(db: SqlDatabase, limit: number): UnreadFile[] {
  const failed = db
    .prepare("SELECT path, agent, failure FROM files WHERE state = 'failed' ORDER BY mtime_ms DESC LIMIT ?")
    .all(limit)
    .map((row) => ({
      path: textIn(row, 'path'),
      agent: textIn(row, 'agent'),
      failure: textOrNull(row, 'failure') ?? 'it could not be read',
      lines: 0,
    }))
  const inPart = db
    .prepare(
      `SELECT path, agent, bad_lines + unknown_records AS lines FROM files
      WHERE state <> 'failed' AND bad_lines + unknown_records > 0 ORDER BY lines DESC, path LIMIT ?`,
    )
    .all(limit)
    .map((row) => ({
      path: textIn(row, 'path'),
      agent: textIn(row, 'agent'),
      failure: null,
      lines: numberIn(row, 'lines'),
    }))
  return [...failed, ...inPart]
}

function fileRow(row: SqlRow): FileRow {
  return {
    ...knownFile(row),
    id: numberIn(row, 'id'),
    sessionRowId: numberOrNull(row, 'session_row_id'),
    kind: textIn(row, 'kind') as TranscriptKind,
    tailHash: textIn(row, 'tail_hash'),
    messageCount: numberIn(row, 'message_count'),
    rewrites: numberIn(row, 'rewrites'),
  }
}

function knownFile(row: SqlRow): KnownFile {
  return {
    path: textIn(row, 'path'),
    agent: textIn(row, 'agent'),
    root: textIn(row, 'root'),
    state: textIn(row, 'state') as FileState,
    device: numberIn(row, 'device'),
    inode: numberIn(row, 'inode'),
    sizeBytes: numberIn(row, 'size_bytes'),
    mtimeMs: numberIn(row, 'mtime_ms'),
    beside: textIn(row, 'beside'),
    byteOffset: numberIn(row, 'byte_offset'),
    failCount: numberIn(row, 'fail_count'),
    purgedMs: numberOrNull(row, 'purged_ms'),
  }
}
