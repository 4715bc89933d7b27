/**
 * The agents' door: TLS with the gateway's own key, and nothing behind it but `/pair`, where an invitation is redeemed,
 * and `/agents`, where an agent that was invited dials in. Whoever it is says so in the first message, within five
 * seconds; nothing else is read before.
 */
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import {
  agentsPath,
  introductionTimeoutMs,
  maxIntroductionBytes,
  pairPath,
  policyViolationCloseCode,
  type RedeemResult,
  serviceRestartCloseCode,
} from '../../protocol/link/pairing-messages.ts'
import type { PeerTable } from '../../protocol/link/peer-table.ts'
import { refuseUpgrade } from '../../protocol/link/refuse-upgrade.ts'
import { servePairing } from '../../protocol/link/serve-pairing.ts'
import type { TlsIdentity } from '../../protocol/link/tls-identity.ts'
import { TrawlError, toRpcError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { ListenAddress } from '../config-schema.ts'
import { maxPeerFrameBytes } from '../hosts/runtime.ts'
import type { Arrival } from '../hosts/runtime-dials-in.ts'
import { logFault } from '../log.ts'
import { closeSoon, limitIntroduction, readAuthMessage } from './introduction.ts'
import { listenOnTcp } from './listen-on-tcp.ts'

const maxSockets = 4_096
const handshakeTimeoutMs = 10_000

export interface AgentsDoorOptions {
  readonly listen: ListenAddress
  readonly tls: TlsIdentity
  readonly agents: Pick<PeerTable, 'check' | 'flush'>
  redeem(secret: string): Promise<RedeemResult | null>
  /** Calls `welcome` before anything is asked. @returns false where there is no such host that dials in. */
  arrive(executionHostId: string, arrival: Arrival, welcome: () => void): Promise<boolean>
  readonly log: Logger
  readonly clock: Clock
  createId(): string
}

export interface AgentsDoor extends AsyncDisposable {
  readonly address: ListenAddress
}

/** @throws Refusal `in-use` when the port is taken, saying by whom where it can tell. */
export async function openAgentsDoor(options: AgentsDoorOptions): Promise<AgentsDoor> {
  const { tls, clock } = options
  const common = { noServer: true, perMessageDeflate: false, clientTracking: true }
  const agents = new WebSocketServer({ ...common, maxPayload: maxPeerFrameBytes })
  const pairing = new WebSocketServer({ ...common, maxPayload: maxIntroductionBytes })
  const server = createServer({
    key: tls.key,
    cert: tls.cert,
    minVersion: 'TLSv1.3',
    handshakeTimeout: handshakeTimeoutMs,
    headersTimeout: handshakeTimeoutMs,
    requestTimeout: handshakeTimeoutMs,
  })
  server.maxConnections = maxSockets
  server.on('request', (_request, response) => response.writeHead(404).end())
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy())
    const path = request.url?.split('?')[0]
    if (path !== pairPath && path !== agentsPath) return refuseUpgrade(stream, '404 Not Found')
    // A browser page always sends its origin; agents are none.
    if (request.headers.origin !== undefined) return refuseUpgrade(stream, '403 Forbidden')
    if (path === pairPath) pairing.handleUpgrade(request, stream, head, (socket) => pair(socket, options))
    else agents.handleUpgrade(request, stream, head, (socket) => awaitToken(socket, stream, options))
  })
  await listenOnTcp(server, options.listen, (address) => `agentsListen = "${address}"`)
  const { port } = server.address() as AddressInfo
  return {
    address: { host: options.listen.host, port },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of agents.clients)
        socket.close(serviceRestartCloseCode, 'the gateway is shutting down')
      for (const socket of pairing.clients) socket.terminate()
      const stopWaiting = clock.after(1_000, () => {
        for (const socket of agents.clients) socket.terminate()
        server.closeAllConnections()
      })
      await closed
      stopWaiting()
      await options.agents.flush()
    },
  }
}

function pair(socket: WebSocket, { redeem, clock, createId, log }: AgentsDoorOptions): void {
  const channel = createWebSocketChannel(socket, {
    maxMessageBytes: maxIntroductionBytes,
    pingIntervalMs: livenessIntervalMs,
    clock,
  })
  servePairing(channel, {
    redeem,
    clock,
    createId,
    onFault: (error, method) => logFault(log, error, method),
  })
}

function awaitToken(socket: WebSocket, stream: Duplex, options: AgentsDoorOptions): void {
  const { clock } = options
  // Lifted once it is known who it is, and not where that went wrong.
  const liftLimit = limitIntroduction(stream)
  const onFirstMessage = (data: RawData, isBinary: boolean) => {
    stopWaiting()
    const message = isBinary ? null : readAuthMessage(String(data))
    const executionHostId = message === null ? null : options.agents.check(message.params.token)
    if (message === null || executionHostId === null) return refuseAgent(socket, message?.id ?? null, options)
    liftLimit()
    const welcome = JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { executionHostId } })
    options
      // Made at once: it keeps what comes until somebody reads it.
      .arrive(executionHostId, arrivalOf(socket, clock), () => socket.send(welcome))
      .then(
        (isKnown) => {
          if (!isKnown) refuseAgent(socket, message.id, options)
        },
        () => socket.close(serviceRestartCloseCode),
      )
  }
  const stopWaiting = clock.after(introductionTimeoutMs, () => {
    socket.off('message', onFirstMessage)
    closeSoon(socket, { code: policyViolationCloseCode, reason: 'no credential came', clock })
  })
  socket.on('error', () => socket.terminate())
  socket.once('close', stopWaiting)
  socket.once('message', onFirstMessage)
}

function arrivalOf(socket: WebSocket, clock: Clock): Arrival {
  return {
    channel: createWebSocketChannel(socket, {
      maxMessageBytes: maxPeerMessageBytes,
      pingIntervalMs: livenessIntervalMs,
      clock,
    }),
    dismiss: (closeCode, reason) => socket.close(closeCode, reason),
  }
}

function refuseAgent(
  socket: WebSocket,
  id: string | number | null,
  { log, clock }: Pick<AgentsDoorOptions, 'log' | 'clock'>,
): void {
  log.warn({ reason: 'unauthorized' }, 'an agent was refused')
  const error = toRpcError(new TrawlError('unauthorized'))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, error }))
  closeSoon(socket, { code: policyViolationCloseCode, reason: 'not authorized', clock })
}
