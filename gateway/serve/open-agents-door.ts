/** Puts the agents' door together: its key, who is paired, and the invitations of this run. */
import { hostname, networkInterfaces } from 'node:os'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import { pairPath } from '../../protocol/link/pairing-messages.ts'
import { reachableUrls } from '../../protocol/link/reachable-urls.ts'
import { createInvitations, type Invitations } from '../access/invitations.ts'
import { loadGatewayKey, loadPairedAgents } from '../access/paired-agents.ts'
import type { GatewayConfig } from '../config.ts'
import type { ListenAddress } from '../config-schema.ts'
import { type AgentsDoor, type AgentsDoorOptions, openAgentsDoor } from './agents-door.ts'

export interface OpenAgentsDoorOptions {
  readonly listen: ListenAddress
  readonly config: Pick<GatewayConfig, 'hosts'>
  readonly dataDir: string
  readonly log: Logger
  readonly clock: Clock
  readonly arrive: AgentsDoorOptions['arrive']
  createId(): string
}

export interface OpenedAgentsDoor extends AgentsDoor {
  readonly invitations: Invitations
}

/** @throws Refusal `in-use`, `permission`, `configuration`. */
export async function openDoorForAgents(options: OpenAgentsDoorOptions): Promise<OpenedAgentsDoor> {
  const { dataDir, clock, listen } = options
  const agents = await loadPairedAgents(dataDir, clock)
  // A host that was removed is not to come back under the same name with its old token.
  const configured = new Set(options.config.hosts.map(({ id }) => id))
  for (const { name } of agents.list()) if (!configured.has(name)) await agents.revoke(name)
  const tls = await loadGatewayKey(dataDir, clock.now())
  let address = listen
  const invitations = createInvitations({
    agents,
    clock,
    pin: tls.pin,
    pairUrls: () => pairUrls(address),
  })
  const door = await openAgentsDoor({ ...options, tls, agents, redeem: invitations.redeem })
  address = door.address
  return { ...door, invitations }
}

function pairUrls({ host, port }: ListenAddress): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return reachableUrls({ host, port, hostName: hostname(), interfaces, path: pairPath })
}
