/** What every answer of the soak has to hold, whatever the hosts do meanwhile. */
import type { SearchResults } from '../protocol/session-search/response.ts'

/** What a host has been all through a query; `changing` when it was touched, or was not noticed yet. */
export type Known = 'up' | 'down' | 'changing'

/** @returns what is wrong, in words; nothing when all is right. */
export function findWrong(answer: SearchResults, known: ReadonlyMap<string, Known>): string[] {
  const wrong: string[] = []
  const legs = new Map((answer.hosts ?? []).map((leg) => [leg.executionHostId, leg]))
  if (legs.size !== (answer.hosts ?? []).length) wrong.push('a host is reported twice')
  for (const [id, state] of known) {
    const leg = legs.get(id)
    if (leg === undefined) wrong.push(`${id} has no outcome`)
    else if (state === 'up' && leg.outcome !== 'results')
      wrong.push(`${id} was up and is reported ${leg.outcome} (${leg.reason})`)
    else if (state === 'down' && leg.outcome !== 'unreachable')
      wrong.push(`${id} was down and is reported ${leg.outcome}`)
    else if (leg.outcome === 'unreachable' && leg.reason === undefined) wrong.push(`${id} has no reason`)
  }
  for (const hit of answer.hits) {
    const name = hit.executionHostId?.replace('runtime:', '')
    if (hit.sessionId !== `session-of-${name}`)
      wrong.push(`${hit.sessionId} is shown as ${hit.executionHostId}'s`)
    if (known.get(hit.executionHostId ?? '') === 'down')
      wrong.push(`${hit.executionHostId} is down and has hits`)
  }
  return wrong
}

/** @param share in [0, 1]. @returns 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
