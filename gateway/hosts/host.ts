/** The port every kind of host implements: a link that is kept warm, and calls that go over it. */
import type { UnreachableReason } from '../../protocol/session-search/response.ts'
import type { BreakerState } from './breaker.ts'

export type HostKind = 'local' | 'ssh' | 'runtime'

/** `connecting` is the first attempt after start-up, which a query waits for; after it a lost link is `offline`. */
export type LinkState = 'connecting' | 'ready' | 'offline' | 'quarantined'

/** What is known of a host's link right now; never asks the host. */
export interface LinkReport {
  readonly state: LinkState
  /** Anything but `closed`: the host is not asked, though its link may be `ready`. Absent is `closed`. */
  readonly breaker?: BreakerState
  /** Why the host cannot be asked; present unless `ready` with a closed breaker. */
  readonly reason?: UnreachableReason
  /** For the log, `trawl hosts` and same-machine callers only: may hold paths and remote text. */
  readonly detail?: string
  /** When the link is tried again, or the ping is due that may close the breaker. Milliseconds since the epoch. */
  readonly retryAtMs: number | null
  /** Since when the link is up; absent while it is not. Milliseconds since the epoch. */
  readonly readyAtMs?: number
  readonly lastSeenAtMs: number | null
  readonly roundTripMs: number | null
  readonly version: string | null
}

export interface HostCallOptions {
  readonly signal: AbortSignal
  /** Time left for this call, the wait for a first connection included. */
  readonly timeoutMs: number
}

export interface Host {
  readonly id: string
  readonly kind: HostKind
  readonly label: string
  report(): LinkReport
  /**
   * One call to the host's agent. A link that is down fails at once; only `connecting` is waited for.
   * `paramsFor` gets what is left of the time when the call is sent, for the agent's `deadlineMs`.
   * @throws TrawlError `unreachable` (with `details.reason`), `timeout`, `cancelled`, or what the host answered.
   */
  call(method: string, paramsFor: (leftMs: number) => unknown, options: HostCallOptions): Promise<unknown>
}
