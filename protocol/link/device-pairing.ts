/**
 * The client's end of its pairing with a gateway, over a WebSocket at `/pair`, and what is said there: `pairing.begin`
 * redeems the short code and commits to a key, `pairing.reveal` shows that key and is answered when the owner has decided.
 */
import type { webcrypto } from 'node:crypto'
import * as z from 'zod'
import { type DeviceKind, deviceKinds, deviceRights } from '../rpc/rights.ts'
import { keyPinPattern } from './key-pin.ts'
import { checkDigits, commitmentTo, deriveToken, makePairingKeys } from './pairing-keys.ts'
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

export interface PairedDevice extends z.output<typeof pairingRevealResultSchema> {
  /** Never sent while pairing; shown as `Authorization: Bearer`, or in the first message of a WebSocket. */
  readonly token: string
  /** For clients that can check the key of a TLS link. */
  readonly gatewayPin: string
}

export interface RedeemCodeOptions {
  /** As it was read or typed. */
  readonly code: string
  readonly name: string
  readonly kind: DeviceKind
  readonly subtle: webcrypto.SubtleCrypto
  /** The pin that the QR code gave, where there was one. */
  readonly expectedPin?: string
  call(method: string, params: unknown): Promise<unknown>
  /** The six digits to be shown, beside the gateway's name, until the owner has decided. */
  onDigits(digits: string, gatewayName: string): void
}

/**
 * @throws TrawlError what the gateway said: `unauthorized` for a code that is not open, `forbidden` when the owner said no;
 *   Error where what answered has another key than the QR code named.
 */
export async function redeemCode(options: RedeemCodeOptions): Promise<PairedDevice> {
  const { subtle, name, kind, code } = options
  const keys = await makePairingKeys(subtle)
  const commitment = await commitmentTo(keys.publicKey, subtle)
  const begun = pairingBeginResultSchema.parse(
    await options.call('pairing.begin', { code, name, kind, commitment }),
  )
  const { gatewayKey, gatewayPin, gatewayName } = begun
  if (options.expectedPin !== undefined && options.expectedPin !== gatewayPin)
    throw new Error('What answered is not the gateway that made the code.')
  const transcript = { clientKey: keys.publicKey, gatewayKey, gatewayPin }
  const decided = options.call('pairing.reveal', { publicKey: keys.publicKey })
  // It may fail before the digits are there; that is told below.
  decided.catch(() => {})
  options.onDigits(await checkDigits(transcript, subtle), gatewayName)
  const granted = pairingRevealResultSchema.parse(await decided)
  return { ...granted, gatewayPin, token: await deriveToken(keys, gatewayKey, transcript, subtle) }
}
