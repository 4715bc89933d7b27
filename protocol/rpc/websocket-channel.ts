/**
 * One JSON message a text frame over a WebSocket. The socket is described by shape, so that either end may bring
 * its own; liveness is by the WebSocket's own pings (wire.md §1).
 */
import type { RawData } from 'ws'
import { type Clock, systemClock } from '../clock.ts'
import type { ChannelHandlers, MessageChannel } from './message-channel.ts'

/** How much of a message over the limit is looked at, to find its id. */
const oversizeHeadBytes = 1024
/** A reader that lets more than this pile up is cut off. */
const defaultMaxBufferedBytes = 64 * 1024 * 1024
/** How long the other end may take to answer a close. */
const closeGraceMs = 2_000

const normalClosure = 1000
const goingAway = 1001
const unsupportedData = 1003

/** What is asked of a socket that is already open; `ws` offers it. */
export interface OpenWebSocket {
  readonly bufferedAmount: number
  send(text: string, sent: (error?: Error | null) => void): void
  ping(): void
  close(code?: number, reason?: string): void
  terminate(): void
  on(event: 'message', listener: (data: RawData, isBinary: boolean) => void): unknown
  on(event: 'ping' | 'pong', listener: () => void): unknown
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export interface WebSocketChannelOptions {
  /** Longer messages from the other side are dropped and told to `oversize`; the link goes on. */
  readonly maxMessageBytes: number
  /** A link is dead when two of these pass and nothing came: one until the ping, one for its answer (wire.md §1). */
  readonly pingIntervalMs: number
  /** The most that may wait unsent; default 64 MiB. One more message ends the link. */
  readonly maxBufferedBytes?: number
  readonly clock?: Clock
}

/** Why a link ended that nobody here closed. 1012 and 1013 ask the caller to come back later. */
export class ChannelClosed extends Error {
  override readonly name = 'ChannelClosed'
  /** RFC 6455 §7.4; 1006 where the other side said nothing. */
  readonly closeCode: number

  constructor(closeCode: number, reason: string, cause?: unknown) {
    super(reason === '' ? `the WebSocket closed with code ${closeCode}` : reason, { cause })
    this.closeCode = closeCode
  }
}

/**
 * Wraps a socket that is open. Give `ws` a `maxPayload` well above `maxMessageBytes`: below it one message fails,
 * above it `ws` ends the link (1009).
 */
export function createWebSocketChannel(
  socket: OpenWebSocket,
  options: WebSocketChannelOptions,
): MessageChannel {
  return new WebSocketChannel(socket, options)
}

class WebSocketChannel implements MessageChannel {
  readonly #socket: OpenWebSocket
  readonly #options: WebSocketChannelOptions
  readonly #clock: Clock
  readonly #gone: Promise<void>
  #handlers: ChannelHandlers | null = null
  #waiting: Buffer[] = []
  #isOpen = true
  #endCause: Error | null = null
  #socketError: Error | null = null
  /** Monotonic time of what came last. */
  #heardAtMs: number
  /** What was unsent when the ping was that is not answered yet; null while none is out. */
  #unsentBytesAtPing: number | null = null
  #stopPing: () => void

  constructor(socket: OpenWebSocket, options: WebSocketChannelOptions) {
    this.#socket = socket
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#heardAtMs = this.#clock.monotonicMs()
    const heard = () => {
      this.#heardAtMs = this.#clock.monotonicMs()
      this.#unsentBytesAtPing = null
    }
    socket.on('ping', heard)
    socket.on('pong', heard)
    socket.on('message', (data, isBinary) => {
      heard()
      if (isBinary) this.#refuseBinary()
      else if (this.#handlers === null) this.#waiting.push(toBuffer(data))
      else this.#deliver(toBuffer(data))
    })
    socket.on('error', (error) => {
      this.#socketError = error
    })
    this.#gone = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.#end(closeCause(code, reason.toString('utf8'), this.#socketError))
        resolve()
      })
    })
    this.#stopPing = this.#clock.after(options.pingIntervalMs, () => this.#look())
  }

  start(handlers: ChannelHandlers): void {
    this.#handlers = handlers
    for (const bytes of this.#waiting.splice(0)) this.#deliver(bytes)
    if (!this.#isOpen) queueMicrotask(() => handlers.closed(this.#endCause))
  }

  async send(text: string): Promise<void> {
    if (!this.#isOpen) throw new Error('the channel is closed')
    if (this.#socket.bufferedAmount > (this.#options.maxBufferedBytes ?? defaultMaxBufferedBytes)) {
      const cause = new Error('the other side does not read what it asked for')
      this.#cut(cause)
      throw cause
    }
    await new Promise<void>((resolve, reject) => {
      this.#socket.send(text, (error) => (error ? reject(error) : resolve()))
    })
  }

  async close(): Promise<void> {
    this.#end(null)
    this.#socket.close(normalClosure)
    const stopWaiting = this.#clock.after(closeGraceMs, () => this.#socket.terminate())
    await this.#gone
    stopWaiting()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #deliver(bytes: Buffer): void {
    if (!this.#isOpen) return
    if (bytes.length > this.#options.maxMessageBytes) {
      this.#handlers?.oversize(bytes.toString('utf8', 0, oversizeHeadBytes))
      return
    }
    this.#handlers?.message(bytes.toString('utf8'))
  }

  #refuseBinary(): void {
    this.#end(new ChannelClosed(unsupportedData, 'a binary frame came where only text may'))
    this.#socket.close(unsupportedData, 'text frames only')
  }

  /** An interval without a word is followed by a ping, and a second one by the end. */
  #look(): void {
    if (!this.#isOpen) return
    const { pingIntervalMs } = this.#options
    const silentMs = this.#clock.monotonicMs() - this.#heardAtMs
    const atPing = this.#unsentBytesAtPing
    const dueMs = atPing === null ? pingIntervalMs : 2 * pingIntervalMs
    if (silentMs < dueMs) {
      this.#lookIn(dueMs - silentMs)
      return
    }
    const unsentBytes = this.#socket.bufferedAmount
    if (atPing !== null) {
      if (unsentBytes >= atPing) {
        this.#cut(new Error('nothing came for two ping intervals'))
        return
      }
      // The ping waits its turn behind what is unsent; that got less, so somebody took it in since.
      this.#heardAtMs = this.#clock.monotonicMs() - pingIntervalMs
    }
    this.#unsentBytesAtPing = unsentBytes
    this.#socket.ping()
    const leftMs = this.#heardAtMs + 2 * pingIntervalMs - this.#clock.monotonicMs()
    // A process that was stopped for a while looks late, which is not the other side's fault.
    this.#lookIn(Math.max(leftMs, pingIntervalMs / 2))
  }

  #lookIn(ms: number): void {
    this.#stopPing = this.#clock.after(ms, () => this.#look())
  }

  /** Ends a link whose other side cannot be trusted to answer a close. */
  #cut(cause: Error): void {
    this.#end(cause)
    this.#socket.terminate()
  }

  #end(cause: Error | null): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#endCause = cause
    this.#waiting = []
    this.#stopPing()
    this.#handlers?.closed(cause)
  }
}

function closeCause(code: number, reason: string, error: Error | null): Error | null {
  if (code === normalClosure || code === goingAway) return null
  return new ChannelClosed(code, reason, error ?? undefined)
}

/** `ws` hands text over as a Buffer unless it is told otherwise. */
function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}
