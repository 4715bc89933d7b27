import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { formatOffer, offerLifetimeMs, type PairingOffer, parseOffer } from './offer.ts'
import { createOfferDesk, maxWrongTries } from './offer-desk.ts'

const offer: PairingOffer = {
  v: 1,
  from: 'host',
  urls: ['wss://ci.example:7718/pair', 'wss://[2001:db8::1]:7718/pair'],
  pin: `sha256/${'A'.repeat(43)}=`,
  secret: 's'.repeat(27),
  exp: 1_800_000_000,
}

describe('parseOffer', () => {
  it('reads what formatOffer wrote, broken over lines or not, and it is one word for any shell', () => {
    const text = formatOffer(offer)
    expect(text).toMatch(/^[A-Za-z0-9._-]+$/)
    expect(parseOffer(text)).toEqual(offer)
    expect(parseOffer(` ${text.slice(0, 80)}\n${text.slice(80)}\n`)).toEqual(offer)
  })

  it('refuses a cut, changed or foreign text, and addresses that are no plain wss:// ones', () => {
    const text = formatOffer(offer)
    expect(parseOffer(text.slice(0, -9))).toBeNull()
    expect(parseOffer('trawl-pair.')).toBeNull()
    expect(parseOffer('x'.repeat(100_000))).toBeNull()
    for (const urls of [
      [],
      ['ws://ci.example/pair'],
      ['wss://u:p@ci.example/pair'],
      ['wss://ci.example/other'],
    ])
      expect(parseOffer(formatOffer({ ...offer, urls }))).toBeNull()
    expect(parseOffer(formatOffer({ ...offer, secret: 'short' }))).toBeNull()
    expect(parseOffer(formatOffer({ ...offer, pin: 'sha256/x' }))).toBeNull()
    expect(parseOffer(formatOffer({ ...offer, v: 2 } as never))).toBeNull()
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => parseOffer(`trawl-pair.${text}`) === null))
  })
})

describe('createOfferDesk', () => {
  function desk(targetOf?: (secret: string) => string) {
    const clock = createManualClock()
    let made = 0
    const offers = createOfferDesk<string>({
      clock,
      makeSecret: () => `${++made}00${made}-secret`,
      ...(targetOf === undefined ? {} : { targetOf }),
      digest: (text) => createHash('sha256').update(text).digest('hex'),
    })
    return { clock, offers }
  }

  it('honours a secret once', () => {
    const { offers } = desk()
    const { secret } = offers.open('a', 'granted')
    expect(offers.redeem(secret)).toBe('granted')
    expect(offers.redeem(secret)).toBeNull()
  })

  it('honours it for five minutes and no longer', () => {
    const { clock, offers } = desk()
    const early = offers.open('a', 'granted')
    expect(early.expiresAtMs).toBe(clock.now() + 300_000)
    clock.advance(offerLifetimeMs - 1)
    const late = offers.open('b', 'granted')
    expect(offers.redeem(early.secret)).toBe('granted')
    clock.advance(offerLifetimeMs)
    expect(offers.redeem(late.secret)).toBeNull()
  })

  it('ends the offer that was meant at the fifth wrong try, and not at the fourth', () => {
    const { offers } = desk((secret) => secret.slice(0, 4))
    const first = offers.open('a', 'granted')
    const target = first.secret.slice(0, 4)
    for (let wrong = 1; wrong < maxWrongTries; wrong++) expect(offers.redeem(`${target}-wrong`)).toBeNull()
    expect(offers.redeem(first.secret)).toBe('granted')
    const second = offers.open('a', 'granted')
    for (let wrong = 0; wrong < maxWrongTries; wrong++) {
      expect(offers.isOpen('a')).toBe(true)
      expect(offers.redeem(`${second.secret.slice(0, 4)}-wrong`)).toBeNull()
    }
    expect(offers.isOpen('a')).toBe(false)
    expect(offers.redeem(second.secret)).toBeNull()
  })

  it('lets nobody end an offer of which they know nothing', () => {
    const { offers } = desk((secret) => secret.slice(0, 4))
    const [mine, yours] = [offers.open('a', 'mine'), offers.open('b', 'yours')]
    for (let wrong = 0; wrong < 1_000; wrong++) expect(offers.redeem(`guess-${wrong}`)).toBeNull()
    for (let wrong = 0; wrong < maxWrongTries; wrong++) offers.redeem(`${mine.secret.slice(0, 4)}-wrong`)
    expect(offers.redeem(mine.secret)).toBeNull()
    expect(offers.redeem(yours.secret)).toBe('yours')
  })

  it('does not count against secrets that nobody can guess', () => {
    const { offers } = desk()
    const { secret } = offers.open('a', 'granted')
    for (let wrong = 0; wrong < 100; wrong++) expect(offers.redeem('guess')).toBeNull()
    expect(offers.redeem(secret)).toBe('granted')
  })

  it('closes the earlier offer under a key when another is opened, and leaves those under other keys', () => {
    const { offers } = desk()
    const earlier = offers.open('a', 'earlier')
    const other = offers.open('b', 'other')
    const later = offers.open('a', 'later')
    expect(offers.redeem(earlier.secret)).toBeNull()
    expect(offers.redeem(other.secret)).toBe('other')
    expect(offers.redeem(later.secret)).toBe('later')
  })
})
