/** Asks every leg at once, each under its own deadline, and passes each on as it lands (wire.md §4). */
import { setMaxListeners } from 'node:events'
import { type ErrorCode, TrawlError } from '../../protocol/rpc/errors.ts'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import {
  type LegReport,
  type SearchResults,
  unreachableReasonSchema,
} from '../../protocol/session-search/response.ts'
import { type AskOptions, askHost } from './ask-host.ts'
import type { Leg } from './scope.ts'

/** A signal's listeners are a list that each new one walks: a thousand legs do not share one. */
const legsPerSignal = 32

export interface LandedLeg {
  readonly leg: Leg
  readonly report: LegReport
  /** Null for every outcome but `results`. */
  readonly results: SearchResults | null
}

/**
 * @param onLanded gets each leg's hits, once; they are not kept here.
 * @returns one report per leg, in the order of the legs; a leg's failure is its outcome, never the call's.
 * @throws TrawlError `cancelled` when the caller has left or cancelled: every leg still out has been told.
 */
export async function fanOut(
  legs: readonly Leg[],
  request: SearchRequest,
  options: AskOptions,
  onLanded: (landed: LandedLeg) => void,
): Promise<LegReport[]> {
  const { cursor: _merged, ...first } = request
  // Scores of different indexes cannot be compared, so every leg is asked for newest (contract).
  const shared: SearchRequest = { ...first, filters: { ...request.filters, sort: 'newest' } }
  const { signal } = options
  const cancels = Array.from({ length: Math.ceil(legs.length / legsPerSignal) }, () => new AbortController())
  const legSignals = cancels.map((cancel) => cancel.signal)
  for (const legSignal of legSignals) setMaxListeners(legsPerSignal, legSignal)
  const cancelAll = () => {
    for (const cancel of cancels) cancel.abort()
  }
  if (signal.aborted) throw new TrawlError('cancelled')
  signal.addEventListener('abort', cancelAll, { once: true })
  try {
    const reports = await Promise.all(
      legs.map(async (leg, at) => {
        const legSignal = legSignals[Math.floor(at / legsPerSignal)] ?? signal
        const landed = await askLeg(leg, shared, { ...options, signal: legSignal })
        if (!signal.aborted) onLanded(landed)
        return landed.report
      }),
    )
    if (signal.aborted) throw new TrawlError('cancelled')
    return reports
  } finally {
    signal.removeEventListener('abort', cancelAll)
  }
}

async function askLeg(leg: Leg, shared: SearchRequest, options: AskOptions): Promise<LandedLeg> {
  const startedMs = options.clock.monotonicMs()
  const finish = (
    outcome: Omit<LegReport, 'executionHostId' | 'durationMs'>,
    results: SearchResults | null,
  ) => ({
    leg,
    results,
    report: {
      executionHostId: leg.hostId,
      ...outcome,
      durationMs: Math.round(options.clock.monotonicMs() - startedMs),
    },
  })
  if (leg.host === null) return finish({ outcome: 'unreachable', reason: 'not-configured' }, null)
  const { breaker = 'closed' } = leg.host.report()
  try {
    const request = leg.cursor === undefined ? shared : { ...shared, cursor: leg.cursor }
    const { response, droppedHits } = await askHost(leg.host, request, options)
    if (response.kind === 'unavailable')
      return finish({ outcome: 'unavailable', reason: response.reason }, null)
    if (response.kind !== 'results') return finish({ outcome: response.kind }, null)
    const dropped = droppedHits === 0 ? {} : { droppedHits }
    return finish({ outcome: 'results', hits: response.hits.length, ...dropped }, response)
  } catch (thrown) {
    const reason = unreachableReason(TrawlError.from(thrown))
    const skipped = breaker === 'closed' ? {} : { skipped: true as const }
    return finish({ outcome: 'unreachable', reason, ...skipped }, null)
  }
}

const reasonOfCode: Partial<Record<ErrorCode, LegReport['reason']>> = {
  timeout: 'timeout',
  unauthorized: 'auth-failed',
  forbidden: 'auth-failed',
}

/** What was answered but makes no sense here is the protocol's fault, not the network's. */
function unreachableReason(error: TrawlError): NonNullable<LegReport['reason']> {
  const given = unreachableReasonSchema.safeParse(error.details.reason)
  if (error.code === 'unreachable' && given.success) return given.data
  return reasonOfCode[error.code] ?? 'protocol'
}
