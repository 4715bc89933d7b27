/**
 * What `/rpc` and `/mcp` ask before they read a request's body: whose it is, and whether there is room for it. A stranger
 * may not make the gateway take in a megabyte.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Caller } from '../access/caller.ts'
import type { Traffic } from '../access/traffic.ts'
import { refuse } from './json-answers.ts'

export interface LettingDoor {
  /** @throws TrawlError `unauthorized`. */
  callerFor(request: { authorization: string | undefined; address: string }): Caller
  readonly traffic: Traffic
  onRefused(reason: 'unauthorized' | 'too-many', address: string): void
}

declare module 'fastify' {
  interface FastifyRequest {
    rpcCaller?: Caller
  }
}

/** A hook. Says 401, 429 to an address that has shown too many wrong credentials, and 429 to a caller with too many requests. */
export async function letIn(
  door: LettingDoor,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  try {
    const { authorization } = request.headers
    request.rpcCaller = door.callerFor({ authorization, address: request.ip })
  } catch (error) {
    door.onRefused('unauthorized', request.ip)
    const tooMany = door.traffic.wrongCredential(request.ip)
    if (tooMany !== null) return refuseTooMany(reply, tooMany)
    return refuse(reply.header('www-authenticate', 'Bearer'), 401, TrawlError.from(error))
  }
  try {
    reply.raw.once('close', door.traffic.beginRequest(request.rpcCaller))
  } catch (error) {
    door.onRefused('too-many', request.ip)
    return refuseTooMany(reply, TrawlError.from(error))
  }
}

/** @throws TrawlError where the hook was not passed. */
export function callerOf({ rpcCaller }: FastifyRequest): Caller {
  if (rpcCaller === undefined) throw new TrawlError('unauthorized')
  return rpcCaller
}

export function refuseTooMany(reply: FastifyReply, error: TrawlError): FastifyReply {
  return refuse(reply.header('retry-after', error.details.retryAfterSec), 429, error)
}
