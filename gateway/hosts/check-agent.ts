/** What the checks of every kind of host have in common: their steps, and the last two, which are the agent's. */

import type { Clock } from '../../protocol/clock.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { type HostDescription, hostDescriptionSchema } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type MessageChannel, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { searchResponseSchema } from '../../protocol/session-search/response.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'

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

/** Takes the time of each step, and knows which one is under way. */
export interface StepClock {
  /** The step that fails if something fails now. */
  current: CheckStepName
  done(name: CheckStepName, found: string): void
  failure(thrown: unknown): CheckFailure
}

export function startSteps(clock: Clock, onStep: (step: CheckStep) => void): StepClock {
  let startedMs = clock.monotonicMs()
  const steps: StepClock = {
    current: 'resolve',
    done(name, found) {
      const nowMs = clock.monotonicMs()
      onStep({ name, tookMs: nowMs - startedMs, found })
      startedMs = nowMs
    },
    failure: (thrown) =>
      new CheckFailure(steps.current, clock.monotonicMs() - startedMs, TrawlError.from(thrown)),
  }
  return steps
}

/** A person waits for this, and a first push over a slow link takes its time. */
export const checkConnectMs = 30_000
const checkCallMs = 30_000

export interface CheckAgentOptions {
  readonly steps: StepClock
  readonly clock: Clock
  readonly signal: AbortSignal
  createId(): string
  /** How the agent got to be there, as the end of a sentence. */
  sayHow(): string
}

/** The steps `agent` and `first query` over a channel that is open; it is closed in any case. */
export async function checkAgent(channel: MessageChannel, options: CheckAgentOptions): Promise<void> {
  const { steps, clock, signal, createId } = options
  const connection = openConnection(channel, {
    methods: new Map(),
    maxMessageBytes: maxPeerMessageBytes,
    createId,
    clock,
  })
  try {
    steps.current = 'agent'
    const description = await describe(connection, signal)
    steps.done('agent', `${sayAgent(description)}${options.sayHow()}`)
    steps.current = 'first query'
    const ask: AskAgent = async (method, params) =>
      await connection.call(method, params, { timeoutMs: checkCallMs, signal })
    steps.done('first query', await firstQuery(ask))
  } finally {
    await connection.close().catch(() => {})
  }
}

export type AskAgent = (method: string, params: object) => Promise<unknown>

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

function sayAgent(description: HostDescription | null): string {
  if (description === null) return 'an agent that does not say its version'
  return `trawl-agent ${description.version} on ${description.platform}`
}

/**
 * What the answer holds does not matter; that the index answers does.
 * @throws TrawlError what the host answered; `unreachable/protocol` for an answer that makes no sense.
 */
export async function firstQuery(ask: AskAgent): Promise<string> {
  const answer = searchResponseSchema.safeParse(
    await ask('aiVault.searchSessions', { query: 'hello', limit: 1 }).catch(orNoService),
  )
  if (!answer.success)
    throw new TrawlError('unreachable', 'Its answer was not understood.', { reason: 'protocol' })
  if (answer.data.kind === 'unavailable')
    return answer.data.reason === 'disabled'
      ? 'search is switched off there'
      : 'no sessions are searched there'
  const status = searchStatusSchema.safeParse(await ask('aiVault.searchStatus', {}))
  if (!status.success) return 'answered'
  const { filesIndexed, filesDue, phase } = status.data
  if (filesDue > 0 || phase === 'indexing')
    return `${filesIndexed} of ${filesIndexed + filesDue} transcripts indexed so far`
  return `${filesIndexed} transcripts indexed`
}

/** An agent without the method has no sessions to search, and is well. */
function orNoService(thrown: unknown): unknown {
  if (thrown instanceof TrawlError && thrown.code === 'method_not_found')
    return { kind: 'unavailable', reason: 'no-service' }
  throw thrown
}
