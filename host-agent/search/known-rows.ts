/** Which sessions and rows are known to match before any text is read, where a rung may match more than can be listed. */
import type { Clues } from './clues.ts'
import type { Matches } from './matches.ts'
import type { Rung } from './plan.ts'
import {
  byRecency,
  bySession,
  type Candidate,
  candidateColumns,
  candidateOf,
  type Retrieval,
} from './retrieve.ts'
import type { SqlCondition } from './scope-paths.ts'

export interface KnownRows {
  /** Newest first. */
  readonly candidates: readonly Candidate[]
  readonly rows: ReadonlyMap<number, readonly number[]>
  readonly capped: boolean
}

/** All that match, where they can be listed; else those that a clue leads to, and where that is not enough the newest. */
export function rowsKnown(
  retrieval: Retrieval,
  rung: Rung,
  clues: Clues,
  matches: Matches,
  filter: SqlCondition,
): KnownRows {
  if (matches.listed !== null) return listedKnown(retrieval, matches.listed, clues, matches, filter)
  if (matches.firstListed !== null) {
    const first = listedKnown(retrieval, matches.firstListed, clues, matches, filter)
    const candidates = holdersAmong(rung, matches, first.candidates)
    if (candidates.length > 0) return { ...first, candidates, capped: true }
  }
  const rows = bySession([...new Set(clues().flatMap(({ ids }) => ids))].sort((a, b) => a - b))
  const led = holdersAmong(
    rung,
    matches,
    candidatesAmong(retrieval, [...rows.keys(), ...matches.titled], filter),
  )
  // Any of the words: whoever asks for `the flux capacitor` is not served by any other `the`.
  const isAnyWord = rung.name === 'or' || rung.name === 'session'
  if (isAnyWord && rows.size > 0 && led.length > 0) return { candidates: led, rows, capped: true }
  const newest = newestKnown(retrieval, rung, matches, filter)
  const known = new Set(newest.candidates.map(({ sessionRowId }) => sessionRowId))
  const older = led.filter(({ sessionRowId }) => !known.has(sessionRowId))
  return {
    candidates: [...newest.candidates, ...older],
    rows: merged(newest.rows, rows),
    capped: newest.capped,
  }
}

/** Where nothing tells the sessions apart before they are read, the newest are as good as all. */
function listedKnown(
  retrieval: Retrieval,
  rows: ReadonlyMap<number, readonly number[]>,
  clues: Clues,
  { titled }: Matches,
  filter: SqlCondition,
): KnownRows {
  const { readRows, weighedSessions } = retrieval.limits
  const ids = [...new Set([...rows.keys(), ...titled])]
  const areAlike = countOf(rows) > readRows && clues().length === 0
  if (!areAlike) return { candidates: candidatesAmong(retrieval, ids, filter), rows, capped: false }
  const newest = candidatesAmong(retrieval, ids, filter, weighedSessions + 1)
  const known = new Set(newest.map(({ sessionRowId }) => sessionRowId))
  const older = candidatesAmong(
    retrieval,
    [...titled].filter((id) => !known.has(id)),
    filter,
  )
  return { candidates: [...newest, ...older], rows, capped: false }
}

/** Row ids of both, ascending, none twice. */
function merged(
  a: ReadonlyMap<number, readonly number[]>,
  b: ReadonlyMap<number, readonly number[]>,
): Map<number, readonly number[]> {
  const all = new Map(a)
  for (const [id, ids] of b)
    all.set(
      id,
      [...new Set([...(a.get(id) ?? []), ...ids])].sort((x, y) => x - y),
    )
  return all
}

/** The newest sessions that match: few where those give a choice, for every look walks many rows. */
function newestKnown(retrieval: Retrieval, rung: Rung, matches: Matches, filter: SqlCondition): KnownRows {
  const { limits } = retrieval
  const rows = new Map<number, readonly number[]>()
  const candidates: Candidate[] = []
  let seen = 0
  let isMore = true
  for (const upTo of [Math.min(firstBlock, limits.newestSessions), limits.newestSessions]) {
    if (!isMore || candidates.length >= limits.weighedSessions / enoughShare) break
    const block = newestSessions(retrieval, filter, seen, upTo - seen + 1)
    isMore = block.length > upTo - seen
    if (isMore) block.pop()
    seen += block.length
    const found = matches.rowsOf(block.map(({ sessionRowId }) => sessionRowId))
    const matching = block.filter(({ sessionRowId }) => found.has(sessionRowId))
    candidates.push(...holdersAmong(rung, matches, matching))
    for (const [id, ids] of found) rows.set(id, ids)
  }
  return { candidates, rows, capped: isMore }
}

function newestSessions({ db }: Retrieval, filter: SqlCondition, offset: number, limit: number): Candidate[] {
  return db
    .prepare(
      `SELECT ${candidateColumns} FROM sessions s WHERE ${filter.sql} ORDER BY ${byRecency} LIMIT ? OFFSET ?`,
    )
    .all(...filter.values, limit, offset)
    .map(candidateOf)
}

const firstBlock = 128
/** Of the sessions that could be weighed, an eighth is a choice to begin with. */
const enoughShare = 8

/** Where a session must hold every term, those that do. */
function holdersAmong(rung: Rung, matches: Matches, candidates: readonly Candidate[]): readonly Candidate[] {
  if (rung.everyTerm.length === 0 || candidates.length === 0) return candidates
  const holders = matches.among(candidates.map(({ sessionRowId }) => sessionRowId))
  return candidates.filter(({ sessionRowId }) => holders.has(sessionRowId))
}

export function countOf(rows: ReadonlyMap<number, readonly number[]>): number {
  let count = 0
  for (const ids of rows.values()) count += ids.length
  return count
}

/** @returns those that pass the filter, newest first. */
function candidatesAmong(
  { db }: Retrieval,
  sessionRowIds: readonly number[],
  filter: SqlCondition,
  limit = -1,
): Candidate[] {
  return db
    .prepare(
      `SELECT ${candidateColumns} FROM sessions s WHERE s.id IN (SELECT value FROM json_each(?)) AND ${filter.sql}
      ORDER BY ${byRecency} LIMIT ?`,
    )
    .all(JSON.stringify(sessionRowIds), ...filter.values, limit)
    .map(candidateOf)
}
