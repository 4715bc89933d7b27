import { webcrypto } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { commitmentTo, makePairingKeys } from '../../protocol/link/pairing-keys.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { createDeviceOffers } from './device-offers.ts'

const signal = new AbortController().signal

async function begun() {
  const clock = createManualClock()
  const admitted: string[] = []
  let ids = 0
  const offers = createDeviceOffers({
    clock,
    devices: {
      admit: async (name) => {
        admitted.push(name)
        return name
      },
    },
    gatewayName: 'desk',
    gatewayPin: () => 'sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    clientUrls: () => ({ urls: ['https://desk.example'], isReachable: true }),
    createId: () => `offer-${++ids}`,
  })
  const { offerId, code } = offers.offer(undefined)
  const { publicKey } = await makePairingKeys(webcrypto.subtle)
  const commitment = await commitmentTo(publicKey, webcrypto.subtle)
  const pairing = await offers.begin({ code, name: 'phone', kind: 'mobile', commitment })
  return { clock, offers, offerId, pairing, publicKey, admitted }
}

describe('createDeviceOffers', () => {
  it('never asks the owner about a client that left while its key was looked at', async () => {
    const { offers, offerId, pairing, publicKey } = await begun()
    const revealed = pairing.reveal(publicKey)
    pairing.leave()
    await expect(revealed).rejects.toMatchObject({ code: 'cancelled' })
    expect(await offers.await({ offerId }, signal)).toEqual({ state: 'ended', reason: 'left' })
    await expect(offers.decide({ offerId, may: ['search'] })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('looks at one key of a client, and is not confused by a second', async () => {
    const { clock, offers, offerId, pairing, publicKey, admitted } = await begun()
    const [first, second] = [pairing.reveal(publicKey), pairing.reveal(publicKey)]
    await expect(second).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await offers.await({ offerId, seen: 'open' }, signal)).toMatchObject({ state: 'asking' })
    expect(await offers.decide({ offerId, may: ['search', 'search'] })).toBe('phone')
    expect(await first).toEqual({ name: 'phone', may: ['search'] })
    clock.advance(3_600_000)
    expect(await offers.await({ offerId }, signal)).toEqual({ state: 'ended', reason: 'decided' })
    expect(admitted).toEqual(['phone'])
  })

  it('ends with another key than the one that was committed to', async () => {
    const { offers, offerId, pairing } = await begun()
    const { publicKey: other } = await makePairingKeys(webcrypto.subtle)
    await expect(pairing.reveal(other)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await offers.await({ offerId }, signal)).toEqual({ state: 'ended', reason: 'left' })
  })

  it('waits three minutes for the owner, and then for nobody', async () => {
    const { clock, offers, offerId, pairing, publicKey } = await begun()
    clock.advance(4 * 60_000)
    const revealed = pairing.reveal(publicKey)
    expect(await offers.await({ offerId, seen: 'open' }, signal)).toMatchObject({ state: 'asking' })
    clock.advance(3 * 60_000)
    await expect(revealed).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await offers.await({ offerId }, signal)).toEqual({ state: 'ended', reason: 'expired' })
  })

  it('is awaited until there is news of that very offer, or for twenty seconds', async () => {
    const { clock, offers, offerId, pairing, publicKey } = await begun()
    const waited = offers.await({ offerId, seen: 'open' }, signal)
    let isAnswered = false
    void waited.then(() => {
      isAnswered = true
    })
    const other = offers.offer(undefined)
    // Both of them wake whoever waits, and neither is news to this one.
    await expect(
      offers.begin({ code: '0000-0000', name: 'guess', kind: 'other', commitment: '' }),
    ).rejects.toThrow()
    await offers.begin({ code: other.code, name: 'tablet', kind: 'web', commitment: '' })
    await clock.pass(10_000)
    expect(isAnswered).toBe(false)
    const revealed = pairing.reveal(publicKey)
    expect(await waited).toMatchObject({ state: 'asking' })
    pairing.leave()
    await expect(revealed).rejects.toMatchObject({ code: 'cancelled' })

    const { offerId: third } = offers.offer(undefined)
    const longer = offers.await({ offerId: third, seen: 'open' }, signal)
    await clock.pass(20_000)
    expect(await longer).toEqual({ state: 'open' })
    expect(clock.pending).toBe(0)
  })

  it('is told that the five minutes are over when they are', async () => {
    const { clock, offers } = await begun()
    const { offerId } = offers.offer(undefined)
    await clock.pass(4 * 60_000 + 50_000)
    const waited = offers.await({ offerId, seen: 'open' }, signal)
    await clock.pass(10_000)
    expect(await waited).toEqual({ state: 'ended', reason: 'expired' })
    expect(clock.pending).toBe(0)
  })
})
