/** `aiVault.searchSessions` and `aiVault.searchStatus` as the gateway answers them, for one authenticated caller. */
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import { redactStatusForTransport } from '../../protocol/session-search/exposure.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { GatewaySearchRequest, SearchRequest } from '../../protocol/session-search/request.ts'
import type { LegReport, SearchResponse } from '../../protocol/session-search/response.ts'
import {
  absentServiceStatus,
  type SearchStatus,
  searchStatusSchema,
} from '../../protocol/session-search/status.ts'
import type { Host } from '../hosts/host.ts'
import type { HostRegistry } from '../hosts/registry.ts'
import { askHost, exposureOfLeg, stampHit, unreadableAnswer } from './ask-host.ts'
import { fanOut, type LandedLeg } from './fan-out.ts'
import {
  answerOfNoHost,
  type HostChoice,
  narrowScope,
  readHostOperator,
  withHostOperators,
} from './host-operator.ts'
import { createMerge } from './merge.ts'
import { type Leg, resolveHost, resolveSearchScope } from './scope.ts'

export interface SearchDesk {
  readonly registry: HostRegistry
  readonly legTimeoutMs: number
  readonly clock: Clock
}

export interface SearchCall {
  readonly exposure: ExposureClass
  readonly signal: AbortSignal
  /** Sends `$/progress` to the caller. */
  notify(method: string, params: unknown): void
}

/**
 * @throws TrawlError `unknown_host`; on one host also `unreachable`, `timeout` and what the host answered; under `all` with
 *   `strict` also `unreachable` with `details.hosts`, when a host that was asked has no results.
 */
export async function searchSessions(
  desk: SearchDesk,
  request: GatewaySearchRequest,
  call: SearchCall,
): Promise<SearchResponse> {
  const choice = readHostOperator(request.query, desk.registry)
  const isFollowUp = request.cursor !== undefined
  const scope = narrowScope(resolveSearchScope(request, desk.registry), choice, isFollowUp)
  if (scope.kind === 'malformed-cursor') return { kind: 'malformed-cursor' }
  if (scope.kind === 'none') return answerOfNoHost(request, choice)
  const { executionHostId: _routed, partialResultToken, strict = false, ...asked } = request
  const forHosts = { ...asked, query: choice.query }
  const options = {
    signal: call.signal,
    clock: desk.clock,
    timeoutMs: Math.min(desk.legTimeoutMs, request.deadlineMs ?? desk.legTimeoutMs),
  }
  if (scope.kind === 'one')
    return await searchOne({ host: scope.host, choice }, forHosts, options, call.exposure)
  return await searchAll(scope.legs, forHosts, options, {
    ...call,
    partialResultToken,
    strict,
    clock: desk.clock,
  })
}

async function searchOne(
  { host, choice }: { readonly host: Host; readonly choice: HostChoice },
  request: SearchRequest,
  options: Parameters<typeof askHost>[2],
  caller: ExposureClass,
): Promise<SearchResponse> {
  const { response } = await askHost(host, request, options)
  if (response.kind !== 'results') return response
  const exposure = exposureOfLeg(host, caller)
  const { hosts: _claimed, debug, ...results } = response
  return {
    ...results,
    hits: results.hits.map((hit) => stampHit(hit, host.id, exposure)),
    ...(debug !== undefined && request.debug === true ? { debug: withHostOperators(debug, choice) } : {}),
  }
}

interface FanOutCall extends SearchCall {
  readonly partialResultToken: string | number | undefined
  readonly strict: boolean
  readonly clock: Clock
}

async function searchAll(
  legs: readonly Leg[],
  request: SearchRequest,
  options: Parameters<typeof fanOut>[2],
  call: FanOutCall,
): Promise<SearchResponse> {
  const startedMs = call.clock.monotonicMs()
  const merge = createMerge(request.limit, request.paging ?? 'plain')
  const show = (hit: Hit, leg: Leg) =>
    stampHit(hit, leg.hostId, leg.host === null ? 'relay' : exposureOfLeg(leg.host, call.exposure))
  const onLanded = (landed: LandedLeg) => {
    merge.add(landed)
    if (call.partialResultToken === undefined) return
    const { executionHostId, outcome, reason, durationMs } = landed.report
    const hits = landed.results?.hits.map((hit) => show(hit, landed.leg)) ?? []
    const value = { executionHostId, outcome, ...(reason === undefined ? {} : { reason }), durationMs, hits }
    call.notify('$/progress', { token: call.partialResultToken, value })
  }
  const reports = await fanOut(legs, request, options, onLanded)
  if (call.strict) refuseIncomplete(reports)
  return merge.finish({ reports, durationMs: Math.round(call.clock.monotonicMs() - startedMs), show })
}

/** @throws TrawlError `unreachable` with the very list an answer would have carried. */
function refuseIncomplete(reports: readonly LegReport[]): void {
  const missing = reports.filter(({ outcome }) => outcome !== 'results')
  if (missing.length === 0) return
  const sentence = `${missing.length} of ${reports.length} hosts gave no results, and all were wanted.`
  throw new TrawlError('unreachable', sentence, { hosts: reports })
}

/** @throws TrawlError `unknown_host` (for `all` too), `unreachable`, `timeout`, and what the host answered. */
export async function searchStatus(
  desk: SearchDesk,
  executionHostId: string | undefined,
  call: SearchCall,
): Promise<SearchStatus> {
  const host = resolveHost(executionHostId, desk.registry)
  const status = await readStatus(host, { signal: call.signal, timeoutMs: desk.legTimeoutMs })
  return redactStatusForTransport(status, exposureOfLeg(host, call.exposure))
}

async function readStatus(
  host: Host,
  options: { signal: AbortSignal; timeoutMs: number },
): Promise<SearchStatus> {
  let answer: unknown
  try {
    answer = await host.call('aiVault.searchStatus', () => ({}), options)
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    if (error.code === 'method_not_found') return absentServiceStatus
    throw error
  }
  const parsed = searchStatusSchema.safeParse(answer)
  if (!parsed.success) throw unreadableAnswer(parsed.error)
  return parsed.data
}
