/**
 * Keeps the offers that are open, in memory alone, so that none survives a restart. A secret dies with its first
 * success, with its time, or when too many wrong ones were tried.
 */
import type { Clock } from '../clock.ts'
import { offerLifetimeMs } from './offer.ts'

/** Wrong tries end every open offer: which of them was meant cannot be told. */
export const maxWrongTries = 5

export interface OfferDeskOptions {
  readonly clock: Clock
  /** 128 random bits or more; a code that people type may have 40, for five wrong tries end it. */
  makeSecret(): string
  /** SHA-256: only digests are kept and compared, so that the time it takes tells nothing of a secret. */
  digest(text: string): string
}

export interface OfferDesk<Grant> {
  /** Opens an offer; an earlier one under the same key is closed. */
  open(key: string, grant: Grant): { secret: string; expiresAtMs: number }
  /** @returns what was offered, once; null for a secret that is not, or no longer, open. */
  redeem(secret: string): Grant | null
  /** Takes back what is open under the key. */
  close(key: string): void
  isOpen(key: string): boolean
}

interface OpenOffer<Grant> {
  readonly key: string
  readonly grant: Grant
  readonly endsAtMs: number
  readonly endsMonotonicMs: number
}

export function createOfferDesk<Grant>({ clock, makeSecret, digest }: OfferDeskOptions): OfferDesk<Grant> {
  const open = new Map<string, OpenOffer<Grant>>()
  let wrongTries = 0

  /** By both clocks: one stands still while a machine sleeps, the other can be set back. */
  function dropEnded(): void {
    for (const [id, offer] of open)
      if (clock.now() >= offer.endsAtMs || clock.monotonicMs() >= offer.endsMonotonicMs) open.delete(id)
  }

  function close(key: string): void {
    for (const [id, offer] of open) if (offer.key === key) open.delete(id)
  }

  return {
    close,
    isOpen(key) {
      dropEnded()
      return [...open.values()].some((offer) => offer.key === key)
    },
    open(key, grant) {
      close(key)
      wrongTries = 0
      const secret = makeSecret()
      const expiresAtMs = clock.now() + offerLifetimeMs
      open.set(digest(secret), {
        key,
        grant,
        endsAtMs: expiresAtMs,
        endsMonotonicMs: clock.monotonicMs() + offerLifetimeMs,
      })
      return { secret, expiresAtMs }
    },
    redeem(secret) {
      dropEnded()
      const id = digest(secret)
      const found = open.get(id)
      if (found !== undefined) {
        open.delete(id)
        return found.grant
      }
      wrongTries += 1
      if (wrongTries >= maxWrongTries) open.clear()
      return null
    },
  }
}
