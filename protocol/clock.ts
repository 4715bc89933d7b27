/** Time as the product takes it: passed in, so that a test can move it. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds that only go forward, for durations. */
  monotonicMs(): number
  /** Runs `work` once after `ms`. @returns how to call it off. */
  after(ms: number, work: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}
