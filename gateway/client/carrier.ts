/** The port between the typed client and whatever brings its calls to a gateway. */
import type { TrawlError } from '../../protocol/rpc/errors.ts'

/**
 * `connecting`: the first attempt, which calls wait for. `offline`: calls fail at once, and where the client reconnects it
 * is tried again at `retryAtMs` (milliseconds since the epoch; null: it is being tried now, or by the next call).
 */
export type LinkState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'offline'; readonly retryAtMs: number | null; readonly error: TrawlError }
  | { readonly kind: 'closed'; readonly why: CloseReason; readonly error: TrawlError | null }

export type ClosedState = Extract<LinkState, { kind: 'closed' }>

/**
 * Why a client is of no more use. `left`: it was closed here. `unauthorized`: the gateway does not know the credential;
 * `revoked`: not any more. `offline`: the gateway could not be reached, or went away and reconnecting is switched off.
 */
export type CloseReason = 'left' | 'unauthorized' | 'revoked' | 'offline'

export interface CarrierCall {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface Carrier {
  /**
   * @throws TrawlError what the gateway answered, `timeout`, `cancelled`, `unauthorized`, `unreachable` when there is no
   *   link or it ended first.
   */
  call(method: string, params: unknown, options: CarrierCall): Promise<unknown>
  /** What each host has found, as it lands, for whoever sent that `partialResultToken`. @returns how to stop that. */
  onProgress(token: string, listener: (value: unknown) => void): () => void
  readonly link: LinkWatch
  /** Tries a lost link again at once. */
  retryNow(): void
  close(): Promise<void>
}

export interface LinkWatch {
  readonly state: LinkState
  /** Called at every change from now on. @returns how to stop that. */
  onState(listener: (state: LinkState) => void): () => void
  /** Settles when the state is `closed`; never rejects. */
  readonly closed: Promise<ClosedState>
}
