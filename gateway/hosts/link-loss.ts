/** What the loss of a link, or an attempt that failed, means in the words of wire.md §4. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type UnreachableReason, unreachableReasonSchema } from '../../protocol/session-search/response.ts'
import type { HostKind } from './host.ts'

/** A child or an SSH channel that simply ends has lost its agent; a cause, or a socket's end, means the link. */
export function lossOf(kind: HostKind, cause: Error | null): TrawlError {
  if (cause instanceof TrawlError) return cause
  const reason: UnreachableReason = cause === null && kind !== 'runtime' ? 'crashed' : 'offline'
  const sentence = cause?.message ?? (reason === 'crashed' ? 'The agent ended.' : 'The link ended.')
  return new TrawlError('unreachable', sentence, { reason }, cause ?? undefined)
}

export function timedOut(): TrawlError {
  return new TrawlError('unreachable', 'The connection did not come about in time.', { reason: 'timeout' })
}

export function reasonOf(error: TrawlError): UnreachableReason {
  if (error.code === 'timeout') return 'timeout'
  if (error.code === 'unauthorized' || error.code === 'forbidden') return 'auth-failed'
  const parsed = unreachableReasonSchema.safeParse(error.details.reason)
  return parsed.success ? parsed.data : 'offline'
}

/** For the log and same-machine callers: may hold paths and remote text. */
export function detailOf(error: TrawlError): string {
  return error.code === 'internal' && error.cause instanceof Error ? error.cause.message : error.message
}

/** Of a WebSocket that ended; 1012 and 1013 ask to come back later. */
export function closeCodeOf(cause: unknown): number | null {
  return cause instanceof Error && 'closeCode' in cause && typeof cause.closeCode === 'number'
    ? cause.closeCode
    : null
}

/** What an answer with the wrong credential, or one that makes no sense, is not: there is somebody at the other end. */
const transportReasons: ReadonlySet<UnreachableReason> = new Set(['timeout', 'offline', 'crashed'])

/** Whether a breaker counts it. */
export function isTransportFailure(reason: UnreachableReason): boolean {
  return transportReasons.has(reason)
}

/** A call that ended by its own time, not one that the far side answered with a timeout. */
export function isSilence(error: TrawlError): boolean {
  return error.code === 'timeout' && error.cause === undefined
}

/** The far side answered, though with an error: the link and the agent are well. */
export function isAnswer(error: TrawlError): boolean {
  return error.code !== 'unreachable' && error.code !== 'cancelled' && error.cause !== undefined
}
