/** The host's search service: freshness first where it is asked for, then the search. */
import type { Clock } from '../../protocol/clock.ts'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import type { SearchResponse } from '../../protocol/session-search/response.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { maxFreshnessWaitMs, waitUntilCurrent } from './freshness-wait.ts'
import { readSession } from './read-session.ts'
import { searchIndex } from './search-index.ts'
import type { SearchCall, SessionSearchService } from './search-registry.ts'

/** Of the time a caller has left, what is kept for the search itself when it also waits. */
const keptForSearchMs = 500

export interface SessionSearchServiceOptions {
  /** A read connection of this thread's own. */
  readonly index: SqlDatabase
  readonly indexing: {
    /** One bounded pass over what changed lately: no promise that everything was swept [freshness.wait]. */
    reconcile(options: { readonly full: false }): Promise<unknown>
    status(): SearchStatus
  }
  readonly clock: Clock
  readonly platform: NodeJS.Platform
}

export function createSessionSearchService(options: SessionSearchServiceOptions): SessionSearchService {
  const { index, indexing, clock, platform } = options

  async function search(request: SearchRequest, { signal }: SearchCall): Promise<SearchResponse> {
    const deadlineAtMs =
      request.deadlineMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + request.deadlineMs
    const isCurrent = request.freshness === 'wait-until-current' ? await becomeCurrent(request, signal) : true
    return searchIndex(request, {
      db: index,
      platform,
      clock,
      signal,
      deadlineAtMs,
      freshnessTruncated: !isCurrent,
    })
  }

  function becomeCurrent(request: SearchRequest, signal: AbortSignal): Promise<boolean> {
    const deadlineMs = request.deadlineMs ?? Number.POSITIVE_INFINITY
    const waitMs = Math.max(0, Math.min(maxFreshnessWaitMs, deadlineMs - keptForSearchMs))
    return waitUntilCurrent(() => indexing.reconcile({ full: false }), waitMs, clock, signal)
  }

  return { search, readSession: (request) => readSession(index, request), status: () => indexing.status() }
}
