/**
 * What a client and a gateway say while they pair, over a WebSocket at `/pair`: `pairing.begin` redeems the short code and
 * commits to a key, `pairing.reveal` shows that key and is answered when the owner has decided.
 */
import * as z from 'zod'
import { deviceKinds, deviceRights } from '../rpc/rights.ts'
import { keyPinPattern } from './key-pin.ts'
import { peerNameSchema } from './pairing-messages.ts'

const keySchema = z.string().regex(/^[A-Za-z0-9_-]{87}$/, 'must be a P-256 point of 65 bytes as base64url')

export const pairingBeginParamsSchema = z.object({
  code: z.string().max(40),
  name: peerNameSchema,
  kind: z.enum(deviceKinds).catch('other'),
  commitment: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 as base64url'),
})
export const pairingBeginResultSchema = z.object({
  gatewayName: z.string(),
  gatewayKey: keySchema,
  gatewayPin: z.string().regex(keyPinPattern),
})
export const pairingRevealParamsSchema = z.object({ publicKey: keySchema })
export const pairingRevealResultSchema = z.object({
  /** What the device is called on the gateway. */
  name: z.string(),
  may: z.array(z.enum(deviceRights)),
})

/** What a client has in hand when it is paired. */
export interface PairedDevice extends z.output<typeof pairingRevealResultSchema> {
  /** Never sent while pairing; shown as `Authorization: Bearer`, or in the first message of a WebSocket. */
  readonly token: string
  /** For clients that can check the key of a TLS link. */
  readonly gatewayPin: string
}
