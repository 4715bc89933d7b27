/** When to try a lost link again: full jitter, `random(0, min(cap, base·2ⁿ))`, also before the first retry (wire.md §1). */

export const backOffBaseMs = 1_000
export const backOffCapMs = 60_000
/** A link that stayed healthy this long forgets its failures. */
export const healthyAfterMs = 30_000
/** A peer that said it is going down for a moment (close code 1012 or 1013) is given this much longer. */
export const restartGraceMs = 5_000

export interface BackOffInput {
  /** Failures in a row, from 1. */
  readonly failures: number
  /** In [0, 1). */
  readonly random: number
  readonly closeCode?: number
}

/** @returns milliseconds to wait. The cap comes before the jitter, so that no two hosts wait exactly the cap. */
export function backOffMs({ failures, random, closeCode }: BackOffInput): number {
  const ceiling = Math.min(backOffCapMs, backOffBaseMs * 2 ** Math.min(failures - 1, 16))
  const grace = closeCode === 1012 || closeCode === 1013 ? restartGraceMs : 0
  return grace + Math.floor(random * ceiling)
}
