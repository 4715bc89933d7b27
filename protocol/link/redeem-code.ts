/**
 * The client's end of its pairing with a gateway (device-pairing.ts). It runs in browsers too, so what the gateway says
 * is looked at by hand: the schemas would bring all of zod along.
 */
import type { webcrypto } from 'node:crypto'
import type * as z from 'zod'
import { TrawlError } from '../rpc/errors.ts'
import { type DeviceKind, deviceRights } from '../rpc/rights.ts'
import type { PairedDevice, pairingBeginResultSchema, pairingRevealResultSchema } from './device-pairing.ts'
import { keyPinPattern } from './key-pin.ts'
import { checkDigits, commitmentTo, deriveToken, makePairingKeys } from './pairing-keys.ts'

type Begun = z.output<typeof pairingBeginResultSchema>
type Grant = z.output<typeof pairingRevealResultSchema>

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
  const begun = readBegun(await options.call('pairing.begin', { code, name, kind, commitment }))
  const { gatewayKey, gatewayPin, gatewayName } = begun
  if (options.expectedPin !== undefined && options.expectedPin !== gatewayPin)
    throw new Error('What answered is not the gateway that made the code.')
  const transcript = { clientKey: keys.publicKey, gatewayKey, gatewayPin }
  const decided = options.call('pairing.reveal', { publicKey: keys.publicKey })
  // It may fail before the digits are there; that is told below.
  decided.catch(() => {})
  options.onDigits(await checkDigits(transcript, subtle), gatewayName)
  const granted = readGrant(await decided)
  return { ...granted, gatewayPin, token: await deriveToken(keys, gatewayKey, transcript, subtle) }
}

function readBegun(value: unknown): Begun {
  const { gatewayName, gatewayKey, gatewayPin } = (value ?? {}) as Partial<Record<keyof Begun, unknown>>
  const isWhole =
    typeof gatewayName === 'string' &&
    typeof gatewayKey === 'string' &&
    typeof gatewayPin === 'string' &&
    keyPinPattern.test(gatewayPin)
  if (!isWhole) throw notUnderstood()
  return { gatewayName, gatewayKey, gatewayPin }
}

function readGrant(value: unknown): Grant {
  const { name, may } = (value ?? {}) as Partial<Record<keyof Grant, unknown>>
  if (typeof name !== 'string' || !Array.isArray(may)) throw notUnderstood()
  return { name, may: deviceRights.filter((right) => may.includes(right)) }
}

function notUnderstood(): TrawlError {
  return new TrawlError('internal', 'What the gateway said while pairing was not understood.')
}
