/**
 * How a web or mobile client becomes a paired one: a short code that is redeemed once, six digits on both sides, and the
 * owner's word. Kept in memory alone: no offer survives a restart.
 *
 * Guessing: there are 2⁴⁰ codes. One address (of IPv6 a /64) has five wrong ones and then one a minute (traffic.ts), ten
 * while a code is open: one chance in 10¹¹. All 65,536 networks of an IPv6 /48 together have one in 1.7 million, and the
 * owner, who sees other digits than the phone shows, is still to confirm.
 * Ending somebody else's offer takes five wrong codes with its first half, which is one of 2²⁰: 5.2 million tries, so
 * half a million addresses within five minutes.
 */
import { randomBytes, webcrypto } from 'node:crypto'
import type * as z from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import type {
  pairingBeginParamsSchema,
  pairingBeginResultSchema,
  pairingRevealResultSchema,
} from '../../protocol/link/device-pairing.ts'
import { createOfferDesk } from '../../protocol/link/offer-desk.ts'
import { firstHalfOf, formatPairingCode, readPairingCode } from '../../protocol/link/pairing-code.ts'
import { checkDigits, commitmentTo, deriveToken, makePairingKeys } from '../../protocol/link/pairing-keys.ts'
import type {
  DeviceOffer,
  DeviceOfferState,
  DeviceRequest,
  deviceAwaitRequestSchema,
  deviceDecisionSchema,
} from '../../protocol/rpc/devices.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { DeviceRight } from '../../protocol/rpc/rights.ts'
import type { Devices } from './devices.ts'
import { sha256Hex } from './paired-agents.ts'

const awaitMs = 20_000
/** How long the owner may take, at least, once a client has asked. */
const decisionMs = 3 * 60_000
const maxOffersKept = 32

type Grant = z.output<typeof pairingRevealResultSchema>
type Begin = z.output<typeof pairingBeginParamsSchema>

/** One client's pairing under way; whoever holds the connection drives it. */
export interface PairingUnderWay {
  readonly begun: z.output<typeof pairingBeginResultSchema>
  /**
   * Settles when the owner has decided.
   * @throws TrawlError `unauthorized` for a key that was not committed to; `forbidden` when the owner said no;
   *   `invalid_request` for a second key.
   */
  reveal(publicKey: string): Promise<Grant>
  /** The client has gone. */
  leave(): void
}

export interface DeviceOffers {
  offer(url: string | undefined): DeviceOffer
  /** @throws TrawlError `not_found` for an offer that is not known (any more). */
  await(params: z.output<typeof deviceAwaitRequestSchema>, signal: AbortSignal): Promise<DeviceOfferState>
  /** @returns the name the client got, or null where it was sent away. @throws TrawlError `not_found`. */
  decide(params: z.output<typeof deviceDecisionSchema>): Promise<string | null>
  /** @throws TrawlError `unauthorized` for a code that is not open; one that was meant for an offer has been counted there. */
  begin(params: Begin): Promise<PairingUnderWay>
}

export interface DeviceOffersOptions {
  readonly devices: Pick<Devices, 'admit'>
  readonly clock: Clock
  readonly gatewayName: string
  /** Of the key that clients find now. */
  gatewayPin(): string
  /** Where clients may find this gateway (`http` or `https`), the likeliest first. */
  clientUrls(): { readonly urls: readonly string[]; readonly isReachable: boolean }
  createId(): string
}

interface Offer {
  readonly offerId: string
  readonly expiresAtMs: number
  state: DeviceOfferState
  isRedeemed: boolean
  /** Present while a client asks, as is `giveUp`. */
  decide: ((may: readonly DeviceRight[] | null, name?: string) => Promise<string | null>) | null
  giveUp: (() => void) | null
}

