/**
 * The agent behind a port: JSON-RPC over WebSocket at `/rpc`, for whoever shows a token it knows, and at `/pair`, over
 * TLS only, for whoever has read an open offer.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type * as z from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import {
  leaveMethod,
  type leaveResultSchema,
  maxIntroductionBytes,
  pairPath,
  policyViolationCloseCode,
  type RedeemResult,
} from '../../protocol/link/pairing-messages.ts'
import { refuseUpgrade } from '../../protocol/link/refuse-upgrade.ts'
import { servePairing } from '../../protocol/link/serve-pairing.ts'
import type { TlsIdentity } from '../../protocol/link/tls-identity.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import type { AgentCredentials, Visitor } from './credentials.ts'

const maxFrameBytes = 4 * maxPeerMessageBytes
export const maxConnections = 64
/** Connections that have not shown anything yet are few and short. */
const maxSockets = 4 * maxConnections
const handshakeTimeoutMs = 10_000
const cutOffGraceMs = 500

export interface ListenOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Null listens without TLS. */
  readonly tls: TlsIdentity | null
  readonly credentials: AgentCredentials
  methodsFor(exposure: ExposureClass): RpcMethods
  /** @returns null for a secret that is not open. */
  redeem(secret: string, name: string): Promise<RedeemResult | null>
  /** A paired gateway ends its pairing. */
  leave(pairedName: string): Promise<void>
  readonly clock: Clock
  createId(): string
  onFault(error: TrawlError, method: string): void
}

export interface Listener extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Cuts a paired gateway off, at once. */
  cutOff(pairedName: string): void
}

interface Link {
  readonly connection: RpcConnection
  readonly socket: WebSocket
  readonly pairedName: string | null
}

/** @throws Error from the system when the address is in use or not this machine's. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { tls, clock } = options
  const links = new Set<Link>()
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false })
  const pairing = new WebSocketServer({
    noServer: true,
    maxPayload: maxIntroductionBytes,
    perMessageDeflate: false,
  })
  const server = createDoor(tls)

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    const path = pathOf(request)
    if (path !== '/rpc' && (path !== pairPath || tls === null)) return refuseUpgrade(stream, '404 Not Found')
    // A browser page always sends its origin; no page is served here, so none may come in.
    if (request.headers.origin !== undefined) return refuseUpgrade(stream, '403 Forbidden')
    if (path === pairPath) return pairing.handleUpgrade(request, stream, head, pair)
    const visitor = options.credentials.visitorOf(bearerToken(request))
    if (visitor === null) return refuseUpgrade(stream, '401 Unauthorized')
    if (links.size >= maxConnections) return refuseUpgrade(stream, '503 Service Unavailable')
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const connection = openConnection(channelOf(socket, maxPeerMessageBytes), {
        methods: methodsOf(visitor),
        maxMessageBytes: maxPeerMessageBytes,
        createId: options.createId,
        onFault: options.onFault,
        onClosed: () => links.delete(link),
      })
      const link = { connection, socket, pairedName: visitor.pairedName }
      links.add(link)
    })
  })

  function methodsOf({ exposure, pairedName }: Visitor): RpcMethods {
    const methods = options.methodsFor(exposure)
    if (pairedName === null) return methods
    const leave = async (): Promise<z.output<typeof leaveResultSchema>> => {
      await options.leave(pairedName)
      return { name: pairedName }
    }
    return new Map([...methods, [leaveMethod, leave]])
  }

  function channelOf(socket: WebSocket, maxMessageBytes: number) {
    return createWebSocketChannel(socket, { maxMessageBytes, pingIntervalMs: livenessIntervalMs, clock })
  }

  function pair(socket: WebSocket): void {
    const { redeem, createId, onFault } = options
    servePairing(channelOf(socket, maxIntroductionBytes), { redeem, clock, createId, onFault })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { address, port, family } = server.address() as AddressInfo

  return {
    url: `${tls === null ? 'ws' : 'wss'}://${family === 'IPv6' ? `[${address}]` : address}:${port}/rpc`,
    port,
    cutOff(pairedName) {
      for (const link of links) {
        if (link.pairedName !== pairedName) continue
        link.socket.close(policyViolationCloseCode, 'unpaired')
        // From here on nothing it sends is read; a second is what it has to be gone.
        void link.connection.close().catch(() => {})
        clock.after(cutOffGraceMs, () => link.socket.terminate())
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      await Promise.all(Array.from(links, ({ connection }) => connection.close()))
      for (const socket of pairing.clients) socket.terminate()
      server.closeAllConnections()
      await closed
    },
  }
}

function createDoor(tls: TlsIdentity | null): Server {
  const limits = { headersTimeout: handshakeTimeoutMs, requestTimeout: handshakeTimeoutMs }
  const server: Server =
    tls === null
      ? createServer(limits)
      : createTlsServer({
          ...limits,
          key: tls.key,
          cert: tls.cert,
          minVersion: 'TLSv1.3',
          handshakeTimeout: handshakeTimeoutMs,
        })
  server.maxConnections = maxSockets
  server.on('request', (_request, response) => response.writeHead(404).end())
  return server
}

function pathOf({ url }: IncomingMessage): string | null {
  try {
    return new URL(url ?? '/', 'ws://agent').pathname
  } catch {
    return null
  }
}

function bearerToken(request: IncomingMessage): string | null {
  const found = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')
  return found?.[1] ?? null
}
