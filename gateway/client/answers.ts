/**
 * Answers as the client hands them out: what became of every host is always there. The gateway has parsed what its hosts
 * said, so here only what is read is looked at; a schema library would be most of this client's weight in a page.
 */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { LegReport, SearchResponse } from '../../protocol/session-search/response.ts'

interface Told {
  /** One entry for each host that was asked, and for each that should have been; none where no host was. */
  readonly hosts: readonly LegReport[]
  /**
   * Every host that was asked answered, nothing of its answer was left out, and none is behind its disk. Only then does an
   * answer without hits, and without more pages, say that there is nothing.
   */
  readonly isComplete: boolean
}

/** Hits are there under `kind: 'results'` alone; every other kind says why there are none. */
export type SearchAnswer = SearchResponse extends infer Each
  ? Each extends { readonly kind: string }
    ? Omit<Each, 'hosts'> & Told
    : never
  : never

/** What one host has found, as soon as it has; at the end the answer, which is the same as without. */
export type PartialAnswer =
  | { readonly kind: 'leg'; readonly leg: LegReport; readonly hits: readonly Hit[] }
  | { readonly kind: 'answer'; readonly answer: SearchAnswer }

export interface AskedHost {
  readonly executionHostId: string | undefined
  readonly query: string
  /** How long the call took, as seen here. */
  readonly durationMs: number
}

/** @throws TrawlError `internal` where the answer has no shape this version knows. */
export function readSearchAnswer(value: unknown, asked: AskedHost): SearchAnswer {
  if (!isSearchResponse(value)) throw notUnderstood()
  const hosts = value.kind === 'results' && value.hosts !== undefined ? value.hosts : legsOfOne(value, asked)
  const isComplete =
    value.kind === 'results' &&
    !value.truncated.freshness &&
    hosts.length > 0 &&
    hosts.every(({ outcome, droppedHits }) => outcome === 'results' && droppedHits === undefined)
  return { ...value, hosts, isComplete }
}

/** A single host's answer is one leg. A cursor of all hosts that makes no sense was shown to none. */
function legsOfOne(response: SearchResponse, asked: AskedHost): readonly LegReport[] {
  const executionHostId = asked.executionHostId?.trim() ?? 'local'
  if (executionHostId === 'all' || wasNotAsked(response, asked.query)) return []
  return [
    {
      executionHostId,
      outcome: response.kind,
      durationMs: response.kind === 'results' ? response.durationMs : asked.durationMs,
      ...(response.kind === 'unavailable' ? { reason: response.reason } : {}),
    },
  ]
}

/** `host:` may have left out the one host that was addressed; such an answer looks as if it had held nothing. */
function wasNotAsked(response: SearchResponse, query: string): boolean {
  return response.kind === 'results' && response.hits.length === 0 && /host:/i.test(query)
}

/** @returns null for what is no such report. */
export function readPartial(value: unknown): Extract<PartialAnswer, { kind: 'leg' }> | null {
  if (!isRecord(value) || typeof value.executionHostId !== 'string' || !Array.isArray(value.hits)) return null
  const { hits, ...leg } = value as Omit<LegReport, 'hits'> & { hits: readonly Hit[] }
  return { kind: 'leg', leg: { ...leg, hits: hits.length }, hits }
}

/** Of the hosts that nothing was told of yet, such as all of them over HTTP: what the answer's page shows of each. */
export function legsOfAnswer(answer: SearchAnswer, told: ReadonlySet<string>): PartialAnswer[] {
  return answer.hosts
    .filter(({ executionHostId }) => !told.has(executionHostId))
    .map((leg) => {
      const shown = answer.kind === 'results' ? answer.hits : []
      return {
        kind: 'leg',
        leg,
        hits: shown.filter((hit) => (hit.executionHostId ?? leg.executionHostId) === leg.executionHostId),
      }
    })
}

function isSearchResponse(value: unknown): value is SearchResponse {
  if (!isRecord(value)) return false
  switch (value.kind) {
    case 'results':
      return (
        Array.isArray(value.hits) &&
        isRecord(value.page) &&
        typeof value.page.hasMore === 'boolean' &&
        isRecord(value.truncated) &&
        (value.hosts === undefined || Array.isArray(value.hosts))
      )
    case 'stale-cursor':
    case 'malformed-cursor':
      return true
    case 'unavailable':
      return typeof value.reason === 'string'
    default:
      return false
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notUnderstood(): TrawlError {
  return new TrawlError('internal', 'The gateway answered in a way that this version does not understand.')
}
