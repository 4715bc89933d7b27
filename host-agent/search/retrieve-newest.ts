/** One page of the sessions a rung finds, last touched first. Paging is by key: complete, and blind to appends. */
import { textIn } from '../index/read.ts'
import { foldCopies } from './copies.ts'
import type { Matches } from './matches.ts'
import { byRecency, type Candidate, candidateColumns, candidateOf, type Retrieval } from './retrieve.ts'
import type { SqlCondition } from './scope-paths.ts'

/** Where a walk goes on: after this session, at the time it had. */
export interface RecencyKey {
  readonly updatedAtMs: number | null
  readonly sessionId: string
  readonly agent: string
}

export interface Walk {
  readonly filter: SqlCondition
  readonly after: RecencyKey | null
  /**
   * The latest time of any session when the walk began, null where none had one. What was touched later is not part of
   * the walk and hides none of its sessions: a copy that is worked on jumps to a head that is already behind the walk.
   */
  readonly headMs: number | null
}

export interface FoundByRecency {
  readonly candidate: Candidate
  readonly duplicateCount: number
}

const firstBlock = 64

/**
 * @returns up to `limit` matching sessions in order, copies folded (copies.ts); without matches, all that pass the filter.
 * Sessions are looked at in blocks that double, so that a word that most hold fills the page from the first one and a
 * rare one costs little more than being looked for once.
 */
export function pageByRecency(
  retrieval: Retrieval,
  matches: Matches | null,
  walk: Walk,
  limit: number,
): FoundByRecency[] {
  const page: FoundByRecency[] = []
  let after = walk.after
  for (let size = firstBlock; page.length < limit; size *= 2) {
    const block = sessionsAfter(retrieval, matches, walk.filter, after, size)
    for (const found of shownOf(retrieval, matches, walk, block)) {
      page.push(found)
      if (page.length === limit) return page
    }
    const last = block.at(-1)
    if (last === undefined || block.length < size) return page
    after = last
  }
  return page
}

/** @returns the latest time of any session. */
export function headOfWalk({ db }: Retrieval): number | null {
  const row = db.prepare('SELECT max(updated_at_ms) AS head FROM sessions').get()
  return typeof row?.head === 'number' ? row.head : null
}

/** The next sessions that may match: of the listed ones where there is a list, else of all. */
function sessionsAfter(
  { db }: Retrieval,
  matches: Matches | null,
  filter: SqlCondition,
  after: RecencyKey | null,
  limit: number,
): Candidate[] {
  const listed = matches?.listed ?? null
  const conditions = [
    filter,
    ...(after === null ? [] : [afterKey(after)]),
    ...(listed === null ? [] : [idIn([...listed.keys()])]),
  ]
  return db
    .prepare(
      `SELECT ${candidateColumns} FROM sessions s WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
      ORDER BY ${byRecency} LIMIT ?`,
    )
    .all(...conditions.flatMap(({ values }) => values), limit)
    .map(candidateOf)
}

function shownOf(
  retrieval: Retrieval,
  matches: Matches | null,
  walk: Walk,
  block: readonly Candidate[],
): FoundByRecency[] {
  if (matches === null) return block.map((candidate) => ({ candidate, duplicateCount: 0 }))
  const found = matches.among(block.map(({ sessionRowId }) => sessionRowId))
  const matching = block.filter(({ sessionRowId }) => found.has(sessionRowId))
  const relatives = relativesOf(retrieval, matches, walk, matching)
  const copies = foldCopies(retrieval, relatives, matches)
  return matching
    .filter(({ sessionRowId }) => !copies.hidden.has(sessionRowId))
    .map((candidate) => ({ candidate, duplicateCount: copies.folded.get(candidate.sessionRowId) ?? 0 }))
}

/** All of the walk's sessions, on whatever page, that may be copies of these. */
function relativesOf(
  { db }: Retrieval,
  matches: Matches,
  { filter, headMs }: Walk,
  matching: readonly Candidate[],
): Candidate[] {
  const lineages = [...new Set(matching.flatMap(({ lineage }) => (lineage === null ? [] : [lineage])))]
  if (lineages.length === 0) return []
  const shared = db
    .prepare(
      `SELECT lineage FROM sessions WHERE lineage IN (SELECT value FROM json_each(?))
      GROUP BY lineage HAVING count(*) > 1`,
    )
    .all(JSON.stringify(lineages))
    .map((row) => textIn(row, 'lineage'))
  if (shared.length === 0) return []
  const relatives = db
    .prepare(
      `SELECT ${candidateColumns} FROM sessions s
      WHERE s.lineage IN (SELECT value FROM json_each(?)) AND ${filter.sql}
      AND (s.updated_at_ms IS NULL OR s.updated_at_ms <= ?)`,
    )
    .all(JSON.stringify(shared), ...filter.values, headMs ?? Number.NEGATIVE_INFINITY)
    .map(candidateOf)
  const found = matches.among(relatives.map(({ sessionRowId }) => sessionRowId))
  return relatives.filter(({ sessionRowId }) => found.has(sessionRowId))
}

function idIn(ids: readonly number[]): SqlCondition {
  return { sql: 's.id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(ids)] }
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
