/**
 * WebSockets beside `POST /rpc` on the same server: `/rpc` for callers, `/pair` for clients that redeem a code. The
 * credential comes with the upgrade's `Authorization` header, or for browsers, which cannot set one, as the first
 * message; never in a URL.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import {
  introductionTimeoutMs,
  maxIntroductionBytes,
  pairPath,
  policyViolationCloseCode,
  serviceRestartCloseCode,
} from '../../protocol/link/pairing-messages.ts'
import { refuseUpgrade } from '../../protocol/link/refuse-upgrade.ts'
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
import { closeSoon, limitIntroduction, readAuthMessage } from './introduction.ts'
import { serveDevicePairing } from './pairing-door.ts'

/** Up to here one message fails and the link goes on; above it `ws` closes with 1009. */
const maxFrameBytes = 8 * maxClientMessageBytes
/** One whole answer may wait to be read; whoever lets more pile up is cut off. */
const maxUnreadBytes = maxPeerMessageBytes
/** What a client may send before it has said who it is, its first calls with it. */
const maxStrangerBytes = 128 * 1024

export interface WebSocketDoor {
  /** Takes no more clients and tells those there are to come back later (1012). Settles when all have gone. */
  close(): Promise<void>
  /** Cuts off whoever has not gone. */
  terminate(): void
}

export function attachWebSocketDoor(server: Server, door: DoorOptions, clock: Clock): WebSocketDoor {
  const common = { noServer: true, perMessageDeflate: false, clientTracking: true }
  const sockets = new WebSocketServer({ ...common, maxPayload: maxFrameBytes })
  const pairing = new WebSocketServer({ ...common, maxPayload: maxIntroductionBytes })

  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    const path = request.url?.split('?')[0]
    const { beginPairing } = door
    if (path !== '/rpc' && (path !== pairPath || beginPairing === null))
      return refuseUpgrade(stream, '404 Not Found')
    const { host, origin, authorization } = request.headers
    const address = request.socket.remoteAddress ?? 'unknown'
    if (door.refuseOrigin({ host, origin }) !== null) {
      door.onRefused('origin', address)
      return refuseUpgrade(stream, '403 Forbidden')
    }
    if (path === pairPath && beginPairing !== null) {
      const leave = door.traffic.enter(null, address)
      if (leave === null) {
        door.onRefused('crowded', address)
        return refuseUpgrade(stream, '503 Service Unavailable')
      }
      stream.once('close', leave)
      // Two small messages are all there is to say, however long the owner takes.
      limitIntroduction(stream)
      return pairing.handleUpgrade(request, stream, head, (socket) =>
        serveDevicePairing(socket, {
          begin: beginPairing,
          tryCode: () => door.traffic.tryCode(address),
          wrongCode() {
            door.onRefused('code', address)
            return door.traffic.wrongCode(address)
          },
          clock,
          createId: () => door.createId(),
          onFault: (error, method) => door.onFault(error, method),
        }),
      )
    }
    let caller: Caller | null = null
    try {
      caller = door.callerFor({ authorization, address })
    } catch {
      if (authorization !== undefined) {
        door.onRefused('unauthorized', address)
        const tooMany = door.traffic.wrongCredential(address)
        return tooMany === null
          ? refuseUpgrade(stream, '401 Unauthorized', ['WWW-Authenticate: Bearer'])
          : refuseUpgrade(stream, '429 Too Many Requests', [`Retry-After: ${tooMany.details.retryAfterSec}`])
      }
    }
    const leave = door.traffic.enter(caller, address)
    if (leave === null) {
      door.onRefused('crowded', address)
      return refuseUpgrade(stream, '503 Service Unavailable')
    }
    stream.once('close', leave)
    sockets.handleUpgrade(request, stream, head, (socket) => {
      if (caller === null) awaitCredential(socket, { stream, address, leave }, door, clock)
      else serveCaller(socket, caller, door, clock)
    })
  })

  return {
    async close() {
      sockets.close()
      pairing.close()
      const open = [...sockets.clients, ...pairing.clients]
      const gone = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      for (const socket of open) socket.close(serviceRestartCloseCode, 'the gateway is shutting down')
      await Promise.all(gone)
    },
    terminate() {
      for (const socket of [...sockets.clients, ...pairing.clients]) socket.terminate()
    },
  }
}

/** The channel keeps what arrives until the connection is in place. */
function serveCaller(socket: WebSocket, caller: Caller, door: DoorOptions, clock: Clock): void {
  const channel = createWebSocketChannel(socket, {
    maxMessageBytes: maxClientMessageBytes,
    maxBufferedBytes: maxUnreadBytes,
    pingIntervalMs: livenessIntervalMs,
    clock,
  })
  endWhenRevoked(socket, caller, clock)
  door.methodsFor(caller).then(
    (methods) =>
      openConnection(channel, {
        methods,
        maxMessageBytes: maxPeerMessageBytes,
        admit: () => door.traffic.admit(caller),
        createId: () => door.createId(),
        clock,
        onFault: (error, method) => door.onFault(error, method),
      }),
    () => socket.close(serviceRestartCloseCode),
  )
}

function endWhenRevoked(socket: WebSocket, { revoked }: Caller, clock: Clock): void {
  if (revoked === undefined) return
  const onRevoked = () => closeSoon(socket, { code: policyViolationCloseCode, reason: 'revoked', clock })
  revoked.addEventListener('abort', onRevoked, { once: true })
  socket.once('close', () => revoked.removeEventListener('abort', onRevoked))
}

interface Stranger {
  readonly stream: Duplex
  readonly address: string
  /** Gives up the stranger's place. */
  leave(): void
}

/** Nothing but `auth` is answered here. The next message already finds the connection in place. */
function awaitCredential(
  socket: WebSocket,
  { stream, address, leave }: Stranger,
  door: DoorOptions,
  clock: Clock,
): void {
  // Lifted once it is known who it is, and not where that went wrong.
  const liftLimit = limitIntroduction(stream, maxStrangerBytes)
  const end = (code: number, reason: string) => closeSoon(socket, { code, reason, clock })
  const onFirstMessage = (data: RawData, isBinary: boolean) => {
    stopWaiting()
    const message = isBinary ? null : readAuthMessage(String(data))
    try {
      if (message === null) throw new TrawlError('unauthorized')
      const caller = door.callerOf({ kind: 'token', token: message.params.token }, address)
      const leaveAsCaller = door.traffic.enter(caller, address)
      if (leaveAsCaller === null) return end(tryAgainLater, 'too many connections')
      leave()
      liftLimit()
      socket.once('close', leaveAsCaller)
      serveCaller(socket, caller, door, clock)
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { exposure: caller.exposure } }))
    } catch (thrown) {
      door.onRefused('unauthorized', address)
      const error = toRpcError(door.traffic.wrongCredential(address) ?? TrawlError.from(thrown))
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, error }))
      end(policyViolationCloseCode, 'not authorized')
    }
  }
  const stopWaiting = clock.after(introductionTimeoutMs, () => {
    socket.off('message', onFirstMessage)
    end(policyViolationCloseCode, 'no credential came')
  })
  socket.on('error', () => socket.terminate())
  socket.once('close', stopWaiting)
  socket.once('message', onFirstMessage)
}

/** IANA's registry: overloaded, come back later. */
const tryAgainLater = 1013
