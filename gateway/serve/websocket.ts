/**
 * WebSocket at `/rpc`, beside `POST /rpc` on the same server. The credential comes with the upgrade's `Authorization`
 * header, or for browsers, which cannot set one, as the first message; never in a URL.
 */
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError, toRpcError } from '../../protocol/rpc/errors.ts'
import {
  livenessIntervalMs,
  maxClientMessageBytes,
  maxPeerMessageBytes,
} from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { Caller } from '../access/caller.ts'
import type { DoorOptions } from './http.ts'

/** How long a client may stay without a credential. */
const authTimeoutMs = 5_000
/** Up to here one message fails and the link goes on; above it `ws` closes with 1009. */
const maxFrameBytes = 8 * maxClientMessageBytes
const policyViolation = 1008
const serviceRestart = 1012

const authMessageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.literal('auth'),
  params: z.object({ token: z.string() }),
})

export interface WebSocketDoor {
  /** Takes no more clients and tells those there are to come back later (1012). Settles when all have gone. */
  close(): Promise<void>
  /** Cuts off whoever has not gone. */
  terminate(): void
}

export function attachWebSocketDoor(server: Server, door: DoorOptions, clock: Clock): WebSocketDoor {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxFrameBytes,
    perMessageDeflate: false,
    clientTracking: true,
  })

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    if (request.url?.split('?')[0] !== '/rpc') return refuseUpgrade(stream, 404)
    const { host, origin, authorization } = request.headers
    if (door.refuseOrigin({ host, origin }) !== null) {
      door.onRefused('origin')
      return refuseUpgrade(stream, 403)
    }
    let caller: Caller | null = null
    try {
      caller = door.callerFor({ authorization })
    } catch {
      if (authorization !== undefined) {
        door.onRefused('unauthorized')
        return refuseUpgrade(stream, 401)
      }
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (caller === null) awaitCredential(socket, door, clock)
      else serveCaller(socket, caller, door, clock)
    })
  })

  return {
    async close() {
      sockets.close()
      const open = [...sockets.clients]
      const gone = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of open) socket.close(serviceRestart, 'the gateway is shutting down')
      await Promise.all(gone)
    },
    terminate() {
      for (const socket of sockets.clients) socket.terminate()
    },
  }
}

/** The channel keeps what arrives until the connection is in place. */
function serveCaller(socket: WebSocket, caller: Caller, door: DoorOptions, clock: Clock): void {
  const channel = createWebSocketChannel(socket, {
    maxMessageBytes: maxClientMessageBytes,
    pingIntervalMs: livenessIntervalMs,
    clock,
  })
  door.methodsFor(caller).then(
    (methods) =>
      openConnection(channel, {
        methods,
        maxMessageBytes: maxPeerMessageBytes,
        createId: () => door.createId(),
        clock,
        onFault: (error, method) => door.onFault(error, method),
      }),
    () => socket.close(serviceRestart),
  )
}

/** Nothing but `auth` is answered here. The next message already finds the connection in place. */
function awaitCredential(socket: WebSocket, door: DoorOptions, clock: Clock): void {
  const stopWaiting = clock.after(authTimeoutMs, () => socket.close(policyViolation, 'no credential came'))
  socket.on('error', () => socket.terminate())
  socket.once('close', stopWaiting)
  socket.once('message', (data, isBinary) => {
    stopWaiting()
    const message = isBinary ? null : readAuthMessage(String(data))
    try {
      if (message === null) throw new TrawlError('unauthorized')
      const caller = door.callerOf({ kind: 'token', token: message.params.token })
      serveCaller(socket, caller, door, clock)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { exposure: caller.exposure } }))
    } catch (thrown) {
      door.onRefused('unauthorized')
      const error = toRpcError(TrawlError.from(thrown))
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, error }))
      socket.close(policyViolation, 'not authorized')
    }
  })
}

function readAuthMessage(text: string): z.output<typeof authMessageSchema> | null {
  if (text.length > maxClientMessageBytes) return null
  try {
    return authMessageSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

function refuseUpgrade(stream: Duplex, status: 401 | 403 | 404): void {
  const challenge = status === 401 ? 'WWW-Authenticate: Bearer\r\n' : ''
  stream.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${challenge}Connection: close\r\nContent-Length: 0\r\n\r\n`,
  )
}
