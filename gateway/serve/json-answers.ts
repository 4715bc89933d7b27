/** What the HTTP routes answer with, and how they refuse and cut off. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TrawlError, toRpcError } from '../../protocol/rpc/errors.ts'
import type { Caller } from '../access/caller.ts'

/**
 * Before its answer is whole, a caller can have lost the right to it: its connection is cut then.
 * @returns false for one that lost it while its request was still on the way; it is not to be answered.
 */
export function cutWhenRevoked({ revoked }: Caller, request: FastifyRequest, reply: FastifyReply): boolean {
  if (revoked === undefined) return true
  const onRevoked = () => request.raw.socket.destroy()
  if (revoked.aborted) onRevoked()
  revoked.addEventListener('abort', onRevoked, { once: true })
  reply.raw.once('close', () => revoked.removeEventListener('abort', onRevoked))
  return !revoked.aborted
}

export function refuse(reply: FastifyReply, status: number, error: TrawlError): FastifyReply {
  return sendJson(reply, status, JSON.stringify({ jsonrpc: '2.0', id: null, error: toRpcError(error) }))
}

export function sendJson(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .send(text)
}
