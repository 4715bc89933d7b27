/** The table of `trawl hosts`, and a sentence below it for each host that needs one. */
import type { HostEntry } from '../../protocol/rpc/describe.ts'
import { plainText } from '../words/plain-text.ts'
import { sayAgo, sayDuration } from '../words/say-time.ts'
import { alignColumns } from './text-columns.ts'
import type { TextMeasure } from './text-width.ts'

const header = ['host', 'state', 'reason', 'retry in', 'last seen', 'round trip', 'version']

/** Columns padded, with a header and the sentences. */
export function renderHostTable(hosts: readonly HostEntry[], nowMs: number, measure: TextMeasure): string {
  const lines = alignColumns([header, ...hosts.map((host) => cells(host, nowMs))], measure)
  for (const { executionHostId, detail } of hosts)
    if (detail !== undefined) lines.push(`${plainText(executionHostId)}: ${plainText(detail)}`)
  return `${lines.join('\n')}\n`
}

/** For a pipe: no header, tabs, and the sentence as the last column. */
export function renderHostLines(hosts: readonly HostEntry[], nowMs: number): string {
  return hosts.map((host) => `${[...cells(host, nowMs), plainText(host.detail ?? '')].join('\t')}\n`).join('')
}

function cells(host: HostEntry, nowMs: number): string[] {
  const { retryAt, lastSeenAt, roundTripMs, version } = host
  return [
    plainText(host.executionHostId),
    sayState(host),
    plainText(host.reason ?? '–'),
    retryAt === null ? '–' : sayDuration(Math.max(retryAt - nowMs, 0)),
    lastSeenAt === null ? 'never' : sayAgo(lastSeenAt, nowMs),
    roundTripMs === null ? '–' : sayDuration(roundTripMs),
    plainText(version ?? '–'),
  ]
}

/** A host that is not asked although its link is up, or whose link was tried in vain more than twice. */
function sayState({ state, breaker = 'closed' }: HostEntry): string {
  return breaker === 'closed' ? state : `${state}, breaker ${breaker}`
}
