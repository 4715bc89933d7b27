/**
 * Token buckets: so many at once, and so many a second from then on. Own code rather than a package, because time is
 * passed in, a refusal says how long to wait, and what is remembered is bounded whatever the callers do.
 */
import type { Clock } from '../../protocol/clock.ts'

export interface Rate {
  readonly burst: number
  readonly perSecond: number
}

export interface RateLimit {
  /** Takes one. @returns null, or the whole seconds after which the next one is there. */
  take(key: string): number | null
  /** As `take`, and takes none. */
  look(key: string): number | null
}

/** Beyond this many keys the one that was longest silent is forgotten. */
const maxKeys = 10_000

export function createRateLimit({ burst, perSecond }: Rate, clock: Clock): RateLimit {
  /** In the order of their last use. */
  const buckets = new Map<string, { left: number; atMs: number }>()

  function leftOf(key: string): number {
    const known = buckets.get(key)
    if (known === undefined) return burst
    return Math.min(burst, known.left + ((clock.monotonicMs() - known.atMs) / 1000) * perSecond)
  }

  function waitSec(left: number): number | null {
    return left >= 1 ? null : Math.max(1, Math.ceil((1 - left) / perSecond))
  }

  return {
    look: (key) => waitSec(leftOf(key)),
    take(key) {
      const left = leftOf(key)
      buckets.delete(key)
      buckets.set(key, { left: left >= 1 ? left - 1 : left, atMs: clock.monotonicMs() })
      const [oldest] = buckets.keys()
      if (buckets.size > maxKeys && oldest !== undefined) buckets.delete(oldest)
      return waitSec(left)
    },
  }
}
