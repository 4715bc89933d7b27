/**
 * `POST /rpc` and `GET /health`, the same on TCP and on the Unix socket; a door differs in the credential it accepts.
 * What JSON-RPC can say is said with status 200 (204 when there is nothing to answer). A status of its own have only
 * the refusals before JSON-RPC: 401 no credential, 403 wrong origin, 413 over 1 MiB (`response_too_large`), 415 no JSON,
 * 429 too many wrong credentials, or requests at once.
 */
import { fileURLToPath } from 'node:url'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { createDispatcher, type RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { maxClientMessageBytes, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import type { Caller, Credential } from '../access/caller.ts'
import type { DeviceOffers } from '../access/device-offers.ts'
import type { Traffic } from '../access/traffic.ts'
import { cutWhenRevoked, refuse, sendJson } from './json-answers.ts'
import { callerOf, letIn, refuseTooMany } from './let-in.ts'
import { registerMcpRoute } from './mcp.ts'
import { registerPage } from './web.ts'

/** How long a client may take to send one request. */
const requestTimeoutMs = 30_000
const handshakeTimeoutMs = 10_000
export const minTlsVersion = 'TLSv1.2' as const
/** What a proxy says of itself. */
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']

/** What every door needs, whatever it is made of. */
export interface DoorOptions {
  /** TCP checks `Host` and `Origin`; the Unix socket has no browser behind it. */
  refuseOrigin(headers: { host: string | undefined; origin: string | undefined }): string | null
  /** @throws TrawlError `unauthorized`. */
  callerFor(request: { authorization: string | undefined; address: string }): Caller
  /** For a credential that comes later than the request, on a WebSocket. @throws TrawlError `unauthorized`. */
  callerOf(credential: Credential, address: string): Caller
  readonly traffic: Traffic
  /** Whether `/health` says which process answers. */
  isNear(request: { host: string | undefined; address: string; isForwarded: boolean }): boolean
  /** Redeems a code; null where clients cannot be paired through this door. */
  readonly beginPairing: DeviceOffers['begin'] | null
  /** The key and certificate to serve TLS with; absent, the door is plain. */
  readonly tls?: { readonly key: string; readonly cert: string }
  /** May be asked before there is anything to answer with: a door opens first. */
  methodsFor(caller: Caller): Promise<RpcMethods>
  readonly version: string
  createId(): string
  onFault(error: TrawlError, method: string): void
  /** A request that was refused before JSON-RPC; for the log. */
  onRefused(reason: RefusalReason, address: string): void
}

export type RefusalReason =
  | 'unauthorized'
  | 'origin'
  | 'oversize'
  | 'media-type'
  | 'crowded'
  | 'too-many'
  | 'code'

/** Routes only: listening is the door's own business. */
export function createHttpServer(door: DoorOptions): FastifyInstance {
  const { tls } = door
  const options = {
    logger: false,
    bodyLimit: maxClientMessageBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: 'idle' as const,
  }
  const https = { ...tls, minVersion: minTlsVersion, handshakeTimeout: handshakeTimeoutMs }
  // A TLS server is another type to fastify; of the two nothing is asked here that they do not share.
  const app =
    tls === undefined ? fastify(options) : (fastify({ ...options, https }) as unknown as FastifyInstance)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )

  app.addHook('onRequest', async (request, reply) => {
    const refusal = door.refuseOrigin({ host: request.headers.host, origin: request.headers.origin })
    if (refusal === null) return
    door.onRefused('origin', request.ip)
    return refuse(reply, 403, new TrawlError('forbidden', refusal))
  })

  app.addHook('onSend', async (_request, reply) => {
    reply.raw.setTimeout(door.traffic.limits.unreadTimeoutMs)
  })

  app.get('/health', async ({ headers, ip: address }) => {
    const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined)
    return door.isNear({ host: headers.host, address, isForwarded })
      ? { status: 'ok', name: 'trawl', version: door.version, pid: process.pid }
      : { status: 'ok' }
  })

  app.post('/rpc', {
    onRequest: async (request, reply) => await letIn(door, request, reply),
    handler: async (request, reply) => await answer(door, request, reply),
  })

  registerMcpRoute(app, door)
  registerPage(app, fileURLToPath(new URL('./web/', import.meta.url)))

  app.setNotFoundHandler(async (_request, reply) =>
    refuse(reply, 404, new TrawlError('not_found', 'There is POST /rpc, POST /mcp and GET /health')),
  )
  app.setErrorHandler(async (error: { statusCode?: number }, { rpcCaller, ip }, reply) => {
    const tooMany = rpcCaller === undefined ? null : door.traffic.admit(rpcCaller)
    if (tooMany !== null) return refuseTooMany(reply, tooMany)
    if (error.statusCode === 413) {
      door.onRefused('oversize', ip)
      return refuse(reply, 413, new TrawlError('response_too_large', 'A message may have at most 1 MiB'))
    }
    if (error.statusCode === 415) {
      door.onRefused('media-type', ip)
      return refuse(reply, 415, new TrawlError('invalid_request', 'Send application/json'))
    }
    if (error.statusCode !== undefined && error.statusCode < 500)
      return refuse(reply, error.statusCode, new TrawlError('invalid_request'))
    const fault = new TrawlError('internal', undefined, { correlationId: door.createId() }, error)
    door.onFault(fault, 'POST /rpc')
    return refuse(reply, 500, fault)
  })
  return app
}

/** A client that leaves before its answer, or is revoked, aborts the calls it made. */
async function answer(
  door: DoorOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { body } = request
  const caller = callerOf(request)
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort())
  if (!cutWhenRevoked(caller, request, reply)) return reply.hijack()
  const dispatcher = createDispatcher({
    methods: await door.methodsFor(caller),
    maxMessageBytes: maxPeerMessageBytes,
    admit: () => door.traffic.admit(caller),
    createId: () => door.createId(),
    onFault: (error, method) => door.onFault(error, method),
  })
  const text = await dispatcher.dispatch(typeof body === 'string' ? body : '', {
    signal: leaving.signal,
    notify: () => {},
  })
  if (text === null) return reply.code(204).send()
  return sendJson(reply, 200, text)
}
