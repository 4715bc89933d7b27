/** Holds the search service of this process, if there is one, and answers for its absence. */
import type { ReadSessionRequest, ReadSessionResponse } from '../../protocol/session-search/read-session.ts'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import type { SearchResponse, UnavailableReason } from '../../protocol/session-search/response.ts'
import { absentServiceStatus, type SearchStatus } from '../../protocol/session-search/status.ts'

export interface SearchCall {
  readonly signal: AbortSignal
}

/** Answers parsed requests with all that this machine may see itself; the door it leaves by removes the rest. */
export interface SessionSearchService {
  search(request: SearchRequest, call: SearchCall): Promise<SearchResponse>
  /** @throws TrawlError `not_found`. */
  readSession(request: ReadSessionRequest): ReadSessionResponse
  status(): SearchStatus | Promise<SearchStatus>
}

export interface SessionSearchRegistry extends SessionSearchService {
  /** Null takes the service away; searches under way end with the one they began with. */
  set(service: SessionSearchService | null): void
}

/** No service is `unavailable/no-service`, and the status that claims nothing [availability.no-service]. */
export function createSessionSearchRegistry(): SessionSearchRegistry {
  let current: SessionSearchService | null = null
  return {
    set: (service) => {
      current = service
    },
    search: async (request, call) =>
      current === null ? unavailable('no-service') : await current.search(request, call),
    readSession: (request) => current?.readSession(request) ?? unavailable('no-service'),
    status: () => current?.status() ?? { ...absentServiceStatus, degradedRoots: [] },
  }
}

/** Searching is switched off on this machine: the index is not opened. */
export function createDisabledService(): SessionSearchService {
  return {
    search: async () => unavailable('disabled'),
    readSession: () => unavailable('disabled'),
    status: () => ({ ...absentServiceStatus, degradedRoots: [] }),
  }
}

/** The index is being opened, or could not be: `problem` is for same-machine callers. */
export function createNotReadyService(problem?: string): SessionSearchService {
  return {
    search: async () => unavailable('not-ready'),
    readSession: () => unavailable('not-ready'),
    status: () => ({
      ...absentServiceStatus,
      enabled: true,
      phase: problem === undefined ? 'indexing' : 'degraded',
      degradedRoots: problem === undefined ? [] : [{ reason: problem }],
    }),
  }
}

function unavailable(reason: UnavailableReason): { kind: 'unavailable'; reason: UnavailableReason } {
  return { kind: 'unavailable', reason }
}
