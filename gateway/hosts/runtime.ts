/** A runtime host: an agent that listens for WebSockets, dialled by the gateway with the token it was given. */
import { createHash } from 'node:crypto'
import { connect } from 'node:tls'
import WebSocket from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import { type DialPorts, dialWebSocket } from '../../protocol/link/dial-web-socket.ts'
import { livenessIntervalMs, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { OpenLink } from './open-link.ts'

/** `ws` ends a link whose message is larger than this; up to it, an oversize message fails its own call alone. */
export const maxPeerFrameBytes = 4 * maxPeerMessageBytes

export interface RuntimeLinkOptions {
  /** `ws://` or `wss://`, without credentials in it. */
  readonly url: string
  readonly token: string
  /** The host's key (`sha256/…`), checked before the token is sent; without one a `wss://` certificate has to be trusted by the system. */
  readonly pin?: string
  readonly clock: Clock
  /** Over TLS, before the token is sent. */
  onKeyChecked?(): void
}

export const dialPorts: DialPorts = {
  WebSocket,
  connectTls: connect,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
}

export function openRuntimeLink(options: RuntimeLinkOptions): OpenLink {
  return async (signal) => {
    const socket = await dialWebSocket(
      {
        url: options.url,
        pin: options.pin ?? null,
        headers: { authorization: `Bearer ${options.token}` },
        maxFrameBytes: maxPeerFrameBytes,
        sayRefusal: (statusCode) => (statusCode === 401 || statusCode === 403 ? tokenRefused : null),
        ...(options.onKeyChecked === undefined ? {} : { onKeyChecked: options.onKeyChecked }),
        signal,
      },
      dialPorts,
    )
    return createWebSocketChannel(socket, {
      maxMessageBytes: maxPeerMessageBytes,
      pingIntervalMs: livenessIntervalMs,
      clock: options.clock,
    })
  }
}

const tokenRefused =
  'The host refused the token: it was unpaired there, or the token is another host’s. Pair again: trawl-agent pair on that host, then trawl hosts add here.'
