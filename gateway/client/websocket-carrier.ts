/**
 * Calls over one WebSocket that is made again when it is lost, with full jitter. The token is the first message, never in
 * the URL. A gateway that does not know it, or not any more, is not asked again.
 */
import type { Clock } from '../../protocol/clock.ts'
import { backOffMs, healthyAfterMs } from '../../protocol/link/back-off.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs, maxClientMessageBytes } from '../../protocol/rpc/message-channel.ts'
import type { Carrier, CarrierCall, ClosedState } from './carrier.ts'
import { type EventSocket, openEventChannel, SocketClosed } from './event-socket-channel.ts'
import { offline, whyUnauthorized } from './http-carrier.ts'
import { LinkStateCell } from './link-state.ts'

/** For one attempt: the socket, and the gateway's word on the token. */
export const connectTimeoutMs = 10_000
/** RFC 6455 §7.4.1: how a gateway ends a link whose credential is not good, or not any more. */
const policyViolation = 1008

export interface WebSocketCarrierOptions {
  /** Begins to dial. */
  openSocket(): EventSocket
  /** Null where the door itself knows the caller: a Unix socket. */
  readonly token: string | null
  readonly reconnect: boolean
  readonly clock: Clock
  /** In [0, 1). */
  random(): number
}

export function openWebSocketCarrier(options: WebSocketCarrierOptions): Carrier {
  return new WebSocketCarrier(options)
}

class WebSocketCarrier implements Carrier {
  readonly link = new LinkStateCell({ kind: 'connecting' })
  readonly #options: WebSocketCarrierOptions
  readonly #progress = new Map<string, (value: unknown) => void>()
  readonly #leaving = new AbortController()
  readonly #firstAttempt: Promise<void>
  #connection: RpcConnection | null = null
  #failures = 0
  #readyAtMs = 0
  #stopPing = () => {}
  #stopRetry = () => {}

  constructor(options: WebSocketCarrierOptions) {
    this.#options = options
    this.#firstAttempt = this.#dial()
  }

  async call(method: string, params: unknown, options: CarrierCall): Promise<unknown> {
    if (this.link.state.kind === 'connecting') await untilAborted(this.#firstAttempt, options.signal)
    const { state } = this.link
    if (this.#connection !== null) return await this.#connection.call(method, params, options)
    const known = state.kind === 'offline' || state.kind === 'closed' ? state.error : null
    throw known ?? offline('This client was closed.')
  }

  onProgress(token: string, listener: (value: unknown) => void): () => void {
    this.#progress.set(token, listener)
    return () => void this.#progress.delete(token)
  }

  retryNow(): void {
    const { state } = this.link
    if (state.kind !== 'offline' || state.retryAtMs === null) return
    this.#stopRetry()
    this.link.set({ ...state, retryAtMs: null })
    void this.#dial()
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#end({ kind: 'closed', why: 'left', error: null })
    this.#leaving.abort(offline('This client was closed.'))
    await connection?.close()
  }

  /** One attempt; what comes of it is the state. */
  async #dial(): Promise<void> {
    const { clock } = this.#options
    const attempt = new AbortController()
    const give = (reason: unknown) => attempt.abort(reason)
    const onLeave = () => give(this.#leaving.signal.reason)
    this.#leaving.signal.addEventListener('abort', onLeave, { once: true })
    const stopTimer = clock.after(connectTimeoutMs, () =>
      give(offline('The gateway did not answer in time.')),
    )
    let connection: RpcConnection | null = null
    let closeCause: Error | null = null
    try {
      const channel = await openEventChannel(this.#options.openSocket(), attempt.signal)
      connection = openConnection(channel, {
        methods: new Map(),
        maxMessageBytes: maxClientMessageBytes,
        // For faults of methods; a client offers none.
        createId: () => '',
        clock,
        onNotification: (_method, params) => this.#tellProgress(params),
        onClosed: (cause) => {
          closeCause = cause
          if (connection !== null && this.#connection === connection) this.#lost(cause)
        },
      })
      await this.#introduce(connection, attempt.signal)
      if (closeCause !== null || this.link.state.kind === 'closed') throw closeCause ?? attempt.signal.reason
      this.#ready(connection)
    } catch (thrown) {
      await connection?.close()
      this.#failed(thrown, closeCause)
    } finally {
      stopTimer()
      this.#leaving.signal.removeEventListener('abort', onLeave)
    }
  }

  /** Settles when the gateway has let this client in. */
  async #introduce(connection: RpcConnection, signal: AbortSignal): Promise<void> {
    const { token } = this.#options
    const options = { timeoutMs: connectTimeoutMs, signal }
    if (token === null) await connection.call('$/ping', undefined, options)
    else await connection.call('auth', { token }, options)
  }

  #ready(connection: RpcConnection): void {
    this.#connection = connection
    this.#readyAtMs = this.#options.clock.monotonicMs()
    this.#pingLater(connection)
    this.link.set({ kind: 'ready' })
  }

  /** Browsers send no pings, so the link is asked in the protocol's own words (wire.md §1). */
  #pingLater(connection: RpcConnection): void {
    this.#stopPing = this.#options.clock.after(livenessIntervalMs, () => {
      connection.call('$/ping', undefined, { timeoutMs: livenessIntervalMs }).then(
        () => {
          if (this.#connection === connection) this.#pingLater(connection)
        },
        () => void connection.close(),
      )
    })
  }

