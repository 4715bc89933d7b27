/** One page of the sessions a rung finds, last touched first. Paging is by key: complete, and blind to appends. */
import { sessionShift } from '../index/schema.ts'
import type { Rung } from './plan.ts'
import {
  byRecency,
  type Candidate,
  candidateColumns,
  candidateOf,
  maxAttemptMs,
  type Retrieval,
  rowsOfSession,
  sessionCondition,
  sessionsWithinCap,
} from './retrieve.ts'
import type { SqlCondition } from './scope-paths.ts'

/** Where a walk goes on: after this session, at the time it had. */
export interface RecencyKey {
  readonly updatedAtMs: number | null
  readonly sessionId: string
  readonly agent: string
}

/** @returns up to `limit` matching sessions in order, after `after`; without a rung, all that pass the filter. */
export function pageByRecency(
  retrieval: Retrieval,
  rung: Rung | null,
  filter: SqlCondition,
  after: RecencyKey | null,
  limit: number,
): Candidate[] {
  const wanted = both(sessionCondition(rung, filter), after === null ? null : afterKey(after))
  if (rung === null || rung.everyTerm.length > 0) return pageWhere(retrieval, wanted, limit)
  const known = sessionsWithinCap(retrieval.db, rung.match)
  if (known.complete) {
    const ids = JSON.stringify(known.sessionRowIds)
    return pageWhere(
      retrieval,
      both(wanted, { sql: 's.id IN (SELECT value FROM json_each(?))', values: [ids] }),
      limit,
    )
  }
  return (
    pageOfCommonWord(retrieval, rung.match, wanted, limit) ??
    pageWhere(retrieval, both(wanted, anywhere(rung.match)), limit)
  )
}

function pageWhere({ db }: Retrieval, condition: SqlCondition, limit: number): Candidate[] {
  return db
    .prepare(
      `SELECT ${candidateColumns} FROM sessions s WHERE ${condition.sql} ORDER BY ${byRecency} LIMIT ?`,
    )
    .all(...condition.values, limit)
    .map((row) => candidateOf(row))
}

/** Asks session after session: for a word that most hold the page is full at once. @returns null when given up. */
function pageOfCommonWord(
  { db, nowMs }: Retrieval,
  match: string,
  condition: SqlCondition,
  limit: number,
): Candidate[] | null {
  const giveUpAtMs = nowMs() + maxAttemptMs
  const statement = db.prepare(`
    SELECT ${candidateColumns}, EXISTS (SELECT 1 FROM messages_fts WHERE messages_fts MATCH ? AND ${rowsOfSession}) AS found
    FROM sessions s WHERE ${condition.sql} ORDER BY ${byRecency}`)
  const page: Candidate[] = []
  for (const row of statement.iterate(match, ...condition.values)) {
    if (nowMs() > giveUpAtMs) return null
    if (row.found === 1) page.push(candidateOf(row))
    if (page.length === limit) break
  }
  return page
}

function anywhere(match: string): SqlCondition {
  return {
    sql: `s.id IN (SELECT rowid >> ${sessionShift} FROM messages_fts WHERE messages_fts MATCH ?)`,
    values: [match],
  }
}

function both(first: SqlCondition, second: SqlCondition | null): SqlCondition {
  if (second === null) return first
  return { sql: `${first.sql} AND ${second.sql}`, values: [...first.values, ...second.values] }
}

function afterKey(key: RecencyKey): SqlCondition {
  const tie = '(s.session_id > ? OR (s.session_id = ? AND s.agent > ?))'
  const tieValues = [key.sessionId, key.sessionId, key.agent]
  if (key.updatedAtMs === null) return { sql: `(s.updated_at_ms IS NULL AND ${tie})`, values: tieValues }
  return {
    sql: `(s.updated_at_ms < ? OR s.updated_at_ms IS NULL OR (s.updated_at_ms = ? AND ${tie}))`,
    values: [key.updatedAtMs, key.updatedAtMs, ...tieValues],
  }
}
