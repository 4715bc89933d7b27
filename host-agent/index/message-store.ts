/** Puts rows into `messages` and the full text beside it, and takes a file's rows out of both. */
import type { SqlDatabase } from './driver/driver.ts'
import { type PackedRows, unpackRows } from './packed-rows.ts'
import { numberIn } from './read.ts'
import { roleCodes, rowsPerSession } from './schema.ts'

const columnOfRole: Readonly<Record<number, string>> = {
  [roleCodes.user]: 'user_text',
  [roleCodes.assistant]: 'assistant_text',
  [roleCodes.tool]: 'tool_text',
}

export interface RowsOfFile {
  readonly fileId: number
  readonly sessionRowId: number
  readonly rows: PackedRows
}

/** Row ids go on from the greatest of the session. @returns how many rows the session has no row ids left for. */
export function insertMessages(db: SqlDatabase, { fileId, sessionRowId, rows }: RowsOfFile): number {
  const first = sessionRowId * rowsPerSession
  const firstFree = nextRowId(db, first, first + rowsPerSession - 1)
  const room = first + rowsPerSession - firstFree
  const message = db.prepare(
    `INSERT INTO messages (id, file_id, session_row_id, position, role, timestamp_ms, text)
    VALUES (?, ?, ?, ?, ?, ?, CAST(? AS TEXT))`,
  )
  const fullText = (role: number) =>
    db.prepare(
      `INSERT INTO messages_fts (rowid, ${columnOfRole[role]}, identifiers)
      VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT))`,
    )
  let done = 0
  for (const row of unpackRows(rows)) {
    if (done === room) break
    const id = firstFree + done
    message.run(id, fileId, sessionRowId, row.position, row.role, row.timestampMs, row.text)
    fullText(row.role).run(id, row.searchable, row.identifiers)
    done++
  }
  return rows.count - done
}

function nextRowId(db: SqlDatabase, first: number, last: number): number {
  const row = db
    .prepare('SELECT coalesce(max(id) + 1, ?) AS next FROM messages WHERE id BETWEEN ? AND ?')
    .get(first, first, last)
  return row === undefined ? first : numberIn(row, 'next')
}

/**
 * By row id: without one, FTS5 would look through the whole table. The cast is needed for that too: drivers bind
 * numbers as floating point, which FTS5 takes for no row id (measured at 50,000 rows: 4 ms a row instead of 0.05).
 */
export function deleteMessages(db: SqlDatabase, fileId: number): void {
  const ids = db.prepare('SELECT id FROM messages WHERE file_id = ?').all(fileId)
  if (ids.length === 0) return
  const fromText = db.prepare('DELETE FROM messages_fts WHERE rowid = CAST(? AS INTEGER)')
  for (const row of ids) fromText.run(numberIn(row, 'id'))
  db.prepare('DELETE FROM messages WHERE file_id = ?').run(fileId)
}
