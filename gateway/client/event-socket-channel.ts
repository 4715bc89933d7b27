/**
 * A message channel over a WebSocket as browsers have it: events, and no pings of one's own. `ws` offers the same shape,
 * so one file serves Node and browsers. Liveness is the link's own business (keep-link.ts).
 */
import type { ChannelHandlers, MessageChannel } from '../../protocol/rpc/message-channel.ts'

const normalClosure = 1000
const goingAway = 1001

/** What is asked of a socket, open or not yet. */
export interface EventSocket {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'error', listener: (event: { readonly message?: string }) => void): void
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
}

/** Why a link ended that nobody here closed. */
export class SocketClosed extends Error {
  override readonly name = 'SocketClosed'
  /** RFC 6455 §7.4; 1006 where the other side said nothing. */
  readonly closeCode: number

  constructor(closeCode: number, reason: string) {
    super(reason === '' ? `the WebSocket closed with code ${closeCode}` : reason)
    this.closeCode = closeCode
  }
}

/**
 * Settles when the socket is open; nothing that arrives from then on is lost.
 * @throws SocketClosed where it does not come about; the error `signal` was aborted with.
 */
export async function openEventChannel(socket: EventSocket, signal: AbortSignal): Promise<MessageChannel> {
  const channel = new EventSocketChannel(socket)
  await new Promise<void>((resolve, reject) => {
    let said = ''
    const onAbort = () => {
      socket.close()
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', ({ message }) => {
      said = message ?? ''
    })
    socket.addEventListener('close', ({ code, reason }) => reject(new SocketClosed(code, reason || said)))
    if (signal.aborted) onAbort()
  })
  return channel
}

class EventSocketChannel implements MessageChannel {
  readonly #socket: EventSocket
  #handlers: ChannelHandlers | null = null
  #waiting: string[] = []
  #isOpen = true
  #endCause: Error | null = null

  constructor(socket: EventSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      // Gateways send text alone.
      if (typeof data !== 'string' || !this.#isOpen) return
      if (this.#handlers === null) this.#waiting.push(data)
      else this.#handlers.message(data)
    })
    socket.addEventListener('close', ({ code, reason }) => {
      this.#end(code === normalClosure || code === goingAway ? null : new SocketClosed(code, reason))
    })
  }

  start(handlers: ChannelHandlers): void {
    this.#handlers = handlers
    for (const text of this.#waiting.splice(0)) handlers.message(text)
    if (!this.#isOpen) queueMicrotask(() => handlers.closed(this.#endCause))
  }

  async send(text: string): Promise<void> {
    if (!this.#isOpen) throw new Error('the channel is closed')
    this.#socket.send(text)
  }

  /** Does not wait for the other side, which may be gone without a word. */
  async close(): Promise<void> {
    this.#end(null)
    this.#socket.close(normalClosure)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #end(cause: Error | null): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#endCause = cause
    this.#waiting = []
    this.#handlers?.closed(cause)
  }
}
