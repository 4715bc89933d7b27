/**
 * `host:` of the search box, read where the hosts are known: it narrows whom a search asks, and is taken out of what
 * they are asked. It never widens: whoever addresses one host gets that host or nothing.
 */
import { parseHostId } from '../../protocol/host-id.ts'
import type { QueryReading } from '../../protocol/session-search/query-reading.ts'
import {
  type OperatorPart,
  readQuerySyntax,
  withoutParts,
} from '../../protocol/session-search/query-syntax.ts'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import type { SearchDebug, SearchResults } from '../../protocol/session-search/response.ts'
import type { Host } from '../hosts/host.ts'
import type { HostRegistry } from '../hosts/registry.ts'
import type { Leg, ResolvedScope } from './scope.ts'

export interface HostChoice {
  /** The text for the hosts. Where `host:` is all of it, it is left as it is: hosts list their sessions then. */
  readonly query: string
  selects(host: { readonly id: string; readonly label?: string }): boolean
  /** Values that name no host of this gateway; they are reported as legs that could not be asked. */
  readonly unknown: readonly string[]
  /** For `debug`. */
  readonly operators: QueryReading['operators']
}

/** @param query as the caller sent it, however long. */
export function readHostOperator(query: string, registry: HostRegistry): HostChoice {
  const parts = /host:/i.test(query) ? readQuerySyntax(query).filter(isHostOperator) : []
  const rest = withoutParts(query, parts)
  const any = parts.filter(({ negative }) => !negative)
  const none = parts.filter(({ negative }) => negative)
  const known = (part: OperatorPart) => registry.all().filter((host) => names(part.value, host))
  return {
    query: parts.length === 0 || rest.trim() === '' ? query : rest,
    selects: (host) =>
      (any.length === 0 || any.some(({ value }) => names(value, host))) &&
      !none.some(({ value }) => names(value, host)),
    unknown: [...new Set(any.filter((part) => known(part).length === 0).map(({ value }) => value))],
    operators: parts.map((part) => ({
      name: 'host',
      value: part.value,
      negative: part.negative,
      means: meaningOf(part, known(part)),
    })),
  }
}

/**
 * One host that is not chosen becomes no host; of all, those that are not chosen are not asked. A merged cursor that holds
 * a host not chosen comes from another query, so it is malformed [cursor.one-query].
 */
export function narrowScope(
  scope: ResolvedScope,
  choice: HostChoice,
  isFollowUp: boolean,
): ResolvedScope | { readonly kind: 'none' } {
  if (scope.kind === 'malformed-cursor') return scope
  if (scope.kind === 'one') return choice.selects(scope.host) ? scope : { kind: 'none' }
  const legs = scope.legs.filter((leg) => choice.selects(leg.host ?? { id: leg.hostId }))
  if (isFollowUp) return legs.length === scope.legs.length ? scope : { kind: 'malformed-cursor' }
  const unknown = choice.unknown.map((hostId): Leg => ({ hostId, host: null, cursor: undefined }))
  return { kind: 'all', legs: [...legs, ...unknown] }
}

/** The answer of a host that was addressed and not chosen: nobody was asked, so no index stands behind it. */
export function answerOfNoHost(request: SearchRequest, choice: HostChoice): SearchResults {
  const route = 'none'
  const reading = {
    words: [],
    phrases: [],
    prefixes: [],
    common: [],
    without: [],
    operators: choice.operators,
    asText: [{ text: choice.query, because: 'no host was asked, so it was not read' }],
    repairs: [],
    literal: false,
    tier: 'none' as const,
  }
  return {
    kind: 'results',
    hits: [],
    page: { cursor: null, hasMore: false },
    generation: 0,
    truncated: { candidates: false, snippets: 0, query: false, freshness: false },
    durationMs: 0,
    ...(request.debug === true
      ? { debug: { route, plannerReport: { route, scope: request.scope ?? 'all' }, reading } }
      : {}),
  }
}

/** What the gateway made of `host:`, beside what the host made of the rest. */
export function withHostOperators(debug: SearchDebug, { operators }: HostChoice): SearchDebug {
  const { reading } = debug
  if (reading === undefined || operators.length === 0) return debug
  const others = reading.operators.filter(({ name }) => name !== 'host')
  return { ...debug, reading: { ...reading, operators: [...operators, ...others] } }
}

function isHostOperator(part: ReturnType<typeof readQuerySyntax>[number]): part is OperatorPart {
  return part.kind === 'operator' && part.name === 'host'
}

/** By its id, by what stands behind the colon of it, or by its label; `all` names every host. */
function names(value: string, host: { readonly id: string; readonly label?: string }): boolean {
  const wanted = folded(value)
  if (wanted === 'all') return true
  return [host.id, targetOf(host.id), host.label].some(
    (name) => name !== undefined && folded(name) === wanted,
  )
}

function targetOf(id: string): string | undefined {
  const host = parseHostId(id)
  if (host?.kind === 'ssh') return host.target
  return host?.kind === 'runtime' ? host.environmentId : undefined
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function meaningOf({ negative }: OperatorPart, hosts: readonly Host[]): string {
  if (hosts.length === 0) return 'no host of this gateway is called so'
  return `${negative ? 'hosts but ' : 'only '}${hosts.map(({ id }) => id).join(', ')}`
}
