/** Puts a client together from what a platform brings: sockets, requests, randomness. */
import { type Clock, systemClock } from '../../protocol/clock.ts'
import type { Carrier } from './carrier.ts'
import type { EventSocket } from './event-socket-channel.ts'
import { readGatewayUrl } from './gateway-url.ts'
import { openHttpCarrier, type Post } from './http-carrier.ts'
import { createClient, type TrawlClient } from './trawl-client.ts'
import { connectTimeoutMs, openWebSocketCarrier } from './websocket-carrier.ts'

export interface ClientOptions {
  /** `ws:` or `wss:` keeps one link, over which results come as they land; `http:` or `https:` sends each call by itself. */
  readonly url: string
  /** Of this machine (`~/.local/share/trawl/token`), or what pairing gave. It never becomes part of the address. */
  readonly token?: string
  /** Whether a lost WebSocket is made again; default true. */
  readonly reconnect?: boolean
  /** Default: the system's. */
  readonly clock?: Clock
}

export interface ClientPorts {
  openSocket(url: string): EventSocket
  postTo(url: string, token: string | undefined): Post
}

/** @throws TrawlError `invalid_input`. */
export function openUrl(options: ClientOptions, ports: ClientPorts): TrawlClient {
  const { carrier, rpcUrl } = readGatewayUrl(options.url)
  const { token, reconnect = true, clock = systemClock } = options
  const opened: Carrier =
    carrier === 'http'
      ? openHttpCarrier(ports.postTo(rpcUrl, token), clock)
      : openWebSocketCarrier({
          openSocket: () => ports.openSocket(rpcUrl),
          token: token ?? null,
          reconnect,
          clock,
          random: Math.random,
        })
  return createClient(opened, clock)
}

/**
 * Settles once the gateway has let this client in.
 * @throws TrawlError `unreachable`, `unauthorized`, `cancelled`; the client is closed then.
 */
export async function whenLetIn(client: TrawlClient, signal?: AbortSignal): Promise<TrawlClient> {
  try {
    await client.ping({ timeoutMs: connectTimeoutMs, ...(signal === undefined ? {} : { signal }) })
    return client
  } catch (error) {
    await client.close()
    throw error
  }
}
