/**
 * Goes the whole way to an SSH host once, as the gateway would, and tells each step as it is done: for `trawl hosts add`
 * and `trawl hosts test`.
 */
import { lookup } from 'node:dns/promises'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { type HostDescription, hostDescriptionSchema } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { searchResponseSchema } from '../../protocol/session-search/response.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import type { SshHostConfig } from '../config-hosts.ts'
import { openSshHost, type SshHostOptions } from './ssh/open-ssh-host.ts'
import { type ConnectStage, unreachable } from './ssh/ssh-errors.ts'
import type { SshSettings } from './ssh/ssh-settings.ts'

export type CheckStepName = 'resolve' | 'connect' | 'host key' | 'login' | 'agent' | 'first query'

export interface CheckStep {
  readonly name: CheckStepName
  readonly tookMs: number
  /** What was found; may hold paths and remote text. */
  readonly found: string
}

/** The step that failed, how long it took to, and why. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly step: CheckStepName
  readonly tookMs: number
  readonly error: TrawlError

  constructor(step: CheckStepName, tookMs: number, error: TrawlError) {
    super(error.message, { cause: error })
    this.step = step
    this.tookMs = tookMs
    this.error = error
  }
}

export interface CheckOptions extends Pick<SshHostOptions, 'env' | 'homeDir' | 'clock' | 'bundle'> {
  readonly signal: AbortSignal
  createId(): string
  /** In order; a way through several servers has `connect`, `host key` and `login` for each. */
  onStep(step: CheckStep): void
}

/** A person waits for this, and a first push over a slow link takes its time. */
const checkConnectMs = 30_000
const checkCallMs = 30_000

const stepOfStage: Readonly<Record<ConnectStage, CheckStepName>> = {
  connecting: 'connect',
  greeting: 'host key',
  'logging in': 'login',
  'starting the agent': 'agent',
}

/** @throws CheckFailure; nothing is left open in any case. */
export async function checkSshHost(host: SshHostConfig, options: CheckOptions): Promise<void> {
  const { clock, signal, createId, onStep, ...desk } = options
  let current: CheckStepName = 'resolve'
  let startedMs = clock.monotonicMs()
  let pushedBytes = 0
  const done = (name: CheckStepName, found: string) => {
    const nowMs = clock.monotonicMs()
    onStep({ name, tookMs: nowMs - startedMs, found })
    startedMs = nowMs
  }
  const { open, route } = openSshHost(host, {
    ...desk,
    clock,
    timeoutMs: checkConnectMs,
    onStage: (stage) => {
      current = stepOfStage[stage]
    },
    onFound: done,
    onPush: (bytes) => {
      pushedBytes = bytes
    },
  })
  try {
    done('resolve', await resolveWay(await route()))
    current = host.client === 'openssh' ? 'agent' : 'connect'
    const channel = await open(signal)
    const connection = openConnection(channel, {
      methods: new Map(),
      maxMessageBytes: maxPeerMessageBytes,
      createId,
      clock,
    })
    try {
      current = 'agent'
      const description = await describe(connection, signal)
      done('agent', sayAgent(description, pushedBytes, host))
      current = 'first query'
      done('first query', await query(connection, signal))
    } finally {
      await connection.close().catch(() => {})
    }
  } catch (thrown) {
    throw new CheckFailure(current, clock.monotonicMs() - startedMs, TrawlError.from(thrown))
  }
}

/** The first name on the way is looked up here; those behind it are the servers' own to know. */
async function resolveWay(route: readonly SshSettings[] | null): Promise<string> {
  if (route === null) return 'left to the system’s ssh'
  const [first] = route
  const last = route.at(-1)
  if (first === undefined || last === undefined) throw new Error('a route has at least one server')
  const places = route.map(({ user, hostName, port }) => `${user}@${hostName} port ${port}`)
  try {
    const { address } = await lookup(first.hostName, { family: first.addressFamily })
    const known = address === first.hostName ? '' : ` (${address})`
    return places.length === 1
      ? `${places[0]}${known}`
      : `${places.at(-1)} through ${places[0]}${known}${places
          .slice(1, -1)
          .map((place) => `, ${place}`)
          .join('')}`
  } catch (cause) {
    const sentence = `No address is known for the name ${first.hostName}. Check HostName, or the network.`
    throw unreachable('offline', sentence, cause)
  }
}

async function describe(connection: RpcConnection, signal: AbortSignal): Promise<HostDescription | null> {
  try {
    const answer = await connection.call('host.describe', {}, { timeoutMs: checkCallMs, signal })
    const parsed = hostDescriptionSchema.safeParse(answer)
    return parsed.success ? parsed.data : null
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    // An old agent is as good as any.
    if (error.code === 'method_not_found') return null
    throw error
  }
}

function sayAgent(description: HostDescription | null, pushedBytes: number, host: SshHostConfig): string {
  const who =
    description === null ? 'an agent that does not say its version' : `trawl-agent ${description.version}`
  const where = description === null ? '' : ` on ${description.platform}`
  const how =
    host.agentCommand !== null
      ? ', by ssh.agentCommand'
      : pushedBytes > 0
        ? `, just sent (${Math.round(pushedBytes / 1000)} kB)`
        : host.install === 'never'
          ? ', as installed there'
          : ''
  return `${who}${where}${how}`
}

/** What the answer holds does not matter; that the index answers does. */
async function query(connection: RpcConnection, signal: AbortSignal): Promise<string> {
  const call = { timeoutMs: checkCallMs, signal }
  const answer = searchResponseSchema.safeParse(
    await connection.call('aiVault.searchSessions', { query: 'hello', limit: 1 }, call),
  )
  if (!answer.success)
    throw new TrawlError('unreachable', 'Its answer was not understood.', { reason: 'protocol' })
  if (answer.data.kind === 'unavailable' && answer.data.reason === 'disabled')
    return 'search is switched off there'
  const status = searchStatusSchema.safeParse(await connection.call('aiVault.searchStatus', {}, call))
  if (!status.success) return 'answered'
  const { filesIndexed, filesDue, phase } = status.data
  if (filesDue > 0 || phase === 'indexing')
    return `${filesIndexed} of ${filesIndexed + filesDue} transcripts indexed so far`
  return `${filesIndexed} transcripts indexed`
}
