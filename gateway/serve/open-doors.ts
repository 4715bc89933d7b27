/** Opens the gateway's two doors, TCP and Unix socket, and closes them gracefully. */
import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import type { RpcMethod, RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { type Access, type Caller, credentialFromHeader } from '../access/caller.ts'
import type { DeviceOffers } from '../access/device-offers.ts'
import { isFromThisMachine, type KnownNames, loopbackOnly, refuseOrigin } from '../access/origin.ts'
import { createTraffic, createUnlimitedTraffic, type Traffic } from '../access/traffic.ts'
import type { ListenAddress } from '../config-schema.ts'
import { logFault } from '../log.ts'
import { createHttpServer, type DoorOptions, minTlsVersion } from './http.ts'
import { listenOnTcp } from './listen-on-tcp.ts'
import { createRefusalLog } from './refusal-log.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'
import { listenOnUnixSocket } from './unix-socket.ts'
import { attachWebSocketDoor, type WebSocketDoor } from './websocket.ts'

/** How long running calls may go on, and how long clients may take to leave, when the gateway stops. */
const shutdownGraceMs = 5_000

export interface DoorsOptions {
  readonly listen: ListenAddress
  readonly socketPath: string
  readonly access: Access
  /** Limits what comes over TCP; the usual limits where it is absent. */
  readonly traffic?: Traffic
  /** Under which names requests over TCP may ask; loopback names alone where it is absent. */
  readonly names?: KnownNames
  /** Present where TCP is to speak TLS. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** Redeems a client's code; absent where clients cannot be paired. */
  readonly beginPairing?: DeviceOffers['begin']
  readonly version: string
  readonly log: Logger
  readonly clock: Clock
  methodsFor(caller: Caller): Promise<RpcMethods>
  createId(): string
}

export interface Doors extends AsyncDisposable {
  /** Where TCP is open, with the port the system chose if it was to choose. */
  readonly address: ListenAddress
  /** Connections that come from now on find this certificate; those there are go on. Nothing happens where TCP is plain. */
  renewTls(tls: { readonly key: string; readonly cert: string }): void
  /** Takes no more calls, lets the running ones end (5 s at most), closes every connection, removes the socket file. */
  close(): Promise<void>
}

/** @throws Refusal `in-use` when the port or the socket is taken, saying by whom where it can tell. */
export async function openDoors(options: DoorsOptions): Promise<Doors> {
  const { log, clock, access } = options
  const calls = createRunningCalls()
  const { traffic = createTraffic(clock), names = loopbackOnly, tls, beginPairing = null } = options
  const refusals = createRefusalLog({ log, clock })
  const common = {
    version: options.version,
    createId: () => options.createId(),
    onFault: (error, method) => logFault(log, error, method),
  } satisfies Partial<DoorOptions>
  const tcp = await openDoor(
    {
      ...common,
      ...(tls === undefined ? {} : { tls }),
      refuseOrigin: (headers) => refuseOrigin(headers, names),
      callerFor: ({ authorization, address }) => ({
        ...access.callerFor(credentialFromHeader(authorization)),
        address,
      }),
      callerOf: (credential, address) => ({ ...access.callerFor(credential), address }),
      methodsFor: async (caller) =>
        calls.counted(atOnce(await options.methodsFor(caller), () => traffic.beginCall(caller))),
      isNear: (request) => isFromThisMachine(request, names),
      onRefused: (reason, address) => refusals.note(reason, address),
      traffic,
      beginPairing,
    },
    clock,
    async (server) => {
      server.maxConnections = traffic.limits.maxSockets
      server.on('connection', (socket) => {
        const leave = traffic.enterSocket(socket.remoteAddress ?? 'unknown')
        if (leave === null) socket.destroy()
        else socket.once('close', leave)
      })
      await listenOnTcp(server, options.listen)
    },
  )
  try {
    const unix = await openDoor(
      {
        ...common,
        refuseOrigin: () => null,
        callerFor: () => access.callerFor({ kind: 'same-user' }),
        callerOf: (credential) => access.callerFor(credential),
        methodsFor: async (caller) => calls.counted(await options.methodsFor(caller)),
        isNear: () => true,
        onRefused: (reason) => refusals.note(reason, 'the Unix socket'),
        traffic: createUnlimitedTraffic(traffic.limits),
        beginPairing,
      },
      clock,
      async (server) => await listenOnUnixSocket(server, options.socketPath),
    )
    const close = onceOnly(async () => {
      await closeGracefully([tcp, unix], calls, clock)
      refusals[Symbol.dispose]()
    })
    const { server } = tcp.app
    return {
      address: addressOf(server, options.listen),
      close,
      renewTls(renewed) {
        if (server instanceof TlsServer) server.setSecureContext({ ...renewed, minVersion: minTlsVersion })
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await closeGracefully([tcp], calls, clock)
    throw error
  }
}

/** Each call takes a place, whether it came alone, in a batch or as a tool's, until it has ended. */
function atOnce(methods: RpcMethods, begin: () => () => void): RpcMethods {
  return new Map(
    [...methods].map(([name, method]): [string, RpcMethod] => [
      name,
      async (params, context) => {
        const end = begin()
        try {
          return await method(params, context)
        } finally {
          end()
        }
      },
    ]),
  )
}

interface Door {
  readonly app: FastifyInstance
  readonly webSockets: WebSocketDoor
}

async function openDoor(
  door: DoorOptions,
  clock: Clock,
  listen: (server: Server) => Promise<void>,
): Promise<Door> {
  const app = createHttpServer(door)
  const webSockets = attachWebSocketDoor(app.server, door, clock)
  await app.ready()
  try {
    await listen(app.server)
  } catch (error) {
    await app.close()
    throw error
  }
  return { app, webSockets }
}

async function closeGracefully(doors: readonly Door[], calls: RunningCalls, clock: Clock): Promise<void> {
  let giveUp = () => {}
  const timeIsUp = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const callOff = clock.after(shutdownGraceMs, () => {
    giveUp()
    for (const { app, webSockets } of doors) {
      webSockets.terminate()
      app.server.closeAllConnections()
    }
  })
  const closing = doors.map(({ app }) => app.close())
  await Promise.race([calls.stop(), timeIsUp])
  // What has just ended still has its answer to write.
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([...closing, ...doors.map(({ webSockets }) => webSockets.close())])
  callOff()
}

function addressOf(server: Server, asked: ListenAddress): ListenAddress {
  const address = server.address()
  return typeof address === 'object' && address !== null ? { host: asked.host, port: address.port } : asked
}

function onceOnly(work: () => Promise<void>): () => Promise<void> {
  let started: Promise<void> | null = null
  return () => {
    started ??= work()
    return started
  }
}
