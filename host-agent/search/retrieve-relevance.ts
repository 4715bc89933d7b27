/** The sessions a rung finds, each with its best row by bm25. */
import type { SqlDatabase, SqlStatement, SqlValue } from '../index/driver/driver.ts'
import { numberIn } from '../index/read.ts'
import { sessionShift } from '../index/schema.ts'
import type { Rung } from './plan.ts'
import {
  byRecency,
  type Candidate,
  candidateColumns,
  candidateOf,
  maxAttemptMs,
  maxCandidateRows,
  type Retrieval,
  rowsOfSession,
  sessionCondition,
  sessionsWithinCap,
} from './retrieve.ts'
import type { SqlCondition } from './scope-paths.ts'

/** User text counts most, then the assistant's, then tool output and the parts of identifiers. */
const roleWeights = '3.0, 2.0, 1.0, 1.0'

/** @returns every session that matches within the cap, unordered; `capped` when sessions beyond it were left out. */
export function matchesByRelevance(
  retrieval: Retrieval,
  rung: Rung,
  filter: SqlCondition,
): { candidates: Candidate[]; capped: boolean } {
  const { db } = retrieval
  const condition = sessionCondition(rung, filter)
  if (sessionsWithinCap(db, rung.match).complete) {
    return { candidates: bestRows(db, rung.match, null, condition), capped: false }
  }
  const newest = newestWithinCap(retrieval, rung.match, condition)
  return { candidates: bestRows(db, rung.match, newest.sessionRowIds, condition), capped: newest.capped }
}

/** bm25 is an error under GROUP BY or a join, so that it is computed first; MIN picks its row's id along. */
function bestRows(
  db: SqlDatabase,
  match: string,
  sessionRowIds: readonly number[] | null,
  condition: SqlCondition,
): Candidate[] {
  const within =
    sessionRowIds === null ? '' : `AND (rowid >> ${sessionShift}) IN (SELECT value FROM json_each(?))`
  const sql = `
    WITH scored AS MATERIALIZED (
      SELECT rowid AS id, bm25(messages_fts, ${roleWeights}) AS bm25 FROM messages_fts
      WHERE messages_fts MATCH ? ${within}
    ), best AS MATERIALIZED (
      SELECT id AS message_row_id, MIN(bm25) AS bm25 FROM scored GROUP BY id >> ${sessionShift}
    )
    SELECT ${candidateColumns}, best.message_row_id, best.bm25
    FROM best CROSS JOIN sessions s ON s.id = best.message_row_id >> ${sessionShift} WHERE ${condition.sql}`
  const ids: SqlValue[] = sessionRowIds === null ? [] : [JSON.stringify(sessionRowIds)]
  const rows = db.prepare(sql).all(match, ...ids, ...condition.values)
  return rows.map((row) => candidateOf(row, numberIn(row, 'message_row_id'), numberIn(row, 'bm25')))
}

interface Chosen {
  readonly sessionRowIds: readonly number[]
  /** Matching sessions were left out. */
  readonly capped: boolean
}

/**
 * The newest sessions whose matching rows fill the cap. A common word fills it within the first few hundred, which
 * are asked one by one; where that takes long, all matching rows are counted at once.
 */
function newestWithinCap({ db, nowMs }: Retrieval, match: string, condition: SqlCondition): Chosen {
  const values = [match, ...condition.values]
  const oneByOne = db.prepare(`
    SELECT s.id, (SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ? AND ${rowsOfSession}) AS rows
    FROM sessions s WHERE ${condition.sql} ORDER BY ${byRecency}`)
  const giveUpAtMs = nowMs() + maxAttemptMs
  const atOnce = () =>
    db.prepare(`
      WITH counted AS MATERIALIZED (
        SELECT rowid >> ${sessionShift} AS session, count(*) AS rows FROM messages_fts
        WHERE messages_fts MATCH ? GROUP BY 1
      )
      SELECT s.id, counted.rows FROM counted CROSS JOIN sessions s ON s.id = counted.session
      WHERE ${condition.sql} ORDER BY ${byRecency}`)
  return (
    fillCap(oneByOne, values, () => nowMs() > giveUpAtMs) ?? fillCap(atOnce(), values, () => false) ?? nothing
  )
}

const nothing: Chosen = { sessionRowIds: [], capped: false }

/** @returns null when given up. */
function fillCap(statement: SqlStatement, values: readonly SqlValue[], giveUp: () => boolean): Chosen | null {
  const sessionRowIds: number[] = []
  let filled = 0
  for (const row of statement.iterate(...values)) {
    if (giveUp()) return null
    const rows = numberIn(row, 'rows')
    if (rows === 0) continue
    if (filled >= maxCandidateRows) return { sessionRowIds, capped: true }
    filled += rows
    sessionRowIds.push(numberIn(row, 'id'))
  }
  return { sessionRowIds, capped: false }
}
