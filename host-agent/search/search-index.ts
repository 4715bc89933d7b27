/** One search of one index: the cursor's checks, one consistent look at the rows, and the contract's answer. */
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import type { SearchDebug, SearchResponse } from '../../protocol/session-search/response.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { type IndexFence, readFence } from '../index/read.ts'
import { checkHostCursor, encodeHostCursor, queryKey } from './host-cursor.ts'
import { type FoundPage, findPage, orderOf } from './page.ts'
import type { SearchScope } from './plan.ts'
import { describeReading } from './query-reading.ts'
import { type QueryText, readQuery } from './query-text.ts'
import { type RetrievalLimits, retrievalLimits } from './retrieve.ts'
import { type FilterContext, sessionFilter } from './session-filter.ts'

export interface SearchContext {
  readonly db: SqlDatabase
  readonly platform: NodeJS.Platform
  readonly clock: Clock
  readonly signal: AbortSignal
  /** On the clock's monotonic scale; no step begins after it. */
  readonly deadlineAtMs: number
  /** Goes into `truncated.freshness`. */
  readonly freshnessTruncated: boolean
  /** Smaller ones in tests. */
  readonly limits?: RetrievalLimits
}

type Refusal = Exclude<SearchResponse, { kind: 'results' }>

/**
 * Answers a parsed request with everything this machine may see itself. Synchronous: the rows of one answer are of
 * one state of the index, and an answer whose index moved meanwhile is refused, page 1 included [cursor.first-page-fence].
 * @throws TrawlError `cancelled` or `timeout`, between steps.
 */
export function searchIndex(request: SearchRequest, context: SearchContext): SearchResponse {
  const { db, clock } = context
  const startedAtMs = clock.monotonicMs()
  const scope = request.scope ?? 'all'
  const key = queryKey(request)
  const looked = db.snapshot(() => lookInside(request, scope, key, context))
  if ('kind' in looked) return looked
  const { fence, page, query, filterContext } = looked
  const { generation } = readFence(db)
  if (generation !== fence.generation) {
    return { kind: 'stale-cursor', generation, expectedGeneration: fence.generation }
  }
  const hits = page.hits.map(({ hit, after }) => ({ ...hit, cursor: encodeHostCursor(after, key, fence) }))
  return {
    kind: 'results',
    hits,
    page: {
      cursor: page.hasMore ? (hits.at(-1)?.cursor ?? null) : null,
      hasMore: page.hasMore,
      startCursor: encodeHostCursor(page.start, key, fence),
    },
    generation: fence.generation,
    truncated: {
      candidates: page.cappedCandidates,
      snippets: page.cutSnippets,
      query: query.truncated,
      freshness: context.freshnessTruncated,
    },
    durationMs: Math.max(0, clock.monotonicMs() - startedAtMs),
    ...(request.debug === true ? { debug: debugOf(page, scope, query, filterContext) } : {}),
  }
}

function lookInside(
  request: SearchRequest,
  scope: SearchScope,
  key: string,
  context: SearchContext,
): Refusal | { fence: IndexFence; page: FoundPage; query: QueryText; filterContext: FilterContext } {
  const { db } = context
  const fence = readFence(db)
  const query = readQuery(request.query)
  const sort = request.filters?.sort ?? 'relevance'
  const verdict = request.cursor === undefined ? null : checkHostCursor(request.cursor, key, fence)
  if (verdict?.kind === 'malformed') return { kind: 'malformed-cursor' }
  if (verdict?.kind === 'stale') {
    const { expectedGeneration } = verdict
    return {
      kind: 'stale-cursor',
      generation: fence.generation,
      ...(expectedGeneration === undefined ? {} : { expectedGeneration }),
    }
  }
  const place = verdict?.place ?? null
  if (place !== null && place.order !== orderOf({ query, sort })) return { kind: 'malformed-cursor' }
  const checkTime = () => {
    if (context.signal.aborted) throw new TrawlError('cancelled')
    if (context.clock.monotonicMs() > context.deadlineAtMs) throw new TrawlError('timeout')
  }
  checkTime()
  const filterContext = { platform: context.platform, nowMs: context.clock.now() }
  const filter = sessionFilter(db, request.filters ?? {}, query, filterContext)
  const retrieval = { db, limits: context.limits ?? retrievalLimits }
  const page = findPage(retrieval, { query, scope, sort, filter, limit: request.limit, place, checkTime })
  return page === null ? { kind: 'malformed-cursor' } : { fence, page, query, filterContext }
}

function debugOf(
  page: FoundPage,
  scope: SearchScope,
  query: QueryText,
  filterContext: FilterContext,
): SearchDebug {
  const { route, rung, repairs } = page
  const repaired = page.repairedTerms === null ? {} : { repairedTerms: [...page.repairedTerms] }
  const answered = { rung, repairs, foundAny: page.hits.length > 0 }
  return {
    route,
    ...repaired,
    plannerReport: { route, ...repaired, scope },
    reading: describeReading(query, answered, filterContext),
  }
}
