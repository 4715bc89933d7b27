/** Hosts that were started for this very call have no index yet: what reads one has to let it catch up first. */
import type { GatewayClient } from './gateway-client.ts'

/** Waits, 5 s at most, where the gateway lives in this process; a search that finds nothing is the way to ask for it. */
export async function letCatchUp(
  client: GatewayClient,
  executionHostId: string,
  signal: AbortSignal,
): Promise<void> {
  if (!client.isFresh) return
  const sent = { query: 'agent:none', executionHostId, limit: 1, freshness: 'wait-until-current' }
  await client.call('aiVault.searchSessions', sent, signal)
}
