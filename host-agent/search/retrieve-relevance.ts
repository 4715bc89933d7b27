/**
 * Which sessions a rung finds that are weighed for relevance, and which of their messages are read for it.
 * Everything here is decided by the index alone: each page of a walk is cut from the same list.
 */
import { type Clue, cluesOf } from './clues.ts'
import { countOf, rowsKnown } from './known-rows.ts'
import type { Matches } from './matches.ts'
import type { Rung } from './plan.ts'
import type { QueryText } from './query-text.ts'
import type { Candidate, Retrieval } from './retrieve.ts'
import type { SqlCondition } from './scope-paths.ts'

export interface WeighedQuestion {
  readonly query: QueryText
  readonly rung: Rung
  readonly filter: SqlCondition
}

export interface FoundSession {
  readonly candidate: Candidate
  /** Rows that match, ascending; may be a part of them where not all are listed. */
  readonly rowIds: readonly number[]
  /** Those to be read, the most promising first; none where too many other sessions promise more. */
  readonly toRead: readonly number[]
}

/** Enough that the best message of a session is among them, unless most of its messages match. */
const maxReadOfSession = 32
const minReadOfSession = 2

/** @returns the sessions, the most promising first; `capped` when sessions that match may have been left out. */
export function sessionsToWeigh(
  retrieval: Retrieval,
  { query, rung, filter }: WeighedQuestion,
  matches: Matches,
): { sessions: FoundSession[]; capped: boolean } {
  const { limits } = retrieval
  const clues = cluesOf(retrieval, query, rung, matches)
  const known = rowsKnown(retrieval, rung, clues, matches, filter)
  const isMuch = countOf(known.rows) > limits.readRows || known.candidates.length > limits.weighedSessions
  const promise = promiseOf(isMuch ? clues() : [])
  // Of several words a title holds all, or any: then it is worth what those words are.
  const isAnyWord = rung.name === 'or' || rung.name === 'session'
  const titleOf = (id: number) => (isAnyWord ? promise.title(id) : Number.MAX_VALUE)
  const weighed = known.candidates
    .map((candidate) => {
      const rowIds = known.rows.get(candidate.sessionRowId) ?? []
      const ofTitle = matches.titled.has(candidate.sessionRowId) ? titleOf(candidate.sessionRowId) : 0
      return { candidate, rowIds, promise: Math.max(ofTitle, greatest(rowIds, promise.row)) }
    })
    // The candidates come by recency, which the sort keeps among equals.
    .sort((a, b) => b.promise - a.promise)
    .slice(0, limits.weighedSessions)
  const fairShare = Math.floor(limits.readRows / Math.max(1, weighed.length))
  const share = Math.min(maxReadOfSession, Math.max(minReadOfSession, fairShare))
  return {
    sessions: weighed.map(({ candidate, rowIds }, at) => ({
      candidate,
      rowIds,
      toRead: at * minReadOfSession < limits.readRows ? chooseRows(rowIds, promise.row, share) : [],
    })),
    capped: known.capped || known.candidates.length > weighed.length,
  }
}

function greatest(rowIds: readonly number[], promise: (rowId: number) => number): number {
  return rowIds.reduce((most, id) => Math.max(most, promise(id)), 0)
}

interface Prospects {
  row(rowId: number): number
  title(sessionRowId: number): number
}

/** Each row, and each session by its title, is worth the clues that lead to it. */
function promiseOf(clues: readonly Clue[]): Prospects {
  const rows = new Map<number, number>()
  const titles = new Map<number, number>()
  for (const { ids, titled, weight } of clues) {
    for (const id of ids) rows.set(id, (rows.get(id) ?? 0) + weight)
    for (const id of titled) titles.set(id, (titles.get(id) ?? 0) + weight)
  }
  return { row: (rowId) => rows.get(rowId) ?? 0, title: (id) => titles.get(id) ?? 0 }
}

/** The most promising; of equals, evenly from head to end. */
function chooseRows(rowIds: readonly number[], promise: (rowId: number) => number, count: number): number[] {
  if (rowIds.length <= count) return [...rowIds]
  const most = greatest(rowIds, promise)
  const best = rowIds.filter((id) => promise(id) === most)
  if (best.length >= count) return spread(best, count)
  const rest = rowIds.filter((id) => promise(id) !== most).sort((a, b) => promise(b) - promise(a))
  return [...best, ...rest.slice(0, count - best.length)]
}

/** As many as wanted, evenly from head to end. */
export function spread(rowIds: readonly number[], count: number): number[] {
  if (rowIds.length <= count) return [...rowIds]
  return Array.from({ length: count }, (_, at) => rowIds[Math.floor((at * rowIds.length) / count)] ?? 0)
}
