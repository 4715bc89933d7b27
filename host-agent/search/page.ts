/** Finds one page: climbs the ladder where a walk begins, stays on its rung where it goes on. */
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { readMessage, readSessions } from '../index/read.ts'
import { chooseEvidence } from './evidence.ts'
import { hitOf } from './hit.ts'
import type { CursorPlace } from './host-cursor.ts'
import { planRungs, type Rung, type RungRoute, respell, type SearchScope } from './plan.ts'
import { hasOperators, type QueryText } from './query-text.ts'
import { type Ranked, rankByRelevance } from './rank.ts'
import type { Retrieval } from './retrieve.ts'
import { pageByRecency, type RecencyKey } from './retrieve-newest.ts'
import { matchesByRelevance } from './retrieve-relevance.ts'
import type { SqlCondition } from './scope-paths.ts'
import { cutSnippet } from './snippet.ts'
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
export interface FoundPage {
  readonly hits: readonly { readonly hit: Hit; readonly after: CursorPlace }[]
  readonly start: CursorPlace
  readonly hasMore: boolean
  readonly route: SearchRoute
  /** All words of the query as they were looked for, where some were respelt. */
  readonly repairedTerms: readonly string[] | null
  readonly cappedCandidates: boolean
  readonly cutSnippets: number
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
  const asWritten = planRungs(query, scope).map((rung) => ({
    rung,
    repairs: new Map<string, string>(),
    query,
  }))
  yield* asWritten.filter(({ rung }) => isStrict(rung))
  const repairs = findRepairs(db, query, scope)
  if (repairs.size === 0) {
    yield* asWritten.filter(({ rung }) => !isStrict(rung))
    return
  }
  const respelt = respell(query, repairs)
  for (const rung of planRungs(respelt, scope)) yield { rung, repairs, query: respelt }
}

function isStrict(rung: Rung): boolean {
  return rung.name === 'phrase' || rung.name === 'and'
}

function pageOfRanking(retrieval: Retrieval, question: PageQuestion): FoundPage {
  const { db } = retrieval
  const offset = question.place?.order === 'relevance' ? question.place.offset : 0
  let capped = false
  let last: SpeltRung | null = null
  for (const spelt of ladder(db, question)) {
    question.checkTime()
    const found = matchesByRelevance(retrieval, spelt.rung, question.filter)
    capped ||= found.capped
    last = spelt
    if (found.candidates.length === 0) continue
    const ranked = rankByRelevance(found.candidates)
    const shown = ranked.slice(offset, offset + question.limit)
    return {
      ...withEvidence(db, spelt.rung, shown, (at) => ({ order: 'relevance', offset: offset + at + 1 })),
      start: { order: 'relevance', offset },
      hasMore: ranked.length > offset + shown.length,
      ...spelling(spelt),
      cappedCandidates: capped,
    }
  }
  return emptyPage({ order: 'relevance', offset }, last, capped)
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
  const head = { order: 'newest', after: null, rung: null, repairs: new Map() } as const
  if (query.terms.length === 0) {
    if (!hasOperators(query.operators)) return emptyPage(head, null, false)
    return walkPage(retrieval, question, null, null, head)
  }
  let last: SpeltRung | null = null
  for (const spelt of ladder(db, question)) {
    question.checkTime()
    last = spelt
    const start = { order: 'newest', after: null, rung: spelt.rung.name, repairs: spelt.repairs } as const
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
  const { db } = retrieval
  const rung = spelt?.rung ?? null
  const found = pageByRecency(retrieval, rung, question.filter, after, question.limit + 1)
  const shown = found.slice(0, question.limit).map((candidate) => {
    const messageRowId = rung === null ? null : chooseEvidence(db, candidate.sessionRowId, rung)
    return { candidate: { ...candidate, messageRowId }, score: 0 }
  })
  return {
    ...withEvidence(db, rung, shown, (_at, { candidate }) => ({
      ...start,
      after: { sessionRowId: candidate.sessionRowId, updatedAtMs: candidate.updatedAtMs },
    })),
    start,
    hasMore: found.length > shown.length,
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

function withEvidence(
  db: SqlDatabase,
  rung: Rung | null,
  shown: readonly Ranked[],
  placeAfter: (at: number, ranked: Ranked) => CursorPlace,
): Pick<FoundPage, 'hits' | 'cutSnippets'> {
  let cutSnippets = 0
  const hits = shown.flatMap((ranked, at) => {
    const { candidate, score } = ranked
    const [session] = readSessions(db, [candidate.sessionRowId])
    if (session === undefined) return []
    const message = candidate.messageRowId === null ? null : readMessage(db, candidate.messageRowId)
    if (message === null || rung === null)
      return [{ hit: hitOf(session, score, null), after: placeAfter(at, ranked) }]
    const snippet = cutSnippet(message.text, rung.highlights)
    if (snippet.cut) cutSnippets++
    return [{ hit: hitOf(session, score, { message, snippet: snippet.text }), after: placeAfter(at, ranked) }]
  })
  return { hits, cutSnippets }
}

function spelling(spelt: SpeltRung | null): Pick<FoundPage, 'route' | 'repairedTerms'> {
  if (spelt === null) return { route: 'or', repairedTerms: null }
  const { rung, repairs, query } = spelt
  if (repairs.size === 0) return { route: rung.route, repairedTerms: null }
  return { route: `typo+${rung.route}`, repairedTerms: query.terms.flatMap((term) => term.words) }
}

function emptyPage(start: CursorPlace, last: SpeltRung | null, cappedCandidates: boolean): FoundPage {
  return { hits: [], start, hasMore: false, ...spelling(last), cappedCandidates, cutSnippets: 0 }
}
