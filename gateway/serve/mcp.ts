/**
 * `/mcp`: MCP over Streamable HTTP, without sessions: each request is served by itself, with what the credential it shows
 * may see. A client that leaves cancels what it asked of the hosts.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { isTooDeep, maxBatchCalls } from '../../protocol/rpc/message-bounds.ts'
import type { Caller } from '../access/caller.ts'
import { cutWhenRevoked, refuse } from './json-answers.ts'
import { callerOf, type LettingDoor, letIn, refuseTooMany } from './let-in.ts'

/** What this route needs of the door it stands in. */
interface McpDoor extends LettingDoor {
  methodsFor(caller: Caller): Promise<RpcMethods>
  readonly version: string
  createId(): string
  onFault(error: TrawlError, method: string): void
}

/** The door's own hooks (`Host`, `Origin`, body limit) hold for this route too. */
export function registerMcpRoute(app: FastifyInstance, door: McpDoor): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    onRequest: async (request, reply) => await letIn(door, request, reply),
    handler: async (request, reply) => await answer(door, callerOf(request), request, reply),
  })
}

/** What came, as far as it concerns the limits. */
interface Weighed {
  /** Null for one that may go on; a tool's call that may not is for the tool to answer. */
  readonly refusal: { readonly status: number; readonly error: TrawlError } | null
  readonly toolRefusal: TrawlError | null
}

/** The same limits as `/rpc`: depth, batch, and a place in the rate for each member. */
function weigh({ traffic }: McpDoor, caller: Caller, body: unknown): Weighed {
  const message = typeof body === 'string' ? parsed(body) : undefined
  const members = Array.isArray(message) ? message : [message]
  const isBad = members.length === 0 || members.length > maxBatchCalls || isTooDeep(message)
  const weights = isBad ? [traffic.admit(caller)] : members.map(() => traffic.admit(caller))
  const error = weights.find((refused) => refused !== null) ?? null
  if (error !== null && !isBad && isToolCall(message)) return { refusal: null, toolRefusal: error }
  if (error !== null) return { refusal: { status: 429, error }, toolRefusal: null }
  const refusal = isBad ? { status: 400, error: new TrawlError('invalid_request') } : null
  return { refusal, toolRefusal: null }
}

/** undefined stands for what is no JSON: the SDK answers that. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A model reads what its tools answer, and not the errors of its client. */
function isToolCall(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'tools/call'
  )
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
  const { refusal, toolRefusal } = weigh(door, caller, request.body)
  if (refusal?.status === 429) return refuseTooMany(reply, refusal.error)
  if (refusal !== null) return refuse(reply, refusal.status, refusal.error)
  // Not before somebody asks: the gateway starts without it.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp/mcp-server.ts'),
  ])
  const methods = await door.methodsFor(caller)
  const ask = async (method: string, params: object, signal: AbortSignal): Promise<unknown> => {
    if (toolRefusal !== null) throw toolRefusal
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
