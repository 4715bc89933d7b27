/** `trawl/client` in Node: as in a browser, and through the Unix socket of this machine's gateway. */
/// <reference lib="esnext.disposable" preserve="true" />
import WebSocket from 'ws'
import { systemClock } from '../../protocol/clock.ts'
import type { PairedDevice } from '../../protocol/link/device-pairing.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import type { EventSocket } from './event-socket-channel.ts'
import { fetchPost } from './fetch-post.ts'
import { openHttpCarrier } from './http-carrier.ts'
import { type ClientOptions, openUrl, whenLetIn } from './open-client.ts'
import { type PairOptions, pairVia } from './pair-client.ts'
import { createClient, type TrawlClient } from './trawl-client.ts'
import { unixPost } from './unix-post.ts'
import { openWebSocketCarrier } from './websocket-carrier.ts'

export * from './public.ts'
export type { ClientOptions, PairedDevice }

export interface UnixSocketOptions extends Pick<ClientOptions, 'reconnect' | 'clock'> {
  /** `~/.local/share/trawl/gateway.sock`; whoever may open it needs no token. */
  readonly socketPath: string
  /** Default `http`, each call by itself; over `websocket` results come as they land. */
  readonly carrier?: 'http' | 'websocket'
}

/** Returns at once, and goes on trying; calls wait for the first attempt. @throws TrawlError `invalid_input`. */
export function open(options: ClientOptions | UnixSocketOptions): TrawlClient {
  if ('url' in options) return openUrl(options, { openSocket, postTo: fetchPost })
  const { socketPath, carrier = 'http', reconnect = true, clock = systemClock } = options
  if (carrier === 'http') return createClient(openHttpCarrier(unixPost(socketPath), clock), clock)
  return createClient(
    openWebSocketCarrier({
      openSocket: () => openSocket(`ws+unix://${socketPath}:/rpc`),
      token: null,
      reconnect,
      clock,
      random: Math.random,
    }),
    clock,
  )
}

/** Settles once the gateway has let this client in. @throws TrawlError `unreachable`, `unauthorized`, `cancelled`. */
export async function connect(
  options: ClientOptions | UnixSocketOptions,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<TrawlClient> {
  return await whenLetIn(open(options), signal)
}

/** @throws TrawlError `unauthorized` for a code that is not open, `forbidden` when the owner said no, `unreachable`. */
export async function pair(options: PairOptions): Promise<PairedDevice> {
  return await pairVia(openSocket, options)
}

function openSocket(url: string): EventSocket {
  return new WebSocket(url, { maxPayload: 2 * maxPeerMessageBytes, perMessageDeflate: false })
}