  #lost(cause: Error | null): void {
    this.#connection = null
    this.#stopPing()
    if (closeCodeOf(cause) === policyViolation) {
      const error = new TrawlError(
        'unauthorized',
        'The gateway has revoked this credential. Pair with it again.',
        { reason: 'revoked' },
        cause,
      )
      this.#end({ kind: 'closed', why: 'revoked', error })
      return
    }
    const wasHealthy = this.#options.clock.monotonicMs() - this.#readyAtMs >= healthyAfterMs
    this.#failures = wasHealthy ? 1 : this.#failures + 1
    this.#retryLater(offline('The link to the gateway was lost.', cause ?? undefined), closeCodeOf(cause))
  }

  #failed(thrown: unknown, closeCause: Error | null): void {
    if (this.link.state.kind === 'closed') return
    const said = thrown instanceof TrawlError ? thrown : offline('The gateway cannot be reached.', thrown)
    const isRefused = said.code === 'unreachable' && closeCodeOf(closeCause) === policyViolation
    const error = isRefused ? new TrawlError('unauthorized', undefined, {}, said) : said
    if (error.code === 'unauthorized') {
      this.#end({ kind: 'closed', why: whyUnauthorized(error), error })
      return
    }
    this.#failures += 1
    this.#retryLater(error, closeCodeOf(closeCause) ?? closeCodeOf(thrown))
  }

  #retryLater(error: TrawlError, closeCode: number | undefined): void {
    const { clock, reconnect } = this.#options
    if (!reconnect) {
      this.#end({ kind: 'closed', why: 'offline', error })
      return
    }
    const waitMs = Math.max(
      backOffMs({
        failures: this.#failures,
        random: this.#options.random(),
        ...(closeCode === undefined ? {} : { closeCode }),
      }),
      (error.details.retryAfterSec ?? 0) * 1000,
    )
    this.#stopRetry = clock.after(waitMs, () => this.retryNow())
    this.link.set({ kind: 'offline', retryAtMs: clock.now() + waitMs, error })
  }

  #end(state: ClosedState): void {
    this.#connection = null
    this.#stopPing()
    this.#stopRetry()
    this.link.set(state)
  }

  #tellProgress(params: unknown): void {
    if (typeof params !== 'object' || params === null || !('token' in params) || !('value' in params)) return
    if (typeof params.token === 'string') this.#progress.get(params.token)?.(params.value)
  }
}

function closeCodeOf(thrown: unknown): number | undefined {
  return thrown instanceof SocketClosed ? thrown.closeCode : undefined
}

/** @throws TrawlError `cancelled`. */
async function untilAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(new TrawlError('cancelled'))
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    void work.then(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}
