/** Reads the messages that are weighed, and weighs them. */
import type { MessageRole } from '../../protocol/session-search/hit.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { numberIn, numberOrNull, roleOfCode, textIn } from '../index/read.ts'
import type { Needles } from './query-needles.ts'
import { type ScoredText, scoreText } from './score-text.ts'

/** One row: a message, a chunk of a long one, or the head of a tool's output. */
export interface MessageText {
  readonly rowId: number
  readonly fileId: number
  /** Which message of its file, from 0. */
  readonly position: number
  readonly role: MessageRole
  /** Milliseconds since the epoch. */
  readonly timestampMs: number | null
  readonly text: string
}

export interface WeighedMessage extends MessageText, ScoredText {}

/** @returns the rows that are there, by row id. */
export function readTexts(db: SqlDatabase, rowIds: readonly number[]): MessageText[] {
  return db
    .prepare(
      `SELECT m.id, m.file_id, m.position, m.role, m.timestamp_ms, m.text
      FROM json_each(?) wanted CROSS JOIN messages m ON m.id = wanted.value`,
    )
    .all(JSON.stringify([...rowIds].sort((a, b) => a - b)))
    .map((row) => ({
      rowId: numberIn(row, 'id'),
      fileId: numberIn(row, 'file_id'),
      position: numberIn(row, 'position'),
      role: roleOfCode(numberIn(row, 'role')),
      timestampMs: numberOrNull(row, 'timestamp_ms'),
      text: textIn(row, 'text'),
    }))
}

/** @returns the best first; of equals the first in the transcript. */
export function weighTexts(db: SqlDatabase, rowIds: readonly number[], needles: Needles): WeighedMessage[] {
  return readTexts(db, rowIds)
    .map((message) => ({ ...message, ...scoreText(message.text, message.role, needles) }))
    .sort((a, b) => b.score - a.score || a.rowId - b.rowId)
}
