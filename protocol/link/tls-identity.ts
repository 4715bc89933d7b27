/**
 * A side's own key and the certificate TLS wants around it. The key is kept and is what the other side pins; the
 * certificate is made anew with each start and stored nowhere. Pure: cryptography is brought by the caller.
 */
import type * as NodeCrypto from 'node:crypto'
import { formatKeyPin } from './key-pin.ts'
import { selfSignedCertificate } from './self-signed-certificate.ts'

export type CryptoPort = Pick<
  typeof NodeCrypto,
  'createHash' | 'createPrivateKey' | 'createPublicKey' | 'generateKeyPairSync' | 'randomBytes' | 'sign'
>

export interface TlsIdentity {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly cert: string
  /** `sha256/…` */
  readonly pin: string
}

const dayMs = 86_400_000

/** @returns a new ECDSA P-256 key as PKCS #8 PEM. */
export function makeTlsKey(crypto: CryptoPort): string {
  const { privateKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** @param key as `makeTlsKey` gave it. @returns null where that is no ECDSA P-256 key. */
export function tlsIdentityOf(
  key: string,
  { commonName, nowMs }: { readonly commonName: string; readonly nowMs: number },
  crypto: CryptoPort,
): TlsIdentity | null {
  const privateKey = readKey(key, crypto)
  if (privateKey === null) return null
  const publicKeyDer = crypto.createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const certificate = selfSignedCertificate({
    publicKeyDer,
    commonName,
    serial: crypto.randomBytes(16),
    // The other side's clock may be behind.
    notBeforeMs: nowMs - dayMs,
    sign: (bytes) => crypto.sign('sha256', bytes, privateKey),
  })
  const pin = formatKeyPin(crypto.createHash('sha256').update(publicKeyDer).digest())
  return { key, cert: toPem(certificate), pin }
}

function readKey(pem: string, crypto: CryptoPort): NodeCrypto.KeyObject | null {
  try {
    const key = crypto.createPrivateKey(pem)
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null
  } catch {
    return null
  }
}

function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
