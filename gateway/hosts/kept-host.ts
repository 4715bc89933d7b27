/** A host with a link that the gateway keeps, wherever it comes from. */
import type { Host } from './host.ts'

export interface KeptHost extends Host, AsyncDisposable {
  /** Settles when it is known whether the host can be reached at first. */
  readonly firstAttempt: Promise<void>
  start(): void
  /** The machine slept: what was connected may be gone, and what was waited for is over. */
  wake(): void
  /** Somebody asks for it: what would be tried later is tried now. Settles when it is known what came of it; never rejects. */
  retry(signal: AbortSignal): Promise<void>
  /** It is in the configuration no more: calls that are out end as `unreachable/not-configured`, and its link is closed. */
  retire(): Promise<void>
}