export function createDeviceOffers(options: DeviceOffersOptions): DeviceOffers {
  const { devices, clock, gatewayName } = options
  const { subtle } = webcrypto
  const offers = new Map<string, Offer>()
  const waiting = new Set<() => void>()
  const desk = createOfferDesk<Offer>({
    clock,
    makeSecret: () => formatPairingCode(randomBytes(8)),
    targetOf: firstHalfOf,
    digest: sha256Hex,
  })

  function changed(): void {
    for (const wake of [...waiting]) wake()
  }

  function stateOf(offer: Offer): DeviceOfferState {
    if (offer.state.state === 'open' && !offer.isRedeemed && !desk.isOpen(offer.offerId)) {
      const reason = clock.now() >= offer.expiresAtMs ? 'expired' : 'wrong-codes'
      offer.state = { state: 'ended', reason }
    }
    return offer.state
  }

  function known(offerId: string): Offer {
    const offer = offers.get(offerId)
    if (offer === undefined) throw new TrawlError('not_found', 'There is no such offer any more')
    return offer
  }

  /** Settles at the next change of any offer, after `waitMs`, or when the caller leaves. */
  async function nextChange(waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = withResolver()
    waiting.add(resolve)
    const stopTimer = clock.after(waitMs, resolve)
    signal.addEventListener('abort', resolve, { once: true })
    try {
      await promise
    } finally {
      waiting.delete(resolve)
      stopTimer()
      signal.removeEventListener('abort', resolve)
    }
  }

  function finish(offer: Offer, reason: 'expired' | 'left' | 'decided'): void {
    offer.decide = null
    offer.giveUp = null
    offer.state = { state: 'ended', reason }
    changed()
  }

  /** Puts the client's request before the owner. */
  async function ask(offer: Offer, request: DeviceRequest, makeToken: () => Promise<string>): Promise<Grant> {
    return await new Promise<Grant>((resolve, reject) => {
      const end = (reason: 'expired' | 'left' | 'decided') => {
        stopTimer()
        finish(offer, reason)
      }
      const stopTimer = clock.after(Math.max(decisionMs, offer.expiresAtMs - clock.now()), () => {
        end('expired')
        reject(new TrawlError('unauthorized', 'Nobody confirmed the pairing in time. Begin again.'))
      })
      offer.state = { state: 'asking', request }
      offer.giveUp = () => {
        end('left')
        reject(new TrawlError('cancelled'))
      }
      offer.decide = async (may, name) => {
        end('decided')
        if (may === null) {
          reject(new TrawlError('forbidden', 'The owner of that machine did not confirm the pairing.'))
          return null
        }
        try {
          const rights = [...new Set(may)]
          const token = await makeToken()
          const given = await devices.admit(name ?? request.name, token, { kind: request.kind, may: rights })
          resolve({ name: given, may: rights })
          return given
        } catch (error) {
          reject(error)
          throw error
        }
      }
      changed()
    })
  }

  return {
    offer(url) {
      const offerId = options.createId()
      const offer: Offer = {
        offerId,
        expiresAtMs: 0,
        state: { state: 'open' },
        isRedeemed: false,
        decide: null,
        giveUp: null,
      }
      const { secret, expiresAtMs } = desk.open(offerId, offer)
      Object.assign(offer, { expiresAtMs })
      offers.set(offerId, offer)
      const [oldest] = offers.keys()
      if (offers.size > maxOffersKept && oldest !== undefined) offers.delete(oldest)
      const found = options.clientUrls()
      const urls = url === undefined ? found.urls : [url]
      const fragment = new URLSearchParams({ pair: secret, pin: options.gatewayPin() }).toString()
      return {
        offerId,
        code: secret,
        links: urls.map((base) => `${new URL('/', base)}#${fragment}`),
        expiresAt: expiresAtMs,
        isReachable: url !== undefined || found.isReachable,
      }
    },
    async await({ offerId, seen }, signal) {
      const offer = known(offerId)
      const untilMs = clock.monotonicMs() + awaitMs
      while (stateOf(offer).state === seen && !signal.aborted) {
        const leftMs = untilMs - clock.monotonicMs()
        if (leftMs <= 0) break
        // Nobody tells that an offer has expired.
        const expiresInMs = offer.expiresAtMs - clock.now()
        await nextChange(expiresInMs > 0 ? Math.min(leftMs, expiresInMs) : leftMs, signal)
      }
      return stateOf(offer)
    },
    async decide({ offerId, may, name }) {
      const { decide } = known(offerId)
      if (decide === null) throw new TrawlError('not_found', 'No client asks to be paired under that offer')
      return await decide(may, name)
    },
    async begin({ code, name, kind, commitment }) {
      const offer = desk.redeem(readPairingCode(code) ?? code)
      changed()
      if (offer === null) throw new TrawlError('unauthorized', codeNotOpen)
      offer.isRedeemed = true
      const gatewayPin = options.gatewayPin()
      const keys = await makePairingKeys(subtle)
      let isRevealed = false
      const leave = () => {
        if (offer.giveUp !== null) offer.giveUp()
        else if (offer.state.state === 'open') finish(offer, 'left')
      }
      return {
        begun: { gatewayName, gatewayKey: keys.publicKey, gatewayPin },
        leave,
        async reveal(publicKey) {
          if (isRevealed) throw new TrawlError('invalid_request')
          isRevealed = true
          if ((await commitmentTo(publicKey, subtle)) !== commitment) {
            leave()
            throw new TrawlError('unauthorized', 'That is not the key that was committed to')
          }
          const transcript = { clientKey: publicKey, gatewayKey: keys.publicKey, gatewayPin }
          const digits = await checkDigits(transcript, subtle)
          // Its client may have gone meanwhile: nobody is to be asked about it then.
          if (offer.state.state !== 'open') throw new TrawlError('cancelled')
          return await ask(
            offer,
            { name, kind, digits },
            async () => await deriveToken(keys, publicKey, transcript, subtle),
          )
        },
      }
    },
  }
}

/** One sentence for all of it: whoever guesses learns nothing. */
const codeNotOpen =
  'That code is not open: it was used, or it is older than five minutes, or too many wrong ones came. Make a new one: trawl pair'

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
