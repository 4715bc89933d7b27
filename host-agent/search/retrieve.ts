/**
 * What both orders take from the index. A session is one row before every limit, and filters come before every limit:
 * whose a row is stands in its id, so that no look-up is needed to tell.
 *
 * FTS5's own bm25() is not used: it walks every posting of every word of the query before it scores the first row
 * (measured at 160,000 rows: 5 ms to list the rows of two very common words, 90 ms with bm25). Row ids are listed
 * instead, a bounded number of texts is read, and rank.ts weighs those.
 */
import type { SqlDatabase, SqlRow } from '../index/driver/driver.ts'
import { numberIn, numberOrNull, textIn, textOrNull } from '../index/read.ts'
import { rowsPerSession, sessionShift } from '../index/schema.ts'

export interface RetrievalLimits {
  /** Row ids listed for one expression. Where more match, an answer by relevance is made of a part, and says so. */
  readonly listedRows: number
  /** Sessions of one answer by relevance; it says so where there are more. */
  readonly weighedSessions: number
  /** Texts read to weigh them. The least promising sessions go without, and stand last, by recency. */
  readonly readRows: number
  /** Of a query whose words are all too common to be listed, the newest sessions that are looked at. */
  readonly newestSessions: number
  /** Matching rows known of one session where not all are listed. */
  readonly rowsOfSession: number
  /** Rows read to see which of them hold a word that may go on. */
  readonly rowsReadForPrefix: number
}

export const retrievalLimits: RetrievalLimits = {
  listedRows: 8000,
  weighedSessions: 400,
  readRows: 500,
  newestSessions: 1024,
  rowsOfSession: 256,
  rowsReadForPrefix: 2000,
}

/** What a look at the index needs beside the question. */
export interface Retrieval {
  readonly db: SqlDatabase
  readonly limits: RetrievalLimits
}

/** One session that matches, with what the orders need. */
export interface Candidate {
  readonly sessionRowId: number
  readonly agent: string
  readonly sessionId: string
  readonly title: string
  readonly updatedAtMs: number | null
  /** See index/lineage.ts. */
  readonly lineage: string | null
}

export const candidateColumns = 's.id, s.agent, s.session_id, s.title, s.updated_at_ms, s.lineage'
/** SQLite takes null for the least, so that descending puts it last: the protocol's order. */
export const byRecency = 's.updated_at_ms DESC, s.session_id, s.agent'

export function candidateOf(row: SqlRow): Candidate {
  return {
    sessionRowId: numberIn(row, 'id'),
    agent: textIn(row, 'agent'),
    sessionId: textIn(row, 'session_id'),
    title: textIn(row, 'title'),
    updatedAtMs: numberOrNull(row, 'updated_at_ms'),
    lineage: textOrNull(row, 'lineage'),
  }
}

export function sessionOf(rowId: number): number {
  return Math.floor(rowId / rowsPerSession)
}

/**
 * How many row ids are worth listing at once. FTS5 gathers the rows of all words that begin so before it gives the first:
 * asking for few and then again for others costs more than asking for many at once.
 */
export function mostListed(match: string, limits: RetrievalLimits): number {
  return mayGoOn(match) ? limits.listedRows * 4 : limits.listedRows
}

function mayGoOn(match: string): boolean {
  return match.includes('*')
}

/** @returns ids of rows that match, ascending, at most `limit`. */
export function listRows(db: SqlDatabase, match: string, limit: number): number[] {
  const sql = 'SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH ? LIMIT ?'
  return idsOf(db.prepare(asOneText(sql)).get(match, limit))
}

/** @returns row ids of sessions whose title matches, ascending, at most `limit`. */
export function listTitles(db: SqlDatabase, match: string, limit: number): number[] {
  const sql = 'SELECT rowid AS id FROM titles_fts WHERE titles_fts MATCH ? LIMIT ?'
  return idsOf(db.prepare(asOneText(sql)).get(match, limit))
}

