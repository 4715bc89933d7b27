/**
 * Notices that the machine slept: time passed that its timers did not see. Links that looked well before are likely
 * gone, and no wait that began before is worth ending.
 */
import type { Clock } from '../clock.ts'

const lookEveryMs = 2_000
/** A busy process is late by less; a sleep is longer. */
const sleepAtLeastMs = 10_000

/** @returns how to stop watching. */
export function watchForWake(clock: Clock, onWake: () => void): () => void {
  let lastMs = clock.now()
  let stop = () => {}
  const look = () => {
    stop = clock.after(lookEveryMs, () => {
      const nowMs = clock.now()
      const sleptMs = nowMs - lastMs - lookEveryMs
      lastMs = nowMs
      look()
      if (sleptMs >= sleepAtLeastMs) onWake()
    })
  }
  look()
  return () => stop()
}
