/** A runtime host: an agent that listens for WebSockets, dialled by the gateway with the token it was given. */
import WebSocket from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { UnreachableReason } from '../../protocol/session-search/response.ts'
import type { OpenLink } from './open-link.ts'

/** `ws` ends a link whose message is larger than this; up to it, an oversize message fails its own call alone. */
const maxFrameBytes = 4 * maxPeerMessageBytes

export interface RuntimeLinkOptions {
  /** `ws://` or `wss://`, without credentials in it. */
  readonly url: string
  readonly token: string
  readonly clock: Clock
}

export function openRuntimeLink(options: RuntimeLinkOptions): OpenLink {
  return async (signal) => {
    signal.throwIfAborted()
    const socket = new WebSocket(options.url, {
      headers: { authorization: `Bearer ${options.token}` },
      maxPayload: maxFrameBytes,
      perMessageDeflate: false,
      handshakeTimeout: 0,
    })
    await opened(socket, signal)
    return createWebSocketChannel(socket, {
      maxMessageBytes: maxPeerMessageBytes,
      pingIntervalMs: livenessIntervalMs,
      clock: options.clock,
    })
  }
}

function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      socket.off('open', onOpen)
      socket.off('unexpected-response', onRefused)
      socket.off('error', onError)
      settle()
    }
    const fail = (error: TrawlError) =>
      finish(() => {
        // A socket that is torn down while it connects reports that as an error of its own.
        socket.on('error', () => {})
        socket.terminate()
        reject(error)
      })
    const onOpen = () => finish(resolve)
    const onAbort = () =>
      fail(new TrawlError('unreachable', 'The connection did not come about in time.', { reason: 'timeout' }))
    const onRefused = (_request: unknown, response: { statusCode?: number }) =>
      fail(refusal(response.statusCode ?? 0))
    const onError = (cause: Error) =>
      fail(new TrawlError('unreachable', cause.message, { reason: 'offline' }, cause))
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('open', onOpen)
    socket.on('unexpected-response', onRefused)
    socket.on('error', onError)
  })
}

function refusal(statusCode: number): TrawlError {
  const isCredential = statusCode === 401 || statusCode === 403
  const reason: UnreachableReason = isCredential ? 'auth-failed' : 'protocol'
  const sentence = isCredential
    ? 'The host refused the token. Compare it with the token the agent printed the path of when it began to listen.'
    : `The host answered the WebSocket request with HTTP ${statusCode}.`
  return new TrawlError('unreachable', sentence, { reason })
}
