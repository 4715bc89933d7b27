/** One host's answer to one search: asked with its deadline, parsed, stamped, and stripped of what must not leave. */
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type ExposureClass, redactForTransport } from '../../protocol/session-search/exposure.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import { parseHostResponse, type SearchResponse } from '../../protocol/session-search/response.ts'
import type { Host } from '../hosts/host.ts'

export interface AskOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly clock: Clock
}

export interface HostAnswer {
  readonly response: SearchResponse
  readonly droppedHits: number
}

/**
 * A host that does not know the method has no service; every other failure stays one (wire.md §3, old peers).
 * A first page refused because the index moved under it is asked for once more: it has no cursor to discard.
 * @throws TrawlError `unreachable` (with `details.reason`), `timeout`, `cancelled`, or what the host answered.
 */
export async function askHost(host: Host, request: SearchRequest, options: AskOptions): Promise<HostAnswer> {
  const startedMs = options.clock.monotonicMs()
  const answer = await askOnce(host, request, options)
  if (answer.response.kind !== 'stale-cursor' || request.cursor !== undefined) return answer
  const leftMs = options.timeoutMs - (options.clock.monotonicMs() - startedMs)
  return leftMs < 1 ? answer : await askOnce(host, request, { ...options, timeoutMs: leftMs })
}

async function askOnce(host: Host, request: SearchRequest, options: AskOptions): Promise<HostAnswer> {
  const { paging: _ours, ...forHost } = request
  const answer = await orNoService(
    host.call(
      'aiVault.searchSessions',
      (leftMs) => ({ ...forHost, deadlineMs: Math.max(1, leftMs) }),
      options,
    ),
  )
  try {
    return parseHostResponse(answer)
  } catch (cause) {
    throw unreadableAnswer(cause)
  }
}

async function orNoService(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    if (error.code === 'method_not_found') return { kind: 'unavailable', reason: 'no-service' }
    throw error
  }
}

export function unreadableAnswer(cause: unknown): TrawlError {
  return new TrawlError('unreachable', "The host's answer could not be read.", { reason: 'protocol' }, cause)
}

/** What this caller may see of this host: a remote host's answer is redacted as a relay's whatever it sent. */
export function exposureOfLeg(host: Pick<Host, 'kind'>, caller: ExposureClass): ExposureClass {
  return host.kind === 'local' ? caller : 'relay'
}

/** The id the gateway addressed replaces what the far side claims (contract, "Execution host routing"). */
export function stampHit(hit: Hit, hostId: string, exposure: ExposureClass): Hit {
  return { ...redactForTransport(hit, exposure), executionHostId: hostId }
}