/** @returns which of these sessions have a row that matches. */
export function sessionsAmong(db: SqlDatabase, match: string, sessionRowIds: readonly number[]): Set<number> {
  const statement = db.prepare(
    asOneText(
      `SELECT DISTINCT rowid >> ${sessionShift} AS id FROM messages_fts WHERE messages_fts MATCH ? AND ${among}`,
    ),
  )
  const found = new Set<number>()
  for (const span of spansOf(match, sessionRowIds)) {
    for (const id of idsOf(statement.get(match, span.first, span.last, span.json))) found.add(id)
  }
  return found
}

/**
 * @returns ids of these sessions' matching rows, ascending, at most `rowsOfSession` each. A session with thousands of
 * them costs one more question, not the others' places.
 */
export function rowsOfSessions(
  { db, limits }: Retrieval,
  match: string,
  sessionRowIds: readonly number[],
): Map<number, number[]> {
  const stride = limits.rowsOfSession * 32
  const statement = db.prepare(
    asOneText(`SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH ? AND ${among} LIMIT ?`),
  )
  const found = new Map<number, number[]>()
  for (const { first, last, json } of spansOf(match, sessionRowIds)) {
    let from = first
    for (;;) {
      const ids = idsOf(statement.get(match, from, last, json, stride))
      for (const [session, rows] of bySession(ids)) found.set(session, rows.slice(0, limits.rowsOfSession))
      const lastId = ids.at(-1)
      if (ids.length < stride || lastId === undefined) break
      // Where the list broke off in the middle of a session: has it had its share already?
      const open = sessionOf(lastId)
      const hasItsShare = (found.get(open)?.length ?? 0) === limits.rowsOfSession
      from = hasItsShare ? open + 1 : open
    }
  }
  return found
}

/** Row ids by their sessions, both in order. */
export function bySession(rowIds: readonly number[]): Map<number, number[]> {
  const sessions = new Map<number, number[]>()
  for (const id of rowIds) {
    const session = sessionOf(id)
    const rows = sessions.get(session)
    if (rows === undefined) sessions.set(session, [id])
    else rows.push(id)
  }
  return sessions
}

/**
 * The shift makes integers of what a driver may bind as floating point, which FTS5 would take for no bound at all.
 * FTS5 walks from bound to bound; what lies between and is not wanted costs next to nothing there.
 */
const among = `rowid >= (? << ${sessionShift}) AND rowid < ((? + 1) << ${sessionShift})
  AND (rowid >> ${sessionShift}) IN (SELECT value FROM json_each(?))`

/** One text instead of thousands of objects: a third of the time. */
function asOneText(sql: string): string {
  return `SELECT json_group_array(id) AS ids FROM (${sql})`
}

function idsOf(row: SqlRow | undefined): number[] {
  return row === undefined ? [] : JSON.parse(textIn(row, 'ids'))
}

interface Span {
  /** Row ids of sessions. */
  readonly first: number
  readonly last: number
  readonly json: string
}

/**
 * Opening a question costs as much as some ten thousand rows walked: few spans, parted at the widest gaps, or one a session
 * where those are few. And only one where a word may go on, for FTS5 gathers the rows of all such words before it walks.
 */
function spansOf(match: string, sessionRowIds: readonly number[]): Span[] {
  const sorted = [...new Set(sessionRowIds)].sort((a, b) => a - b)
  const gaps = sorted.slice(1).map((id, at) => ({ at: at + 1, width: id - (sorted[at] ?? id) }))
  const cuts = gaps
    .filter(({ width }) => width > worthAGap)
    .sort((a, b) => b.width - a.width)
    .slice(0, mayGoOn(match) ? 0 : maxSpans(sorted.length) - 1)
    .map(({ at }) => at)
    .sort((a, b) => a - b)
  return [0, ...cuts].flatMap((start, index) => {
    const part = sorted.slice(start, cuts[index] ?? sorted.length)
    const [first, last] = [part[0], part.at(-1)]
    return first === undefined || last === undefined ? [] : [{ first, last, json: JSON.stringify(part) }]
  })
}

/** Sessions between two that are wanted. */
const worthAGap = 16

function maxSpans(sessions: number): number {
  return sessions <= 6 ? 6 : 4
}
