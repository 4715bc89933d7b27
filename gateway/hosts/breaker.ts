/**
 * One host's breaker: after three transport failures in a row its host is not asked any more, until it has answered a
 * ping. A query never tries it out. Pure: the time is passed in.
 */
import type { UnreachableReason } from '../../protocol/session-search/response.ts'

/** `half-open` while a ping tries the host out; queries are let through when `closed`, and never else. */
export type BreakerState = 'closed' | 'half-open' | 'open'

export const failuresToOpen = 3
/** How long it stays open before a ping may close it; doubles each time no call came through in between. */
export const firstOpenMs = 30_000
export const longestOpenMs = 300_000

export class Breaker {
  #state: BreakerState = 'closed'
  #failures = 0
  #openings = 0
  #retryAtMs = 0
  #reason: UnreachableReason = 'offline'

  get state(): BreakerState {
    return this.#state
  }

  /** Monotonic time of the next ping that may close it. */
  get retryAtMs(): number {
    return this.#retryAtMs
  }

  /** Of the failure that opened it. */
  get reason(): UnreachableReason {
    return this.#reason
  }

  /** A connection that did not come about or was lost, or a call that was given its time and got no answer. */
  failed(reason: UnreachableReason, nowMs: number): void {
    this.#failures++
    if (this.#failures < failuresToOpen) return
    this.#reason = reason
    if (this.#state === 'closed') this.#openings++
    this.#open(nowMs)
  }

  /** A call was answered, be it by an error. One that was under way when the breaker opened does not close it. */
  answered(): void {
    if (this.#state === 'closed') this.reset()
  }

  /** A new link, or a refusal: there is somebody, and what was counted before does not matter any more. */
  reset(): void {
    this.#state = 'closed'
    this.#failures = 0
    this.#openings = 0
  }

  /** @returns whether the ping that is about to be sent may close it. */
  beginProbe(nowMs: number): boolean {
    if (this.#state === 'closed' || nowMs < this.#retryAtMs) return false
    this.#state = 'half-open'
    return true
  }

  /** The host is asked again, on trial: hosts whose pings are answered and whose queries hang are known to exist. */
  probeAnswered(): void {
    this.#state = 'closed'
    this.#failures = failuresToOpen - 1
  }

  probeFailed(nowMs: number): void {
    this.#open(nowMs)
  }

  #open(nowMs: number): void {
    this.#state = 'open'
    this.#retryAtMs = nowMs + Math.min(longestOpenMs, firstOpenMs * 2 ** Math.min(this.#openings - 1, 16))
  }
}
