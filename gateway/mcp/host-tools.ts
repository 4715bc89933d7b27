/** `list_hosts` and `index_status`: which machines there are, and how far their indexes are. */

import { hostListSchema } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { unreachableReasonSchema } from '../../protocol/session-search/response.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import { plainText } from '../words/plain-text.ts'
import { sayUnfinished } from '../words/say-unfinished.ts'
import { cutText, fittingItems } from './token-budget.ts'
import type { Answer, AskGateway } from './tool-answer.ts'
import type { IndexStatusOutput, ListHostsOutput } from './tool-schemas.ts'

const maxLabelUnits = 100
/** A part of the budget for what stands around the list, and for texts longer than their structure. */
const shareOfList = 0.6
/** More are not asked in one call. */
const mostAsked = 100

interface ToolCall {
  readonly ask: AskGateway
  readonly signal: AbortSignal
  readonly maxTokens: number
}

/** @throws TrawlError what the gateway answered. */
export async function listHostsTool({ ask, signal, maxTokens }: ToolCall): Promise<Answer> {
  const hosts = (await hostsOf(ask, signal)).map(
    ({ executionHostId, kind, label, state, reason, version, lastSeenAt }) => ({
      executionHostId,
      kind,
      label: cutText(label, maxLabelUnits),
      state,
      version,
      lastSeenAt: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
      ...(reason === undefined ? {} : { reason: cutText(reason, maxLabelUnits) }),
    }),
  )
  const listed = fittingItems(hosts, maxTokens * shareOfList)
  const structure: ListHostsOutput = { hosts: listed, hostsNotListed: hosts.length - listed.length }
  const lines = listed.map(
    ({ executionHostId, label, state, reason }) =>
      `${plainText(executionHostId)} (${plainText(label)}): ${state}${reason === undefined ? '' : `, ${plainText(reason)}`}`,
  )
  return { structure, text: [...lines, ...sayNotListed(structure.hostsNotListed)].join('\n') }
}

/** @throws TrawlError what the gateway answered, `unknown_host` among it. */
export async function indexStatusTool(executionHostId: string | undefined, call: ToolCall): Promise<Answer> {
  const ids =
    executionHostId === undefined
      ? (await hostsOf(call.ask, call.signal)).map((host) => host.executionHostId)
      : [executionHostId]
  const told = await Promise.all(ids.slice(0, mostAsked).map(async (id) => await statusOf(id, call)))
  const hosts = told.sort(
    (a, b) => Number(a.entry.outcome === 'results') - Number(b.entry.outcome === 'results'),
  )
  const listed = fittingItems(
    hosts.map(({ entry }) => entry),
    call.maxTokens * shareOfList,
  )
  const structure: IndexStatusOutput = {
    complete: ids.length === hosts.length && hosts.every(({ unfinished }) => unfinished === null),
    hosts: listed,
    hostsNotListed: ids.length - listed.length,
  }
  const lines = hosts.slice(0, listed.length).map(({ entry, unfinished }) => {
    const files = entry.status === undefined ? '' : ` ${entry.status.filesIndexed} files indexed.`
    return `${plainText(entry.executionHostId)}: ${unfinished ?? 'its index is current'}.${files}`
  })
  return { structure, text: [...lines, ...sayNotListed(structure.hostsNotListed)].join('\n') }
}

interface HostStatus {
  readonly entry: IndexStatusOutput['hosts'][number]
  /** The end of a sentence; null where the index is current. */
  readonly unfinished: string | null
}

async function statusOf(executionHostId: string, { ask, signal }: ToolCall): Promise<HostStatus> {
  try {
    const status = searchStatusSchema.parse(await ask('aiVault.searchStatus', { executionHostId }, signal))
    if (!status.enabled)
      return {
        entry: { executionHostId, outcome: 'unavailable', reason: 'no-service' },
        unfinished: 'it offers no session search',
      }
    const { enabled, phase, filesIndexed, filesDue, filesFailed, degradedRoots } = status
    return {
      entry: {
        executionHostId,
        outcome: 'results',
        status: { enabled, phase, filesIndexed, filesDue, filesFailed, degradedRoots: degradedRoots.length },
      },
      unfinished: sayUnfinished(status),
    }
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    if (!['unreachable', 'timeout'].includes(error.code)) throw error
    const reason = unreachableReasonSchema.catch('timeout').parse(error.details.reason)
    return {
      entry: { executionHostId, outcome: 'unreachable', reason },
      unfinished: `it did not answer (${reason})`,
    }
  }
}

async function hostsOf(ask: AskGateway, signal: AbortSignal) {
  return hostListSchema.parse(await ask('hosts.list', {}, signal)).hosts
}

function sayNotListed(count: number): string[] {
  return count === 0 ? [] : [`${count} more are not listed: call again with a larger maxTokens.`]
}
