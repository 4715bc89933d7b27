/**
 * What both orders take from the index. A session is one row before every limit, and filters come before every limit:
 * whose a row is stands in its id, so that no look-up is needed to tell.
 */
import type { SqlDatabase, SqlRow } from '../index/driver/driver.ts'
import { numberIn, numberOrNull, textIn } from '../index/read.ts'
import { sessionShift } from '../index/schema.ts'
import type { Rung } from './plan.ts'
import type { SqlCondition } from './scope-paths.ts'

/** Rows that bm25 is paid for. Where more match, those of the newest sessions are taken, and it is told. */
export const maxCandidateRows = 5000

/** One session that matches, with what the orders need. */
export interface Candidate {
  readonly sessionRowId: number
  readonly agent: string
  readonly sessionId: string
  readonly updatedAtMs: number | null
  readonly messageCount: number
  /** The matching row to show, or null where there is none (operators only) or it is found later (by recency). */
  readonly messageRowId: number | null
  /** FTS5's bm25: smaller is better. 0 by recency. */
  readonly bm25: number
}

/** What a look at the index needs beside the question. */
export interface Retrieval {
  readonly db: SqlDatabase
  /** Only forward. Bounds attempts that have an exact, slower way to the same answer. */
  readonly nowMs: () => number
}

/** An attempt that is not done by then is given up for the slower way. */
export const maxAttemptMs = 10

export const candidateColumns = 's.id, s.agent, s.session_id, s.updated_at_ms, s.message_count'
/** SQLite takes null for the least, so that descending puts it last: the protocol's order. */
export const byRecency = 's.updated_at_ms DESC, s.session_id, s.agent'
/** Of the session `s`, as a condition on `messages_fts`. */
export const rowsOfSession = `rowid >= (s.id << ${sessionShift}) AND rowid < ((s.id + 1) << ${sessionShift})`

/** @returns the sessions of the first matching rows; `complete` when those are all. */
export function sessionsWithinCap(
  db: SqlDatabase,
  match: string,
): { sessionRowIds: number[]; complete: boolean } {
  const rows = db
    .prepare(`
      SELECT session, count(*) AS rows FROM (
        SELECT rowid >> ${sessionShift} AS session FROM messages_fts WHERE messages_fts MATCH ? LIMIT ?
      ) GROUP BY session`)
    .all(match, maxCandidateRows + 1)
  const total = rows.reduce((sum, row) => sum + numberIn(row, 'rows'), 0)
  return { sessionRowIds: rows.map((row) => numberIn(row, 'session')), complete: total <= maxCandidateRows }
}

/** @returns the row ids of the session's first matching rows. Not the last: FTS5 seeks forward a hundred times faster. */
export function firstMatches(db: SqlDatabase, sessionRowId: number, match: string, limit: number): number[] {
  // The shift makes integers of what a driver may bind as floating point, which FTS5 would take for no bound at all.
  const statement = db.prepare(`
    SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH ?
    AND rowid >= (? << ${sessionShift}) AND rowid < ((? + 1) << ${sessionShift}) ORDER BY rowid LIMIT ?`)
  return statement.all(match, sessionRowId, sessionRowId, limit).map((row) => numberIn(row, 'id'))
}

/** The filter, and for a rung that asks for it that the session holds every term somewhere. */
export function sessionCondition(rung: Rung | null, filter: SqlCondition): SqlCondition {
  if (rung === null || rung.everyTerm.length === 0) return filter
  const one = `SELECT rowid >> ${sessionShift} FROM messages_fts WHERE messages_fts MATCH ?`
  return {
    sql: `${filter.sql} AND s.id IN (${rung.everyTerm.map(() => one).join(' INTERSECT ')})`,
    values: [...filter.values, ...rung.everyTerm],
  }
}

export function candidateOf(row: SqlRow, messageRowId: number | null = null, bm25 = 0): Candidate {
  return {
    sessionRowId: numberIn(row, 'id'),
    agent: textIn(row, 'agent'),
    sessionId: textIn(row, 'session_id'),
    updatedAtMs: numberOrNull(row, 'updated_at_ms'),
    messageCount: numberIn(row, 'message_count'),
    messageRowId,
    bm25,
  }
}
