/**
 * What a client and the gateway do with their keys while they pair. Each makes an ECDH P-256 key for this pairing alone;
 * the client commits to its own before it sees the gateway's, so that neither, and nobody between them, can choose a key
 * that makes the six digits come out as they like. The token is derived on both sides and never sent. Pure: `SubtleCrypto`
 * is passed in, the same in Node and in browsers.
 */
import type { webcrypto } from 'node:crypto'
import { fromBase64Url, toBase64Url } from '../base64url.ts'

type SubtleCrypto = webcrypto.SubtleCrypto

export interface PairingKeys {
  /** The uncompressed point, 65 bytes, base64url. */
  readonly publicKey: string
  readonly privateKey: webcrypto.CryptoKey
}

/** What both sides have seen when the keys are on the table. */
export interface PairingTranscript {
  readonly clientKey: string
  readonly gatewayKey: string
  /** The pin of the gateway's lasting key, which TLS shows too: whoever compares the digits has checked it. */
  readonly gatewayPin: string
}

const curve = { name: 'ECDH', namedCurve: 'P-256' }
const digitsLabel = 'trawl pairing digits 1'
const tokenLabel = 'trawl device token 1'
const tokenBits = 256

export async function makePairingKeys(subtle: SubtleCrypto): Promise<PairingKeys> {
  const { publicKey, privateKey } = await subtle.generateKey(curve, false, ['deriveBits'])
  const point = new Uint8Array(await subtle.exportKey('raw', publicKey))
  return { publicKey: toBase64Url(point), privateKey }
}

/** @returns SHA-256 of the key, base64url: binds the client to it, and shows nothing of it. */
export async function commitmentTo(publicKey: string, subtle: SubtleCrypto): Promise<string> {
  return toBase64Url(await sha256([publicKey], subtle))
}

/** @returns six digits that are the same on both sides when both hold the same keys. */
export async function checkDigits(transcript: PairingTranscript, subtle: SubtleCrypto): Promise<string> {
  const { clientKey, gatewayKey, gatewayPin } = transcript
  const digest = await sha256([digitsLabel, clientKey, gatewayKey, gatewayPin], subtle)
  const number = new DataView(digest.buffer).getBigUint64(0) % 1_000_000n
  return number.toString().padStart(6, '0')
}

/**
 * @returns 256 bits as base64url, the same on both sides (ECDH P-256, then HKDF-SHA-256 over what both have seen).
 * @throws Error where the other side's key is no point of the curve.
 */
export async function deriveToken(
  own: PairingKeys,
  otherKey: string,
  transcript: PairingTranscript,
  subtle: SubtleCrypto,
): Promise<string> {
  const point = fromBase64Url(otherKey)
  if (point === null) throw new Error('the key is no base64url')
  const other = await subtle.importKey('raw', point, curve, false, [])
  const shared = await subtle.deriveBits({ name: 'ECDH', public: other }, own.privateKey, 256)
  const material = await subtle.importKey('raw', shared, 'HKDF', false, ['deriveBits'])
  const { clientKey, gatewayKey, gatewayPin } = transcript
  const salt = await sha256([clientKey, gatewayKey, gatewayPin], subtle)
  const info = new TextEncoder().encode(tokenLabel)
  return toBase64Url(
    new Uint8Array(
      await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, material, tokenBits),
    ),
  )
}

/** Each part with its length before it, so that no two lists of parts are the same bytes. */
async function sha256(parts: readonly string[], subtle: SubtleCrypto): Promise<Uint8Array<ArrayBuffer>> {
  const text = parts.map((part) => `${part.length}:${part}`).join('')
  return new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
