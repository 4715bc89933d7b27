/** Invitations: the gateway's offers to agents that dial in. Each is for one host id, good once and for five minutes. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../protocol/clock.ts'
import { formatOffer, maxOfferUrls } from '../../protocol/link/offer.ts'
import { createOfferDesk } from '../../protocol/link/offer-desk.ts'
import { pairPath, type RedeemResult } from '../../protocol/link/pairing-messages.ts'
import type { PeerTable } from '../../protocol/link/peer-table.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { sha256Hex } from './paired-agents.ts'

export interface Invitation {
  readonly executionHostId: string
  readonly offer: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly urls: string[]
}

export interface Invitations {
  /**
   * @param url where agents find this gateway, if it cannot tell itself.
   * @throws TrawlError `invalid_input` for what is no plain `wss://` address.
   */
  invite(executionHostId: string, url: string | undefined): Invitation
  /** @returns the agent's token and host id; null for a secret that is not open. */
  redeem(secret: string): Promise<RedeemResult | null>
  /** The host's agent may not dial in any more, nor redeem what it was offered. */
  revoke(executionHostId: string): Promise<void>
}

export interface InvitationsOptions {
  readonly agents: PeerTable
  readonly clock: Clock
  /** Of the key that agents find here. */
  readonly pin: string
  /** Where the agents' door may be found, the likeliest first. */
  pairUrls(): readonly string[]
}

export function createInvitations({ agents, clock, pin, pairUrls }: InvitationsOptions): Invitations {
  const desk = createOfferDesk<string>({
    clock,
    makeSecret: () => randomBytes(20).toString('base64url'),
    digest: sha256Hex,
  })
  return {
    invite(executionHostId, url) {
      const urls = (url === undefined ? pairUrls() : [pairUrlOf(url)]).slice(0, maxOfferUrls)
      const { secret, expiresAtMs } = desk.open(executionHostId, executionHostId)
      const exp = Math.floor(expiresAtMs / 1000)
      const offer = formatOffer({ v: 1, from: 'gateway', urls, pin, secret, exp })
      return { executionHostId, offer, expiresAt: expiresAtMs, urls }
    },
    async redeem(secret) {
      const executionHostId = desk.redeem(secret)
      return executionHostId === null ? null : await agents.issue(executionHostId, 'replace')
    },
    async revoke(executionHostId) {
      desk.close(executionHostId)
      await agents.revoke(executionHostId)
    },
  }
}

function pairUrlOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const isPlain =
    parsed?.protocol === 'wss:' && parsed.username === '' && parsed.search === '' && parsed.pathname === '/'
  if (parsed === null || !isPlain)
    throw new TrawlError('invalid_input', 'The address must be as in wss://gateway.example:7719')
  return `wss://${parsed.host}${pairPath}`
}
