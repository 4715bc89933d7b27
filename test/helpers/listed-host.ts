/** A host that holds a plain list of hits and pages it by keyset, as an agent's `newest` does. */
import type { Host, HostKind } from '../../gateway/hosts/host.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import { compareRecency, compareText, updatedAtMs } from '../../protocol/session-search/hit-order.ts'

export interface ListedHost extends Host {
  readonly hits: Hit[]
  /** From now on every call fails. */
  leave(): void
  /** What each call asked for. */
  readonly asked: { cursor?: string; limit: number }[]
}

export function listedHit(sessionId: string, updatedAt: string | null): Hit {
  return {
    agent: 'claude',
    sessionId,
    title: sessionId,
    cwd: null,
    branch: null,
    updatedAt,
    messageCount: 1,
    score: 0,
    source: { presence: 'present' },
    evidence: null,
  }
}

export function compareHits(a: Hit, b: Hit): number {
  return compareRecency(updatedAtMs(a), updatedAtMs(b)) || compareText(a.sessionId, b.sessionId)
}

export function listedHost(id: string, kind: HostKind, hits: Hit[]): ListedHost {
  let isGone = false
  const asked: { cursor?: string; limit: number }[] = []
  return {
    id,
    kind,
    label: id,
    hits,
    asked,
    leave: () => {
      isGone = true
    },
    report: () => ({ state: 'ready', retryAtMs: null, lastSeenAtMs: null, roundTripMs: null, version: null }),
    async call(_method, paramsFor) {
      if (isGone) throw new TrawlError('unreachable', undefined, { reason: 'offline' })
      const { cursor, limit } = paramsFor(1000) as { cursor?: string; limit: number }
      asked.push({ limit, ...(cursor === undefined ? {} : { cursor }) })
      const after: Pick<Hit, 'updatedAt' | 'sessionId'> | null =
        cursor === undefined || cursor === 'start' ? null : JSON.parse(cursor)
      const rest = hits
        .slice()
        .sort(compareHits)
        .filter((hit) => after === null || compareHits(hit, { ...hit, ...after }) > 0)
      const page = rest.slice(0, limit)
      const cursorOf = ({ updatedAt, sessionId }: Hit) => JSON.stringify({ updatedAt, sessionId })
      const last = page.at(-1)
      const hasMore = rest.length > page.length
      return {
        kind: 'results',
        hits: page.map((hit) => ({ ...hit, cursor: cursorOf(hit) })),
        page: {
          cursor: hasMore && last !== undefined ? cursorOf(last) : null,
          hasMore,
          startCursor: cursor ?? 'start',
        },
        generation: 1,
        truncated: { candidates: false, snippets: 0, query: false, freshness: false },
        durationMs: 0,
      }
    },
  }
}
