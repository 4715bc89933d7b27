/** Finds one page: climbs the ladder where a walk begins, stays on its rung where it goes on. */
import type { SqlDatabase } from '../index/driver/driver.ts'
import { readSessions } from '../index/read.ts'
import type { CursorPlace } from './host-cursor.ts'
import { findMatches } from './matches.ts'
import { planRungs, type Rung, type RungName, type RungRoute, respell, type SearchScope } from './plan.ts'
import { needlesOf } from './query-needles.ts'
import { narrowsSessions, type QueryText } from './query-text.ts'
import { type Ranked, rankByRelevance } from './rank.ts'
import type { Retrieval } from './retrieve.ts'
import { headOfWalk, pageByRecency, type RecencyKey } from './retrieve-newest.ts'
import type { SqlCondition } from './scope-paths.ts'
import { type ShownHits, showHits, withRows } from './shown-hits.ts'
import { findRepairs } from './typo-repair.ts'

export interface PageQuestion {
  readonly query: QueryText
  readonly scope: SearchScope
  readonly sort: 'relevance' | 'newest'
  readonly filter: SqlCondition
  readonly limit: number
  /** Where the cursor says to go on; null for page 1. */
  readonly place: CursorPlace | null
  /** Called between steps; throws when the time is spent or the caller has left. */
  readonly checkTime: () => void
}

type SearchRoute = RungRoute | `typo+${RungRoute}`

/** Hits in order, each with the place after it, and where the page itself began. */
export interface FoundPage extends ShownHits {
  readonly start: CursorPlace
  readonly hasMore: boolean
  readonly route: SearchRoute
  /** All words of the query as they were looked for, where some were respelt. */
  readonly repairedTerms: readonly string[] | null
  /** The rung the page was found on, or the last that was tried; null where no words were looked for. */
  readonly rung: RungName | null
  /** Misspelt word → the word that was looked for in its place. */
  readonly repairs: ReadonlyMap<string, string>
  readonly cappedCandidates: boolean
}

/** A rung, and how the query was spelt for it. */
interface SpeltRung {
  readonly rung: Rung
  readonly repairs: ReadonlyMap<string, string>
  readonly query: QueryText
}

/**
 * @returns the page, empty where nothing matches, or null where the place is none this query leads to any more.
 * Operators alone find sessions by recency, whatever the sort, with no evidence.
 */
export function findPage(retrieval: Retrieval, question: PageQuestion): FoundPage | null {
  const { query, sort } = question
  if (query.terms.length === 0 || sort === 'newest') return pageOfWalk(retrieval, question)
  return pageOfRanking(retrieval, question)
}

/** Which order a cursor of this question must be of. */
export function orderOf(question: Pick<PageQuestion, 'query' | 'sort'>): CursorPlace['order'] {
  return question.query.terms.length === 0 ? 'newest' : question.sort
}

/** The ladder, made as it is climbed: typo repair is asked for only when the query as it is finds nothing in one message. */
function* ladder(db: SqlDatabase, question: PageQuestion): Generator<SpeltRung> {
  const { query, scope } = question
  const asWritten = { repairs: new Map<string, string>(), query }
  for (const rung of planRungs(query, scope).filter(isStrict)) yield { rung, ...asWritten }
  const { repairs, unknown } = findRepairs(db, query, scope)
  const spelt = repairs.size === 0 ? asWritten : { repairs, query: respell(query, repairs) }
  const rungs = planRungs(spelt.query, scope, unknown)
  for (const rung of repairs.size === 0 ? rungs.filter((each) => !isStrict(each)) : rungs)
    yield { rung, ...spelt }
}

function isStrict(rung: Rung): boolean {
  return rung.name === 'phrase' || rung.name === 'and'
}

/**
 * Of a question of many words, a long session holds all somewhere, while the one message that answers it lacks one or two:
 * such a question goes on to any of the words, where ranking tells the two apart.
 */
const maxWordsApart = 3

function pageOfRanking(retrieval: Retrieval, question: PageQuestion): FoundPage {
  const { limit, filter } = question
  const offset = question.place?.order === 'relevance' ? question.place.offset : 0
  let wasCapped = false
  let last: SpeltRung | null = null
  for (const spelt of ladder(retrieval.db, question)) {
    if (spelt.rung.everyTerm.length > maxWordsApart) continue
    question.checkTime()
    last = spelt
    const matches = findMatches(retrieval, spelt.rung)
    const { ranked, needles, capped } = rankByRelevance(retrieval, { ...spelt, filter }, matches)
    wasCapped ||= capped
    if (ranked.length === 0) continue
    question.checkTime()
    const shown = withRows(ranked.slice(offset, offset + limit), matches)
    const placeAfter = (at: number): CursorPlace => ({ order: 'relevance', offset: offset + at + 1 })
    return {
      ...showHits(retrieval.db, shown, { needles, highlights: spelt.rung.highlights }, placeAfter),
      start: { order: 'relevance', offset },
      hasMore: ranked.length > offset + shown.length,
      ...spelling(spelt),
      cappedCandidates: wasCapped,
    }
  }
  return emptyPage({ order: 'relevance', offset }, last, wasCapped)
}

