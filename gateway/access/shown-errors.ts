/**
 * What a caller is told of an error that a host answered with. Its words are the host's own, and may name a path there: a
 * relay gets the code, and ours (wire.md §4).
 */
import type { RpcMethod } from '../../protocol/rpc/dispatch.ts'
import { type ErrorDetails, TrawlError } from '../../protocol/rpc/errors.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import { unavailableReasonSchema, unreachableReasonSchema } from '../../protocol/session-search/response.ts'

export function withShownErrors(exposure: ExposureClass, method: RpcMethod): RpcMethod {
  if (exposure !== 'relay') return method
  return async (params, context) => {
    try {
      return await method(params, context)
    } catch (thrown) {
      throw shownToRelay(thrown)
    }
  }
}

function shownToRelay(thrown: unknown): unknown {
  if (!(thrown instanceof TrawlError) || !isHostAnswer(thrown.cause)) return thrown
  const { reason, retryAfterSec } = thrown.details
  const details: ErrorDetails = {
    ...(reason !== undefined && isKnownReason(reason) ? { reason } : {}),
    ...(retryAfterSec === undefined ? {} : { retryAfterSec }),
  }
  return new TrawlError(thrown.code, undefined, details, thrown.cause)
}

/** A peer's error object is kept as the cause (`fromRpcError`); every other cause is an Error, or words for the log. */
function isHostAnswer(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && !(cause instanceof Error)
}

function isKnownReason(reason: string): boolean {
  return (
    unreachableReasonSchema.safeParse(reason).success || unavailableReasonSchema.safeParse(reason).success
  )
}
