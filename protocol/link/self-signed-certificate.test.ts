import { createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selfSignedCertificate } from './self-signed-certificate.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function certificate(serial: Uint8Array, commonName = 'trawl-agent'): X509Certificate {
  return new X509Certificate(
    selfSignedCertificate({
      publicKeyDer: publicKey.export({ type: 'spki', format: 'der' }),
      commonName,
      serial,
      notBeforeMs: Date.parse('2026-03-04T05:06:07Z'),
      sign: (bytes) => sign('sha256', bytes, privateKey),
    }),
  )
}

describe('selfSignedCertificate', () => {
  it('is read and verified by another X.509 implementation, with the key, name and times it was given', () => {
    const made = certificate(Uint8Array.of(1, 2, 3))
    expect(made.verify(createPublicKey(privateKey))).toBe(true)
    expect(made.checkIssued(made)).toBe(true)
    expect(made.ca).toBe(false)
    expect(made.subject).toBe('CN=trawl-agent')
    expect(made.serialNumber).toBe('010203')
    expect(made.publicKey.equals(publicKey)).toBe(true)
    expect(new Date(made.validFrom).toISOString()).toBe('2026-03-04T05:06:07.000Z')
    expect(new Date(made.validTo).getUTCFullYear()).toBe(9999)
  })

  it('keeps every serial number positive and in its shortest form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (serial) => {
        const wanted = BigInt(`0x${Buffer.from(serial).toString('hex')}`)
        const found = BigInt(`0x${certificate(serial).serialNumber}`)
        return found === (wanted === 0n ? 1n : wanted)
      }),
      { numRuns: 50 },
    )
  })

  it('writes lengths of more than one byte as DER wants them', () => {
    expect(certificate(Uint8Array.of(1), 'n'.repeat(60)).subject).toBe(`CN=${'n'.repeat(60)}`)
  })
})
