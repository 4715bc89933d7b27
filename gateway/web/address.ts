/**
 * What the page shows as its address says it, and back. No credential is ever part of it, so an address can be shared
 * with whoever may ask the same gateway.
 */
import { parseHostId } from '../../protocol/host-id.ts'
import { agentNamePattern } from '../../protocol/session-search/agent-name.ts'

export interface OpenSession {
  readonly executionHostId: string
  readonly agent: string
  readonly sessionId: string
}

export interface Address {
  readonly view: 'sessions' | 'hosts' | 'devices'
  readonly query: string
  /** Host ids; none for all of them. */
  readonly hosts: readonly string[]
  /** None for all of them. */
  readonly agents: readonly string[]
  readonly paths: readonly string[]
  readonly scope: 'conversation' | null
  /** `7d`, or a day as `2026-11-30`. */
  readonly since: string | null
  /** Several hosts are always ordered by time. */
  readonly sort: 'newest' | null
  readonly open: OpenSession | null
  /** The message of the open session that is looked at. */
  readonly at: number | null
}

export const emptyAddress: Address = {
  view: 'sessions',
  query: '',
  hosts: [],
  agents: [],
  paths: [],
  scope: null,
  since: null,
  sort: null,
  open: null,
  at: null,
}

/** `24h`, `7d`, or a day. */
export const sincePattern = /^(?:[1-9]\d{0,3}[hdw]|\d{4}-\d{2}-\d{2})$/

/** Reads the part behind the `?`. What makes no sense is left out: an address is never an error. */
export function readAddress(search: string): Address {
  const given = new URLSearchParams(search)
  const view = given.get('view')
  const since = given.get('since')
  const at = given.get('at')
  const open = readOpen(given.get('open'))
  return {
    view: view === 'hosts' || view === 'devices' ? view : 'sessions',
    query: given.get('q') ?? '',
    hosts: unique(given.getAll('host')).filter((id) => parseHostId(id)?.id === id),
    agents: unique(given.getAll('agent')).filter((name) => agentNamePattern.test(name)),
    paths: unique(given.getAll('path')).filter((path) => path.trim() !== ''),
    scope: given.get('scope') === 'conversation' ? 'conversation' : null,
    since: since !== null && sincePattern.test(since) ? since : null,
    sort: given.get('sort') === 'newest' ? 'newest' : null,
    open,
    at: open !== null && at !== null && /^\d{1,15}$/.test(at) ? Number(at) : null,
  }
}

/** @returns `?…`, or nothing where everything is as it is at first. */
export function writeAddress(address: Address): string {
  const params = new URLSearchParams()
  if (address.query !== '') params.set('q', address.query)
  for (const host of address.hosts) params.append('host', host)
  for (const agent of address.agents) params.append('agent', agent)
  for (const path of address.paths) params.append('path', path)
  if (address.scope !== null) params.set('scope', address.scope)
  if (address.since !== null) params.set('since', address.since)
  if (address.sort !== null) params.set('sort', address.sort)
  if (address.view !== 'sessions') params.set('view', address.view)
  if (address.open !== null) {
    const { executionHostId, agent, sessionId } = address.open
    params.set('open', [executionHostId, agent, sessionId].map(encode).join('/'))
    if (address.at !== null) params.set('at', String(address.at))
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

function readOpen(text: string | null): OpenSession | null {
  const [executionHostId = '', agent = '', sessionId = '', ...more] = (text ?? '').split('/').map(decode)
  const isWhole =
    parseHostId(executionHostId)?.id === executionHostId &&
    agentNamePattern.test(agent) &&
    sessionId !== '' &&
    more.length === 0
  return isWhole ? { executionHostId, agent, sessionId } : null
}

/** Half a character, which no address can hold, would throw. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
