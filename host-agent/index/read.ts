/** What search reads of the index beside the full text itself: the fence, sessions and single messages. */
import type { MessageRole } from '../../protocol/session-search/hit.ts'
import type { SqlDatabase, SqlRow } from './driver/driver.ts'
import { roleCodes } from './schema.ts'

/** What a cursor is held against. */
export interface IndexFence {
  /** Random per index file: a rebuilt index is another index. */
  readonly indexId: string
  /** Moves with every change of what a search can see. */
  readonly generation: number
  /** Moves only when something was taken away or rewritten. */
  readonly removals: number
}

export interface SessionRecord {
  readonly rowId: number
  readonly agent: string
  readonly sessionId: string
  readonly title: string
  readonly cwd: string | null
  readonly branch: string | null
  readonly updatedAtMs: number | null
  readonly messageCount: number
  readonly resumeCommand: string | null
  readonly codexHome: string | null
  readonly filePath: string
  /** The index knows a transcript file, read without failure, that this session is in. No look at the disk. */
  readonly hasSource: boolean
}

export function readFence(db: SqlDatabase): IndexFence {
  const meta = new Map<string, unknown>()
  for (const row of db.prepare('SELECT key, value FROM meta').all()) meta.set(textIn(row, 'key'), row.value)
  return {
    indexId: String(meta.get('index_id')),
    generation: Number(meta.get('generation')),
    removals: Number(meta.get('removals')),
  }
}

/** @returns the sessions of these row ids, in their order; a row that is gone is left out. */
export function readSessions(db: SqlDatabase, rowIds: readonly number[]): SessionRecord[] {
  const statement = db.prepare(`
    SELECT s.*, EXISTS (
      SELECT 1 FROM files f WHERE f.session_row_id = s.id AND f.kind = 'session' AND f.state IN ('current', 'due')
    ) AS has_source
    FROM sessions s WHERE s.id = ?`)
  const records: SessionRecord[] = []
  for (const rowId of rowIds) {
    const row = statement.get(rowId)
    if (row !== undefined) records.push(sessionRecord(row))
  }
  return records
}

export function numberIn(row: SqlRow, column: string): number {
  const value = row[column]
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value)
  throw new TypeError(`index column ${column} is no number`)
}

export function numberOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : numberIn(row, column)
}

export function textIn(row: SqlRow, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new TypeError(`index column ${column} is no text`)
}

export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : textIn(row, column)
}

export function roleOfCode(code: number): MessageRole {
  if (code === roleCodes.user) return 'user'
  return code === roleCodes.assistant ? 'assistant' : 'tool'
}

function sessionRecord(row: SqlRow): SessionRecord {
  return {
    rowId: numberIn(row, 'id'),
    agent: textIn(row, 'agent'),
    sessionId: textIn(row, 'session_id'),
    title: textIn(row, 'title'),
    cwd: textOrNull(row, 'cwd'),
    branch: textOrNull(row, 'branch'),
    updatedAtMs: numberOrNull(row, 'updated_at_ms'),
    messageCount: numberIn(row, 'message_count'),
    resumeCommand: textOrNull(row, 'resume_command'),
    codexHome: textOrNull(row, 'codex_home'),
    filePath: textIn(row, 'file_path'),
    hasSource: numberIn(row, 'has_source') === 1,
  }
}
