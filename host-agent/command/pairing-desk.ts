/** Pairing, on the side of the agent that listens: makes offers, redeems them, and ends pairings. */
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { formatOffer, maxOfferUrls } from '../../protocol/link/offer.ts'
import { createOfferDesk } from '../../protocol/link/offer-desk.ts'
import { pairPath, type RedeemResult } from '../../protocol/link/pairing-messages.ts'
import type { PeerTable } from '../../protocol/link/peer-table.ts'
import type { RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { parseParams } from '../../protocol/rpc/methods.ts'
import { sha256Hex } from '../serve/paired-gateways.ts'

const offerParamsSchema = z.object({ url: z.string().optional() })
const revokeParamsSchema = z.object({ name: z.string() })
export const offerAnswerSchema = z.object({
  offer: z.string(),
  expiresAt: z.number(),
  urls: z.array(z.string()),
})
export const pairsAnswerSchema = z.object({
  pairs: z.array(z.object({ name: z.string(), createdAt: z.number(), lastSeenAt: z.number().nullable() })),
})
type PairsAnswer = z.output<typeof pairsAnswerSchema>
export const revokeAnswerSchema = z.object({ revoked: z.boolean() })

export interface PairingDeskOptions {
  readonly paired: PeerTable
  readonly clock: Clock
  /** The key's pin; null where this agent listens without TLS, and cannot pair. */
  readonly pin: string | null
  /** Where others find the pairing door, the likeliest first. */
  pairUrls(): readonly string[]
  cutOff(name: string): void
}

export interface PairingDesk {
  /** What the control socket offers. */
  readonly methods: RpcMethods
  redeem(secret: string, name: string): Promise<RedeemResult | null>
  /** The gateway of that name has ended its pairing; its links are gone a moment after it has been told so. */
  leave(name: string): Promise<void>
}

/** The answer gets there first. */
const leaveGraceMs = 200

export function createPairingDesk(options: PairingDeskOptions): PairingDesk {
  const { paired, clock, pin } = options
  const desk = createOfferDesk<true>({
    clock,
    makeSecret: () => randomBytes(20).toString('base64url'),
    digest: sha256Hex,
  })

  const makeOffer: RpcMethod = (params): z.output<typeof offerAnswerSchema> => {
    if (pin === null) throw new TrawlError('unsupported', plainCannotPair)
    const { url } = parseParams(offerParamsSchema, params)
    const urls = (url === undefined ? options.pairUrls() : [pairUrlOf(url)]).slice(0, maxOfferUrls)
    const { secret, expiresAtMs } = desk.open('', true)
    const exp = Math.floor(expiresAtMs / 1000)
    return {
      offer: formatOffer({ v: 1, from: 'host', urls, pin, secret, exp }),
      expiresAt: expiresAtMs,
      urls,
    }
  }

  const revoke: RpcMethod = async (params): Promise<z.output<typeof revokeAnswerSchema>> => {
    const { name } = parseParams(revokeParamsSchema, params)
    const revoked = await paired.revoke(name)
    options.cutOff(name)
    return { revoked }
  }

  return {
    methods: new Map([
      ['pairing.offer', makeOffer],
      ['pairing.list', (): PairsAnswer => ({ pairs: [...paired.list()] })],
      ['pairing.revoke', revoke],
    ]),
    async redeem(secret, name) {
      if (desk.redeem(secret) === null) return null
      return await paired.issue(name, 'number')
    },
    async leave(name) {
      await paired.revoke(name)
      clock.after(leaveGraceMs, () => options.cutOff(name))
    },
  }
}

const plainCannotPair =
  'This agent listens without TLS, and an offer must not cross a link that others can read. Start it with: trawl-agent listen --tls'

/** @throws TrawlError `invalid_input` for what is no plain `wss://` address. */
function pairUrlOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || parsed.protocol !== 'wss:' || parsed.username !== '' || parsed.search !== '')
    throw new TrawlError('invalid_input', '--url takes an address as in wss://ci.example:7718')
  const path = parsed.pathname.replace(/\/(?:rpc|pair)?$/, '')
  if (path !== '') throw new TrawlError('invalid_input', '--url takes an address without a path')
  return `wss://${parsed.host}${pairPath}`
}
