/** `wait-until-current`: gives the indexer a bounded time to catch up before a search. */
import type { Clock } from '../../protocol/clock.ts'

/** The contract's five seconds. */
export const maxFreshnessWaitMs = 5000

/**
 * Waits for `reconcile`, at most `waitMs`. Time out leaves the reconciliation running [freshness.five-seconds].
 * @returns whether it was done in time [freshness.in-time].
 * @throws what `reconcile` rejects with before the time is up; a later rejection is nobody's answer
 * [freshness.error-propagates]. Rejects with the signal's reason when the caller leaves.
 */
export async function waitUntilCurrent(
  reconcile: () => Promise<unknown>,
  waitMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted()
  return await new Promise<boolean>((resolve, reject) => {
    const leave = () => settle(() => reject(signal.reason))
    const cancelTimer = clock.after(waitMs, () => settle(() => resolve(false)))
    // Settling twice does nothing, which is how a late rejection is swallowed.
    const settle = (finish: () => void) => {
      cancelTimer()
      signal.removeEventListener('abort', leave)
      finish()
    }
    signal.addEventListener('abort', leave, { once: true })
    // Inside a promise, so that a call that throws at once ends the timer too.
    Promise.resolve()
      .then(reconcile)
      .then(
        () => settle(() => resolve(true)),
        (error: unknown) => settle(() => reject(error)),
      )
  })
}
