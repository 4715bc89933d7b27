/** Before "nothing found" is said: which of the hosts that answered have not searched all they hold. */
import type { LegReport } from '../../protocol/session-search/response.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import { sayUnfinished } from '../words/say-unfinished.ts'
import type { AskGateway } from './tool-answer.ts'

/** Of more hosts than these nothing is claimed. */
const mostAsked = 50
const statusTimeoutMs = 2_000

/** @returns host id → what is not searched there yet, as the end of a sentence. */
export async function findUnfinished(
  legs: readonly LegReport[],
  { ask, signal }: { readonly ask: AskGateway; readonly signal: AbortSignal },
): Promise<Map<string, string>> {
  const answered = legs.filter((leg) => leg.outcome === 'results').map((leg) => leg.executionHostId)
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(statusTimeoutMs)])
  const told = await Promise.all(
    answered.map(async (executionHostId, at): Promise<[string, string | null]> => {
      const notAsked = 'how far its index is was not asked'
      if (at >= mostAsked) return [executionHostId, notAsked]
      try {
        const status = await ask('aiVault.searchStatus', { executionHostId }, bounded)
        return [executionHostId, sayUnfinished(searchStatusSchema.parse(status))]
      } catch {
        signal.throwIfAborted()
        return [executionHostId, notAsked]
      }
    }),
  )
  return new Map(told.filter((entry): entry is [string, string] => entry[1] !== null))
}
