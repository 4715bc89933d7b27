/** For tests: asks a fixture index as the service would, with a clock that stands still. */
import { type SearchRequestInput, searchRequestSchema } from '../../protocol/session-search/request.ts'
import type { SearchResponse, SearchResults } from '../../protocol/session-search/response.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { type SearchContext, searchIndex } from './search-index.ts'

/** Parses as the agent does, and searches. */
export function ask(
  db: SqlDatabase,
  request: SearchRequestInput,
  context: Partial<SearchContext> = {},
): SearchResponse {
  return searchIndex(searchRequestSchema.parse(request), {
    db,
    platform: 'linux',
    clock: { now: () => 0, monotonicMs: () => 0, after: () => () => {} },
    signal: new AbortController().signal,
    deadlineAtMs: Number.POSITIVE_INFINITY,
    freshnessTruncated: false,
    ...context,
  })
}

/** @throws Error when the answer is no results. */
export function results(db: SqlDatabase, request: SearchRequestInput): SearchResults {
  const response = ask(db, request)
  if (response.kind !== 'results') throw new Error(`answered ${response.kind}`)
  return response
}

export function sessionIds(db: SqlDatabase, request: SearchRequestInput): string[] {
  return results(db, request).hits.map((hit) => hit.sessionId)
}
