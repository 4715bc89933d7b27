/** A clock that moves only when a test says so. */
import type { Clock } from '../../protocol/clock.ts'

export interface ManualClock extends Clock {
  /** Moves time on and runs what falls due, in order. */
  advance(ms: number): void
  /** The same, and lets promises settle before, between and after. */
  pass(ms: number): Promise<void>
  /** Time goes on and nothing runs, as in a process that is stopped; what fell due runs at the end. */
  stall(ms: number): void
  /** Timers still armed. */
  readonly pending: number
}

export function createManualClock(startMs = 1_000_000): ManualClock {
  let nowMs = startMs
  let nextId = 1
  const timers = new Map<number, { dueMs: number; work: () => void }>()
  const runNext = (untilMs: number): boolean => {
    const due = Array.from(timers).filter(([, timer]) => timer.dueMs <= untilMs)
    const [next] = due.sort(([, a], [, b]) => a.dueMs - b.dueMs)
    if (next === undefined) return false
    const [id, timer] = next
    timers.delete(id)
    nowMs = Math.max(nowMs, timer.dueMs)
    timer.work()
    return true
  }
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after(ms, work) {
      const id = nextId++
      timers.set(id, { dueMs: nowMs + ms, work })
      return () => timers.delete(id)
    },
    advance(ms) {
      const untilMs = nowMs + ms
      while (runNext(untilMs)) {}
      nowMs = untilMs
    },
    stall(ms) {
      nowMs += ms
      for (const [, timer] of timers) timer.dueMs = Math.max(timer.dueMs, nowMs)
      while (runNext(nowMs)) {}
    },
    async pass(ms) {
      const untilMs = nowMs + ms
      await settle()
      while (runNext(untilMs)) await settle()
      nowMs = untilMs
    },
    get pending() {
      return timers.size
    },
  }
}
