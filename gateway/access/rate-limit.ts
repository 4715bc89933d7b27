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
}

/** Beyond this many keys the one that was longest silent is forgotten. */
const maxKeys = 10_000

export function createRateLimit({ burst, perSecond }: Rate, clock: Clock): RateLimit {
  /** In the order of their last use. */
  const buckets = new Map<string, { left: number; atMs: number }>()

  return {
    take(key) {
      const nowMs = clock.monotonicMs()
      const known = buckets.get(key)
      const left =
        known === undefined ? burst : Math.min(burst, known.left + ((nowMs - known.atMs) / 1000) * perSecond)
      const isGranted = left >= 1
      buckets.delete(key)
      buckets.set(key, { left: isGranted ? left - 1 : left, atMs: nowMs })
      const [oldest] = buckets.keys()
      if (buckets.size > maxKeys && oldest !== undefined) buckets.delete(oldest)
      return isGranted ? null : Math.max(1, Math.ceil((1 - left) / perSecond))
    },
  }
}
