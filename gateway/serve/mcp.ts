/**
 * `/mcp`: MCP over Streamable HTTP, without sessions: each request is served by itself, with what the credential it shows
 * may see. A client that leaves cancels what it asked of the hosts.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Caller } from '../access/caller.ts'
import { type CredentialDoor, cutWhenRevoked, refuseCredential } from './json-answers.ts'

/** What this route needs of the door it stands in. */
interface McpDoor extends CredentialDoor {
  /** @throws TrawlError `unauthorized`. */
  callerFor(request: { authorization: string | undefined; address: string }): Caller
  methodsFor(caller: Caller): Promise<RpcMethods>
  readonly version: string
  createId(): string
  onFault(error: TrawlError, method: string): void
}

/** The door's own hooks (`Host`, `Origin`, body limit) hold for this route too. */
export function registerMcpRoute(app: FastifyInstance, door: McpDoor): void {
  const callers = new WeakMap<FastifyRequest, Caller>()
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    onRequest: async (request, reply) => {
      try {
        const { authorization } = request.headers
        callers.set(request, door.callerFor({ authorization, address: request.ip }))
      } catch (error) {
        return refuseCredential(door, request, reply, error)
      }
    },
    handler: async (request, reply) => {
      const caller = callers.get(request)
      if (caller === undefined) throw new TrawlError('unauthorized')
      return await answer(door, caller, request, reply)
    },
  })
}

async function answer(
  door: McpDoor,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort())
  if (!cutWhenRevoked(caller, request, reply)) return reply.hijack()
  // Not before somebody asks: the gateway starts without it.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp/mcp-server.ts'),
  ])
  const methods = await door.methodsFor(caller)
  const ask = async (method: string, params: object, signal: AbortSignal): Promise<unknown> => {
    const serve = methods.get(method)
    if (serve === undefined) throw new TrawlError('method_not_found')
    try {
      return await serve(params, { signal, notify: () => {} })
    } catch (thrown) {
      throw asKnown(thrown, method)
    }
  }
  const asKnown = (thrown: unknown, method: string): TrawlError => {
    const error = TrawlError.from(thrown)
    if (error.code !== 'internal') return error
    const fault = new TrawlError('internal', undefined, { correlationId: door.createId() }, thrown)
    door.onFault(fault, method)
    return fault
  }
  const handler = createMcpHandler(() =>
    createMcpServer({ ask, version: door.version, leaving: leaving.signal }),
  )
  const response = await handler.fetch(webRequest(request, leaving.signal))
  reply.code(response.status)
  for (const [name, value] of response.headers) reply.header(name, value)
  reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
  return reply.send(response.body === null ? null : Readable.fromWeb(response.body))
}

/** What was received, as the SDK takes it; its address is of no consequence there. */
function webRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== 'authorization')
      headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const body = typeof request.body === 'string' ? { body: request.body } : {}
  return new Request('http://localhost/mcp', { method: request.method, headers, signal, ...body })
}
