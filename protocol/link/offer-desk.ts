/**
 * Keeps the offers that are open, in memory alone, so that none survives a restart. A secret dies with its first
 * success, with its time, or, where it is short, when too many wrong ones were tried that were meant for it.
 */
import type { Clock } from '../clock.ts'
import { offerLifetimeMs } from './offer.ts'

/** So many wrong secrets that were meant for an offer end it. */
export const maxWrongTries = 5

export interface OfferDeskOptions {
  readonly clock: Clock
  /** 128 random bits or more, unless there is `targetOf`. */
  makeSecret(): string
  /**
   * What of a secret that people type, and that is short therefore, tells which offer is meant: a wrong one is counted
   * against that offer alone, so that nobody ends an offer of which they know nothing. Absent, wrong ones are not counted.
   */
  targetOf?(secret: string): string
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
  /** Its digest; null where there is none. */
  readonly target: string | null
  wrongTries: number
  readonly endsAtMs: number
  readonly endsMonotonicMs: number
}

export function createOfferDesk<Grant>(options: OfferDeskOptions): OfferDesk<Grant> {
  const { clock, makeSecret, digest } = options
  const open = new Map<string, OpenOffer<Grant>>()
  const targetOf = (secret: string) =>
    options.targetOf === undefined ? null : digest(options.targetOf(secret))

  /** By both clocks: one stands still while a machine sleeps, the other can be set back. */
  function dropEnded(): void {
    for (const [id, offer] of open)
      if (clock.now() >= offer.endsAtMs || clock.monotonicMs() >= offer.endsMonotonicMs) open.delete(id)
  }

  function close(key: string): void {
    for (const [id, offer] of open) if (offer.key === key) open.delete(id)
  }

  function countWrong(target: string | null): void {
    for (const [id, offer] of open) {
      if (target === null || offer.target !== target) continue
      offer.wrongTries += 1
      if (offer.wrongTries >= maxWrongTries) open.delete(id)
    }
  }

  return {
    close,
    isOpen(key) {
      dropEnded()
      return [...open.values()].some((offer) => offer.key === key)
    },
    open(key, grant) {
      close(key)
      const secret = makeSecret()
      const expiresAtMs = clock.now() + offerLifetimeMs
      open.set(digest(secret), {
        key,
        grant,
        target: targetOf(secret),
        wrongTries: 0,
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
      countWrong(targetOf(secret))
      return null
    },
  }
}
