/**
 * Keeps this host dialled in to one gateway: connects, says who it is, answers what the gateway asks, and after a loss
 * tries again with full jitter (wire.md §1). It is the side that dials, and never the side that asks.
 */
import type { Clock } from '../../protocol/clock.ts'
import { backOffMs, healthyAfterMs } from '../../protocol/link/back-off.ts'
import { type DialPorts, dialWebSocket } from '../../protocol/link/dial-web-socket.ts'
import {
  introductionTimeoutMs,
  removedCloseCode,
  replacedCloseCode,
} from '../../protocol/link/pairing-messages.ts'
import { watchForWake } from '../../protocol/link/wake-watch.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { ChannelClosed, createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'

const maxFrameBytes = 4 * maxPeerMessageBytes
const connectTimeoutMs = 20_000
/** What a link that outlived a sleep has to answer in. */
const wakePingTimeoutMs = 3_000
/** After a sleep the network needs a moment, and a lid that closes again needs none of it. */
const wakeJitterMs = 1_000
/**
 * Another agent shows the same token – a copied machine, most likely. Whoever came last has the place; to come back
 * at once would throw that one out, and so on for ever.
 */
const replacedWaitMs = 5 * 60_000
const longestReplacedWaitMs = 60 * 60_000

export type DialInState =
  | { readonly state: 'ready' }
  | { readonly state: 'offline'; readonly reason: string; readonly retryInMs: number }
  /** The gateway does not know the token (any more): there is nothing to try again. */
  | { readonly state: 'refused' }

export interface DialInOptions {
  /** `wss://…/agents` */
  readonly url: string
  /** The gateway's key, checked before the token is sent; null trusts the system's certificates. */
  readonly pin: string | null
  readonly token: string
  readonly methods: RpcMethods
  readonly ports: DialPorts
  readonly clock: Clock
  /** In [0, 1). */
  random(): number
  createId(): string
  onFault(error: TrawlError, method: string): void
  onChange(state: DialInState): void
}

export interface DialIn extends AsyncDisposable {
  /** Settles when the gateway has refused the token, and only then. */
  readonly refused: Promise<void>
}

export function keepDialledIn(options: DialInOptions): DialIn {
  return new Dialler(options)
}

class Dialler implements DialIn {
  readonly refused: Promise<void>
  readonly #options: DialInOptions
  readonly #closing = new AbortController()
  readonly #stopWatching: () => void
  #nowRefused: () => void = () => {}
  #link: { connection: RpcConnection; readySinceMs: number } | null = null
  #dialling: AbortController | null = null
  #attempt: Promise<void> = Promise.resolve()
  #stopRetry: () => void = () => {}
  #failures = 0
  #replacements = 0

  constructor(options: DialInOptions) {
    this.#options = options
    this.refused = new Promise((resolve) => {
      this.#nowRefused = resolve
    })
    this.#stopWatching = watchForWake(options.clock, () => this.#wake())
    this.#attempt = this.#dial()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    this.#stopWatching()
    this.#stopRetry()
    const link = this.#link
    this.#link = null
    await link?.connection.close().catch(() => {})
    await this.#attempt
  }

  async #dial(): Promise<void> {
    const { clock } = this.#options
    const attempt = new AbortController()
    this.#dialling = attempt
    const stopTimer = clock.after(connectTimeoutMs, () => attempt.abort())
    try {
      await this.#connect(AbortSignal.any([attempt.signal, this.#closing.signal]))
    } catch (thrown) {
      this.#lost(thrown)
    } finally {
      stopTimer()
      if (this.#dialling === attempt) this.#dialling = null
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { url, pin, token, ports, clock, methods, createId, onFault } = this.#options
    const socket = await dialWebSocket({ url, pin, maxFrameBytes, signal }, ports)
    let loss: Error | null = null
    const connection = openConnection(
      createWebSocketChannel(socket, {
        maxMessageBytes: maxPeerMessageBytes,
        pingIntervalMs: livenessIntervalMs,
        clock,
      }),
      {
        methods,
        maxMessageBytes: maxPeerMessageBytes,
        createId,
        clock,
        onFault,
        onClosed: (cause) => {
          loss = cause
          if (this.#link?.connection === connection) this.#lost(cause)
        },
      },
    )
    try {
      await connection.call('auth', { token }, { timeoutMs: introductionTimeoutMs, signal })
    } catch (thrown) {
      const { code } = TrawlError.from(thrown)
      await connection.close().catch(() => {})
      // Why a link ended says more than that it did; what the gateway answered says most.
      throw code === 'unreachable' ? (loss ?? thrown) : thrown
    }
    if (this.#closing.signal.aborted) return await connection.close()
    this.#link = { connection, readySinceMs: clock.monotonicMs() }
    this.#options.onChange({ state: 'ready' })
  }

  #lost(thrown: unknown): void {
    const { clock, onChange } = this.#options
    const link = this.#link
    this.#link = null
    if (this.#closing.signal.aborted) return
    const closeCode = thrown instanceof ChannelClosed ? thrown.closeCode : null
    const isUnknown = thrown instanceof TrawlError && thrown.code === 'unauthorized'
    if (isUnknown || closeCode === removedCloseCode) {
      this.#stopWatching()
      onChange({ state: 'refused' })
      this.#nowRefused()
      return
    }
    if (link !== null && clock.monotonicMs() - link.readySinceMs >= healthyAfterMs) this.#failures = 0
    this.#failures += 1
    const retryInMs = closeCode === replacedCloseCode ? this.#replacedWaitMs() : this.#backOffMs(closeCode)
    onChange({ state: 'offline', reason: sayLoss(thrown), retryInMs })
    this.#retryIn(retryInMs)
  }

  #backOffMs(closeCode: number | null): number {
    return backOffMs({
      failures: this.#failures,
      random: this.#options.random(),
      ...(closeCode === null ? {} : { closeCode }),
    })
  }

  /** Longer each time, so that two that fight for one place come to rest. */
  #replacedWaitMs(): number {
    const longMs = Math.min(longestReplacedWaitMs, replacedWaitMs * 2 ** Math.min(this.#replacements, 8))
    this.#replacements += 1
    return longMs + Math.floor(this.#options.random() * longMs)
  }

  #retryIn(ms: number): void {
    this.#stopRetry()
    this.#stopRetry = this.#options.clock.after(ms, () => {
      this.#attempt = this.#dial()
    })
  }

  /** What was waited for is not any more; what was up has a moment to show that it still is. */
  #wake(): void {
    if (this.#closing.signal.aborted) return
    this.#failures = 0
    if (this.#dialling !== null) this.#dialling.abort()
    else if (this.#link === null) this.#retryIn(Math.floor(this.#options.random() * wakeJitterMs))
    else void this.#proveLink(this.#link.connection)
  }

  async #proveLink(connection: RpcConnection): Promise<void> {
    try {
      await connection.call('$/ping', undefined, {
        timeoutMs: wakePingTimeoutMs,
        signal: this.#closing.signal,
      })
    } catch (thrown) {
      if (this.#link?.connection !== connection || TrawlError.from(thrown).code !== 'timeout') return
      this.#lost(new Error('The link did not outlive a sleep.'))
      await connection.close().catch(() => {})
    }
  }
}

function sayLoss(thrown: unknown): string {
  if (thrown instanceof ChannelClosed && thrown.closeCode === replacedCloseCode)
    return 'Another agent with the same token took this host’s place.'
  if (thrown instanceof Error) return thrown.message
  return 'The gateway ended the link.'
}