function pageOfWalk(retrieval: Retrieval, question: PageQuestion): FoundPage | null {
  const { db } = retrieval
  const { place, query } = question
  if (place?.order === 'newest' && (place.after !== null || place.rung !== null)) {
    const after = place.after === null ? null : keyOf(db, place.after)
    const spelt = rungOfPlace(question, place)
    if (after === undefined || spelt === undefined) return null
    return walkPage(retrieval, question, spelt, after, place)
  }
  const head = {
    order: 'newest',
    after: null,
    rung: null,
    repairs: new Map(),
    headMs: headOfWalk(retrieval),
  } as const
  if (query.terms.length === 0) {
    if (!narrowsSessions(query)) return emptyPage(head, null, false)
    return walkPage(retrieval, question, null, null, head)
  }
  let last: SpeltRung | null = null
  for (const spelt of ladder(db, question)) {
    question.checkTime()
    last = spelt
    const start = { ...head, rung: spelt.rung.name, repairs: spelt.repairs }
    const page = walkPage(retrieval, question, spelt, null, start)
    if (page.hits.length > 0) return page
  }
  return emptyPage(head, last, false)
}

/** The rung that page 1 was found on, or undefined for a place that this query could not have led to. */
function rungOfPlace(
  question: PageQuestion,
  place: Extract<CursorPlace, { order: 'newest' }>,
): SpeltRung | null | undefined {
  if (place.rung === null) return question.query.terms.length === 0 ? null : undefined
  const query = respell(question.query, place.repairs)
  const rung = planRungs(query, question.scope).find(({ name }) => name === place.rung)
  return rung === undefined ? undefined : { rung, repairs: place.repairs, query }
}

function walkPage(
  retrieval: Retrieval,
  question: PageQuestion,
  spelt: SpeltRung | null,
  after: RecencyKey | null,
  start: Extract<CursorPlace, { order: 'newest' }>,
): FoundPage {
  const { filter, limit } = question
  const matches = spelt === null ? null : findMatches(retrieval, spelt.rung)
  const walk = { filter, after, headMs: start.headMs }
  const found = pageByRecency(retrieval, matches, walk, limit + 1)
  const page = found.slice(0, limit)
  const rows = matches?.rowsOf(page.map(({ candidate }) => candidate.sessionRowId))
  const shown = page.map(({ candidate, duplicateCount }) => {
    const rowIds = rows?.get(candidate.sessionRowId) ?? []
    return { candidate, score: 0, weighed: [], rowIds, duplicateCount }
  })
  const evidence =
    spelt === null || shown.length === 0
      ? null
      : { needles: needlesOf(retrieval, spelt.query, spelt.rung), highlights: spelt.rung.highlights }
  const placeAfter = (_at: number, { candidate }: Ranked): CursorPlace => ({
    ...start,
    after: { sessionRowId: candidate.sessionRowId, updatedAtMs: candidate.updatedAtMs },
  })
  return {
    ...showHits(retrieval.db, shown, evidence, placeAfter),
    start,
    hasMore: found.length > page.length,
    ...spelling(spelt),
    cappedCandidates: false,
  }
}

function keyOf(
  db: SqlDatabase,
  after: { sessionRowId: number; updatedAtMs: number | null },
): RecencyKey | undefined {
  const [session] = readSessions(db, [after.sessionRowId])
  return session === undefined
    ? undefined
    : { updatedAtMs: after.updatedAtMs, sessionId: session.sessionId, agent: session.agent }
}

function spelling(spelt: SpeltRung | null): Pick<FoundPage, 'route' | 'repairedTerms' | 'rung' | 'repairs'> {
  if (spelt === null) return { route: 'or', repairedTerms: null, rung: null, repairs: new Map() }
  const { rung, repairs, query } = spelt
  const found = { rung: rung.name, repairs }
  if (repairs.size === 0) return { route: rung.route, repairedTerms: null, ...found }
  return {
    route: `typo+${rung.route}`,
    repairedTerms: query.terms.flatMap((term) => term.words),
    ...found,
  }
}

function emptyPage(start: CursorPlace, last: SpeltRung | null, cappedCandidates: boolean): FoundPage {
  return { hits: [], start, hasMore: false, ...spelling(last), cappedCandidates, cutSnippets: 0 }
}
