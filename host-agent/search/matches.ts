/** What one rung of the ladder finds: which sessions, and by which rows. Nothing is read before it is asked for. */
import type { Rung } from './plan.ts'
import {
  bySession,
  listRows,
  listTitles,
  mostListed,
  type Retrieval,
  rowsOfSessions,
  sessionsAmong,
} from './retrieve.ts'
import { rowsGoingOn } from './rows-going-on.ts'

export interface Matches {
  /**
   * Every session that the rung finds, with all its rows that match; none for one found by its title alone.
   * Null where too many rows match to be listed.
   */
  readonly listed: ReadonlyMap<number, readonly number[]> | null
  /** Where too many match, and asking again is dear: those that were listed before the list was cut off. */
  readonly firstListed: ReadonlyMap<number, readonly number[]> | null
  /** Sessions found by their titles, at most `listedRows`. */
  readonly titled: ReadonlySet<number>
  /** @returns those of the sessions that the rung finds. */
  among(sessionRowIds: readonly number[]): ReadonlySet<number>
  /** @returns matching rows of these sessions, ascending; none for a session without. */
  rowsOf(sessionRowIds: readonly number[]): ReadonlyMap<number, readonly number[]>
}

export function findMatches(retrieval: Retrieval, rung: Rung): Matches {
  const { db, limits } = retrieval
  const most = mostListed(rung.match, limits)
  const rows = rowsGoingOn(retrieval, rung) ?? listRows(db, rung.match, most + 1)
  const titled = titledBy(retrieval, rung, rung.match)
  const sessions = rows.length > most ? null : bySession(rows)
  if (sessions === null) {
    const rowsOf = createRowLookUp(retrieval, rung)
    const among = (ids: readonly number[]): ReadonlySet<number> => {
      if (rung.everyTerm.length > 0) return holdersOfAll(retrieval, rung, ids)
      const found = rowsOf(ids)
      return new Set(ids.filter((id) => found.has(id) || titled.has(id)))
    }
    const firstListed = most > limits.listedRows ? bySession(rows) : null
    return { listed: null, firstListed, titled, among, rowsOf }
  }
  for (const id of titled) if (!sessions.has(id)) sessions.set(id, [])
  const listed = rung.everyTerm.length === 0 ? sessions : keepHolders(retrieval, rung, sessions)
  return {
    listed,
    firstListed: null,
    titled,
    among: (ids) => new Set(ids.filter((id) => listed.has(id))),
    rowsOf: (ids) => new Map(ids.flatMap((id) => rowsListed(listed, id))),
  }
}

function rowsListed(
  listed: ReadonlyMap<number, readonly number[]>,
  id: number,
): [id: number, rowIds: readonly number[]][] {
  const rowIds = listed.get(id) ?? []
  return rowIds.length === 0 ? [] : [[id, rowIds]]
}

/** Titles are searched where everything is: they are no one's words in particular. */
function titledBy({ db, limits }: Retrieval, rung: Rung, match: string): Set<number> {
  return new Set(rung.columns === null ? listTitles(db, match, limits.listedRows) : [])
}

/** All rows of all terms are listed, so the rows of each can be. */
function keepHolders(
  retrieval: Retrieval,
  rung: Rung,
  sessions: ReadonlyMap<number, readonly number[]>,
): Map<number, readonly number[]> {
  const holders = rung.everyTerm.map((match) => {
    const rows = listRows(retrieval.db, match, mostListed(rung.match, retrieval.limits))
    return new Set([...bySession(rows).keys(), ...titledBy(retrieval, rung, match)])
  })
  return new Map([...sessions].filter(([id]) => holders.every((holder) => holder.has(id))))
}

/** Every look walks many rows, so what was seen once is kept for as long as the answer takes. */
function createRowLookUp(retrieval: Retrieval, rung: Rung): Matches['rowsOf'] {
  const seen = new Map<number, readonly number[]>()
  return (ids) => {
    const unseen = ids.filter((id) => !seen.has(id))
    const found = unseen.length === 0 ? null : rowsOfSessions(retrieval, rung.match, unseen)
    for (const id of unseen) seen.set(id, found?.get(id) ?? [])
    const rows = ids.map((id) => [id, seen.get(id) ?? []] as const)
    return new Map(rows.filter(([, rowIds]) => rowIds.length > 0))
  }
}

function holdersOfAll(retrieval: Retrieval, rung: Rung, sessionRowIds: readonly number[]): Set<number> {
  let left = [...sessionRowIds]
  for (const match of rung.everyTerm) {
    const holders = sessionsAmong(retrieval.db, match, left)
    const titled = titledBy(retrieval, rung, match)
    left = left.filter((id) => holders.has(id) || titled.has(id))
  }
  return new Set(left)
}
