/**
 * A pairing offer as text: what one side prints (or draws as a QR code) and the other redeems, once, within minutes.
 * It names where to dial, the key that must be found there, and a secret that proves having read the offer. No lasting
 * credential is in it.
 */
import * as z from 'zod'
import { keyPinPattern } from './key-pin.ts'

const prefix = 'trawl-pair.'
/** Far above any real offer; what is longer was never one. */
const maxOfferUnits = 4096
export const maxOfferUrls = 8
export const offerLifetimeMs = 5 * 60_000

const offerSchema = z.object({
  v: z.literal(1),
  /** Who made it, and so who may redeem it: a host's offer is for gateways, a gateway's for the host's agent. */
  from: z.enum(['host', 'gateway']),
  /** `wss://` addresses of the maker's pairing door, the likeliest first. */
  urls: z
    .array(z.string().regex(/^wss:\/\/[^\s/?#@]+\/pair$/))
    .min(1)
    .max(maxOfferUrls),
  pin: z.string().regex(keyPinPattern),
  /** 128 random bits or more, base64url. */
  secret: z.string().regex(/^[A-Za-z0-9_-]{22,86}$/),
  /** Seconds since the epoch by the maker's clock; the maker decides, whatever the reader's clock says. */
  exp: z.int(),
})
export type PairingOffer = z.output<typeof offerSchema>

/** @returns one word without anything a shell minds. */
export function formatOffer(offer: PairingOffer): string {
  return prefix + Buffer.from(JSON.stringify(offer)).toString('base64url')
}

/** @returns null for anything that is no whole offer of a version this one knows. */
export function parseOffer(text: string): PairingOffer | null {
  // Terminals break long words; what was copied with the breaks is still meant.
  const word = text.replaceAll(/\s+/g, '')
  if (!word.startsWith(prefix) || word.length > maxOfferUnits) return null
  try {
    const parsed = offerSchema.safeParse(
      JSON.parse(Buffer.from(word.slice(prefix.length), 'base64url').toString('utf8')),
    )
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
