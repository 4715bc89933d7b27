/**
 * After a search without hits: which of the hosts that answered have not searched all they hold. "Nothing found" may
 * only be said of the others.
 */
import type { LegReport, SearchResults } from '../../protocol/session-search/response.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import { sayUnfinished } from '../words/say-unfinished.ts'
import type { CommandContext } from './command-context.ts'
import type { GatewayClient } from './gateway-client.ts'

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
