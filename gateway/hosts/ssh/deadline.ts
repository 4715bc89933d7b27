/** One absolute deadline over many waits, none of which outlives it. */
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'

export interface DeadlineOptions {
  readonly clock: Clock
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** What to fail with when the time is up; asked at that moment, so that it can say how far things got. */
  onExpired(): TrawlError
}

/**
 * Runs `work` with a signal that fires at the deadline or with the caller's signal, whichever comes first. Its reason
 * is the TrawlError to fail with. Timer and listener are gone when this settles.
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, signal, timeoutMs } = options
  const ending = new AbortController()
  const onAbort = () => ending.abort(asTrawlError(signal.reason))
  if (signal.aborted) throw asTrawlError(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const stopTimer = clock.after(timeoutMs, () => ending.abort(options.onExpired()))
  try {
    return await work(ending.signal)
  } finally {
    stopTimer()
    signal.removeEventListener('abort', onAbort)
  }
}

/** The promise, or the signal's reason when that comes first. A late outcome of the promise is swallowed. */
export function untilAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(asTrawlError(signal.reason))
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    promise.then(
      (value) => finish(() => resolve(value)),
      (thrown: unknown) => finish(() => reject(thrown)),
    )
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

function asTrawlError(reason: unknown): TrawlError {
  return reason instanceof TrawlError ? reason : new TrawlError('cancelled', undefined, {}, reason)
}
