/** Real time that runs faster, for real sockets whose intervals are long; and machines that sleep. */
import type { Clock } from '../../protocol/clock.ts'

export interface ScaledClock extends Clock {
  /** The wall clock goes on by as much; timers have not seen it. */
  sleep(ms: number): void
}

export function createScaledClock(factor: number): ScaledClock {
  const startMs = Date.now()
  const monotonicMs = () => performance.now() * factor
  const originMs = monotonicMs()
  let sleptMs = 0
  return {
    now: () => startMs + monotonicMs() - originMs + sleptMs,
    monotonicMs,
    after(ms, work) {
      const timer = setTimeout(work, ms / factor)
      return () => clearTimeout(timer)
    },
    sleep(ms) {
      sleptMs += ms
    },
  }
}
