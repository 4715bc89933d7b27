/**
 * Every change of the index. Each function here is one transaction: a search sees all of it or nothing, and the triggers
 * have moved the generation when it does.
 */
import type { SqlDatabase } from './driver/driver.ts'
import type { FileBatch } from './file-batch.ts'
import { type FilePosition, type FileRow, type FileState, fileRowAt } from './file-rows.ts'
import { markOverfull, putFailure, putFile } from './file-writes.ts'
import { settleLineage } from './lineage.ts'
import { deleteMessages, insertMessages, type RowsOfFile } from './message-store.ts'
import {
  mainFile,
  putPartOfSession,
  putSession,
  type SessionSource,
  sessionRowOf,
  settleSession,
} from './session-rows.ts'

/**
 * `fenced`: the row has moved since the read began; nothing was written. `reread`: the file turned out to be of
 * another session or kind than before, which an append cannot say; nothing was written, it must be read from its start.
 * `shadowed`: a newer file is the source of that session; noted, without its messages.
 */
export type BatchOutcome =
  | { readonly outcome: 'written' | 'shadowed'; readonly position: FilePosition }
  | {
      readonly outcome: 'fenced' | 'reread'
    }

/** Writes batches of several files in one transaction, in their order. */
export function writeBatches(
  db: SqlDatabase,
  batches: readonly FileBatch[],
  platform: NodeJS.Platform,
): BatchOutcome[] {
  return db.transaction(() => {
    const pending: PendingRows = new Map()
    const outcomes = batches.map((batch) => writeFile(db, batch, platform, pending))
    // FTS5 collects terms for as long as row ids rise: rows of older sessions must not come in between.
    const inOrder = Array.from(pending.values()).sort((a, b) => a.sessionRowId - b.sessionRowId)
    for (const rows of inOrder) if (insertMessages(db, rows) > 0) markOverfull(db, rows.fileId)
    // Not in between: an update of a table with triggers makes a savepoint, and FTS5 writes out its terms for each.
    for (const { fileId, sessionRowId } of inOrder) settleLineage(db, fileId, sessionRowId)
    return outcomes
  })
}

/** By file id; in the same transaction a file may still lose its rows to another one of the same session. */
type PendingRows = Map<number, RowsOfFile>

function writeFile(
  db: SqlDatabase,
  batch: FileBatch,
  platform: NodeJS.Platform,
  pending: PendingRows,
): BatchOutcome {
  const row = fileRowAt(db, batch.path)
  const isAsExpected =
    row?.byteOffset === batch.expected?.byteOffset && row?.rewrites === batch.expected?.rewrites
  if (!isAsExpected) return { outcome: 'fenced' }
  const source: SessionSource = { agent: batch.agent, filePath: batch.path, platform }
  return batch.mode === 'append' && row !== null
    ? append(db, batch, row, source, pending)
    : replace(db, batch, row, source, pending)
}

function append(
  db: SqlDatabase,
  batch: FileBatch,
  row: FileRow,
  source: SessionSource,
  pending: PendingRows,
): BatchOutcome {
  if (row.kind !== batch.kind) return { outcome: 'reread' }
  if (batch.kind !== 'none' && sessionRowOf(db, batch.agent, batch.facts.sessionId) !== row.sessionRowId)
    return { outcome: 'reread' }
  const sessionRowId = sessionFor(db, batch, source)
  const position = { byteOffset: batch.byteOffset, rewrites: row.rewrites }
  const fileId = putFile(db, batch, sessionRowId, position, stateAfter(batch))
  if (sessionRowId !== null) pending.set(fileId, { fileId, sessionRowId, rows: batch.rows })
  return { outcome: 'written', position }
}

function replace(
  db: SqlDatabase,
  batch: FileBatch,
  row: FileRow | null,
  source: SessionSource,
  pending: PendingRows,
): BatchOutcome {
  if (row !== null) takeRows(db, row.id, pending)
  const rewrites = row === null ? 0 : row.rewrites + 1
  const rival = batch.kind === 'session' ? rivalOf(db, batch, row) : null
  if (rival !== null && rival.mtimeMs >= batch.stamp.mtimeMs) {
    const position = { byteOffset: 0, rewrites }
    putFile(
      db,
      { ...batch, tailHash: '', fold: null, messageCount: 0 },
      rival.sessionRowId,
      position,
      'shadowed',
    )
    leaveSession(db, row, rival.sessionRowId)
    return { outcome: 'shadowed', position }
  }
  if (rival !== null) castShadow(db, rival.id, pending)
  const sessionRowId = sessionFor(db, batch, source)
  const position = { byteOffset: batch.byteOffset, rewrites }
  const fileId = putFile(db, batch, sessionRowId, position, stateAfter(batch))
  leaveSession(db, row, sessionRowId)
  if (sessionRowId !== null) pending.set(fileId, { fileId, sessionRowId, rows: batch.rows })
  return { outcome: 'written', position }
}

function sessionFor(db: SqlDatabase, batch: FileBatch, source: SessionSource): number | null {
  if (batch.kind === 'none') return null
  return batch.kind === 'session'
    ? putSession(db, source, batch.facts)
    : putPartOfSession(db, source, batch.facts)
}

/** The file that is already the source of the session this one claims to be. */
function rivalOf(db: SqlDatabase, batch: FileBatch, row: FileRow | null) {
  const sessionRowId = sessionRowOf(db, batch.agent, batch.facts.sessionId)
  if (sessionRowId === null) return null
  const main = mainFile(db, sessionRowId)
  return main === null || main.id === row?.id ? null : { ...main, sessionRowId }
}

function castShadow(db: SqlDatabase, fileId: number, pending: PendingRows): void {
  takeRows(db, fileId, pending)
  db.prepare(
    `UPDATE files SET state = 'shadowed', byte_offset = 0, tail_hash = '', message_count = 0, fold = NULL,
      rewrites = rewrites + 1 WHERE id = ?`,
  ).run(fileId)
}

function takeRows(db: SqlDatabase, fileId: number, pending: PendingRows): void {
  pending.delete(fileId)
  deleteMessages(db, fileId)
}

function leaveSession(db: SqlDatabase, row: FileRow | null, sessionRowId: number | null): void {
  if (row === null || row.sessionRowId === null || row.sessionRowId === sessionRowId) return
  settleSession(db, row.sessionRowId)
}

function stateAfter(batch: FileBatch): FileState {
  if (!batch.complete) return 'due'
  return batch.excluded === true ? 'excluded' : 'current'
}

/** Takes a file that is no longer there out of the index, with all it held. A file the index does not know is no error. */
export function removeFile(db: SqlDatabase, path: string): void {
  db.transaction(() => {
    const row = fileRowAt(db, path)
    if (row === null) return
    deleteMessages(db, row.id)
    db.prepare('DELETE FROM files WHERE id = ?').run(row.id)
    if (row.sessionRowId !== null) settleSession(db, row.sessionRowId)
  })
}

/** Notes that a file could not be read, and why. What the index holds of it from before stays. */
export function noteFailure(
  db: SqlDatabase,
  file: Pick<FileBatch, 'agent' | 'root' | 'path' | 'stamp'>,
  failure: string,
): void {
  db.transaction(() => putFailure(db, file, failure))
}
