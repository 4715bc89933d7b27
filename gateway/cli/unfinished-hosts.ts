/**
 * After a search without hits: which of the hosts that answered have not searched all they hold. "Nothing found" may
 * only be said of the others.
 */
import type { LegReport, SearchResults } from '../../protocol/session-search/response.ts'
import { type SearchStatus, searchStatusSchema } from '../../protocol/session-search/status.ts'
import type { CommandContext } from './command-context.ts'
import type { GatewayClient } from './gateway-client.ts'
import { pace } from './say-progress.ts'

const statusTimeoutMs = 2_000

/** @returns host id → what is not searched there yet, as the end of a sentence. */
export async function findUnfinishedHosts(
  results: SearchResults,
  legs: readonly LegReport[],
  client: GatewayClient,
  context: Pick<CommandContext, 'signal'>,
): Promise<Map<string, string>> {
  const answered = legs.filter((leg) => leg.outcome === 'results')
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(statusTimeoutMs)])
  const told = await Promise.all(
    answered.map(async ({ executionHostId, droppedHits }): Promise<[string, string | null]> => {
      if (droppedHits !== undefined) return [executionHostId, 'its hits could not be read by this version']
      try {
        const status = await client.call('aiVault.searchStatus', { executionHostId }, signal)
        return [executionHostId, sayUnfinished(searchStatusSchema.parse(status), results.truncated.freshness)]
      } catch {
        return [executionHostId, 'how far its index is could not be asked']
      }
    }),
  )
  const unfinished = new Map<string, string>()
  for (const [id, words] of told) if (words !== null) unfinished.set(id, words)
  return unfinished
}

/** @param wasStale whether some host of the answer did not catch up in time; the answer does not say which. */
export function sayUnfinished(status: SearchStatus, wasStale: boolean): string | null {
  const { filesIndexed, filesDue, degradedRoots, progress } = status
  if (filesDue > 0 || status.phase === 'indexing') {
    const howFar = [
      `${filesIndexed} of ${filesIndexed + filesDue} files`,
      ...(progress === undefined ? [] : pace(progress)),
    ]
    return `it is still indexing (${howFar.join(', ')})`
  }
  if (status.phase === 'degraded') {
    const count = degradedRoots.length
    return `${count} of its sources could not be read`
  }
  if (status.phase === 'closed') return 'its index is closed'
  if (status.lastReconcileAt === null) return 'its index has not been filled yet'
  return wasStale ? 'its index may not have caught up in time' : null
}
