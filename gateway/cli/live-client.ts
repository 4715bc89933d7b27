/** A gateway client that is also told what each host has found as it lands, over one duplex connection. */
import WebSocket from 'ws'
import * as z from 'zod'
import { dataDirPath } from '../../protocol/places.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  livenessIntervalMs,
  maxClientMessageBytes,
  maxPeerMessageBytes,
} from '../../protocol/rpc/message-channel.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import { hitSchema } from '../../protocol/session-search/hit.ts'
import {
  legReportSchema,
  parseHostResponse,
  type SearchResponse,
} from '../../protocol/session-search/response.ts'
import { socketFilePath } from '../data-dir.ts'
import { Refusal } from '../refusal.ts'
import type { CommandContext } from './command-context.ts'
import type { GatewayClient } from './gateway-client.ts'
import { runningGateway } from './open-gateway-client.ts'
import type { CliRequest } from './search-request.ts'

/** The gateway bounds every call itself; this only bounds a fault of its own. */
const callTimeoutMs = 660_000

const landedSchema = legReportSchema.omit({ hits: true }).extend({ hits: z.array(hitSchema) })
const progressSchema = z.object({ token: z.string(), value: landedSchema })

/** One host's part of a search: its report, and the hits it brought. */
export type LandedHost = z.output<typeof landedSchema>

export interface LiveClient extends GatewayClient {
  /**
   * @param onLanded called as each host answers, where several were asked.
   * @throws TrawlError what the gateway answered, `cancelled`; Refusal `gateway-unreachable`.
   */
  search(
    request: CliRequest,
    signal: AbortSignal,
    onLanded: (host: LandedHost) => void,
  ): Promise<SearchResponse>
}

/** @throws Refusal for a configuration or data directory that cannot be used, or a gateway that went away. */
export async function openLiveClient(context: CommandContext): Promise<LiveClient> {
  const listeners = new Map<string, (host: LandedHost) => void>()
  const onNotification = (method: string, params: unknown) => {
    if (method !== '$/progress') return
    const told = progressSchema.safeParse(params)
    if (told.success) listeners.get(told.data.token)?.(told.data.value)
  }
  const client = await open(context, onNotification)
  return {
    isFresh: client.isFresh,
    settled: async () => await client.settled(),
    call: async (method, params, signal) => await client.call(method, params, signal),
    async search(request, signal, onLanded) {
      const token = context.createId()
      listeners.set(token, onLanded)
      try {
        const answer = await client.call(
          'aiVault.searchSessions',
          { ...request, partialResultToken: token },
          signal,
        )
        return parseHostResponse(answer).response
      } finally {
        listeners.delete(token)
      }
    },
    [Symbol.asyncDispose]: async () => await client[Symbol.asyncDispose](),
  }
}

async function open(
  context: CommandContext,
  onNotification: (method: string, params: unknown) => void,
): Promise<GatewayClient> {
  const running = await runningGateway(context)
  if (running === null) {
    const { openEmbeddedGateway } = await import('./embedded-gateway.ts')
    return await openEmbeddedGateway(context, onNotification)
  }
  await running[Symbol.asyncDispose]()
  return await openDuplex(context, onNotification)
}

async function openDuplex(
  context: CommandContext,
  onNotification: (method: string, params: unknown) => void,
): Promise<GatewayClient> {
  const socketPath = socketFilePath(dataDirPath(context))
  const socket = new WebSocket(`ws+unix://${socketPath}:/rpc`, { maxPayload: maxPeerMessageBytes })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (error) => reject(wentAway(error)))
  })
  const channel = createWebSocketChannel(socket, {
    maxMessageBytes: maxPeerMessageBytes,
    pingIntervalMs: livenessIntervalMs,
    clock: context.clock,
  })
  const connection = openConnection(channel, {
    methods: new Map(),
    maxMessageBytes: maxClientMessageBytes,
    createId: () => context.createId(),
    clock: context.clock,
    onNotification,
    onClosed: () => {
      isOpen = false
    },
  })
  let isOpen = true
  return {
    isFresh: false,
    settled: async () => {},
    async call(method, params, signal) {
      try {
        return await connection.call(method, params, { timeoutMs: callTimeoutMs, signal })
      } catch (error) {
        if (!isOpen && TrawlError.from(error).code === 'unreachable') throw wentAway(error)
        throw error
      }
    },
    [Symbol.asyncDispose]: async () => await connection.close(),
  }
}

function wentAway(error: unknown): Refusal {
  return new Refusal('gateway-unreachable', 'The running gateway went away before it answered.', error)
}
