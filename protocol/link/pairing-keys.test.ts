import { webcrypto } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPairingCode, readPairingCode } from './pairing-code.ts'
import {
  checkDigits,
  commitmentTo,
  deriveToken,
  makePairingKeys,
  type PairingTranscript,
} from './pairing-keys.ts'

const { subtle } = webcrypto
const gatewayPin = `sha256/${'A'.repeat(43)}=`

async function met() {
  const [client, gateway] = await Promise.all([makePairingKeys(subtle), makePairingKeys(subtle)])
  const transcript: PairingTranscript = {
    clientKey: client.publicKey,
    gatewayKey: gateway.publicKey,
    gatewayPin,
  }
  return { client, gateway, transcript }
}

describe('the keys of a pairing', () => {
  it('give both sides the same token, which nobody has sent, and another one each time', async () => {
    const { client, gateway, transcript } = await met()
    const atClient = await deriveToken(client, gateway.publicKey, transcript, subtle)
    const atGateway = await deriveToken(gateway, client.publicKey, transcript, subtle)
    expect(atClient).toBe(atGateway)
    expect(atClient).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const other = await met()
    expect(await deriveToken(other.client, other.gateway.publicKey, other.transcript, subtle)).not.toBe(
      atClient,
    )
  })

  it('give no token to whoever saw both keys and holds neither', async () => {
    const { client, gateway, transcript } = await met()
    const between = await makePairingKeys(subtle)
    const token = await deriveToken(client, gateway.publicKey, transcript, subtle)
    for (const seen of [client.publicKey, gateway.publicKey])
      expect(await deriveToken(between, seen, transcript, subtle)).not.toBe(token)
  })

  it('show other digits as soon as one key, or the pin, is another', async () => {
    const { transcript } = await met()
    const digits = await checkDigits(transcript, subtle)
    expect(digits).toMatch(/^\d{6}$/)
    expect(await checkDigits({ ...transcript }, subtle)).toBe(digits)
    const { publicKey } = await makePairingKeys(subtle)
    const changed = await Promise.all([
      checkDigits({ ...transcript, clientKey: publicKey }, subtle),
      checkDigits({ ...transcript, gatewayKey: publicKey }, subtle),
      checkDigits({ ...transcript, gatewayPin: `sha256/${'B'.repeat(43)}=` }, subtle),
    ])
    // Each of the three could be the same by chance once in a million; not two of them.
    expect(changed.filter((other) => other === digits).length).toBeLessThan(2)
  })

  it('are the digits of a known transcript, so that other clients can be built', async () => {
    const known = { clientKey: 'AQ', gatewayKey: 'Ag', gatewayPin }
    expect(await checkDigits(known, subtle)).toBe('908967')
    expect(await commitmentTo('AQ', subtle)).toBe('D011WAiYI0lZr_qDVokZ4MWCYiEbey2y-5ssUHrHe6M')
  })

  it('refuse a point that is not on the curve', async () => {
    const { client, transcript } = await met()
    await expect(deriveToken(client, 'A'.repeat(87), transcript, subtle)).rejects.toThrow()
    await expect(deriveToken(client, '!', transcript, subtle)).rejects.toThrow()
  })
})

describe('the code', () => {
  it('is read as people type it', () => {
    for (const typed of ['K7QM-4XPD', 'k7qm4xpd', ' K7QM 4XPD ', 'K7QM–4XPD'])
      expect(readPairingCode(typed)).toBe('K7QM-4XPD')
    expect(readPairingCode('O0IL-1111')).toBe('0011-1111')
    for (const typed of ['', 'K7QM', 'K7QM-4XPDX', 'K7QM-4XPU', '../../..'])
      expect(readPairingCode(typed)).toBeNull()
  })

  it('comes back whatever bytes it was made of', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
        const code = formatPairingCode(bytes)
        return readPairingCode(code.toLowerCase()) === code
      }),
    )
  })
})
