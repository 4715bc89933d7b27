/** The agent behind a port: JSON-RPC over WebSocket at `/rpc`, for whoever shows one of its tokens. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import type { AgentCredentials } from './credentials.ts'

const maxFrameBytes = 4 * maxPeerMessageBytes
export const maxConnections = 64

export interface ListenOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly credentials: AgentCredentials
  methodsFor(exposure: ExposureClass): RpcMethods
  readonly clock: Clock
  createId(): string
  onFault(error: TrawlError, method: string): void
}

export interface Listener extends AsyncDisposable {
  readonly url: string
}

/** @throws Error from the system when the address is in use or not this machine's. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const connections = new Set<RpcConnection>()
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false })
  const server = createServer((_request, response) => response.writeHead(404).end())

  server.on('upgrade', (request, stream, head) => {
    stream.on('error', () => stream.destroy())
    const exposure = options.credentials.classOf(bearerToken(request))
    if (new URL(request.url ?? '/', 'ws://agent').pathname !== '/rpc') return refuse(stream, 404, 'Not Found')
    if (exposure === null) return refuse(stream, 401, 'Unauthorized')
    // A browser page always sends its origin; no page is served here, so none may come in.
    if (request.headers.origin !== undefined) return refuse(stream, 403, 'Forbidden')
    if (connections.size >= maxConnections) return refuse(stream, 503, 'Service Unavailable')
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = openConnection(
        createWebSocketChannel(socket, {
          maxMessageBytes: maxPeerMessageBytes,
          pingIntervalMs: livenessIntervalMs,
          clock: options.clock,
        }),
        {
          methods: options.methodsFor(exposure),
          maxMessageBytes: maxPeerMessageBytes,
          createId: options.createId,
          onFault: options.onFault,
          onClosed: () => connections.delete(connection),
        },
      )
      connections.add(connection)
    })
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { address, port, family } = server.address() as AddressInfo

  return {
    url: `ws://${family === 'IPv6' ? `[${address}]` : address}:${port}/rpc`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      await Promise.all(Array.from(connections, (connection) => connection.close()))
      server.closeAllConnections()
      await closed
    },
  }
}

function bearerToken(request: IncomingMessage): string | null {
  const found = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')
  return found?.[1] ?? null
}

function refuse(stream: Duplex, status: number, text: string): void {
  stream.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
