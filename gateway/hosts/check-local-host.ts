/** Starts this machine's agent once, as the gateway would, and asks it; for `trawl hosts test local`. */
import type { Clock } from '../../protocol/clock.ts'
import { type CheckStep, checkAgent, checkConnectMs, startSteps } from './check-agent.ts'
import { openLocalLink } from './local.ts'
import { withDeadline } from './ssh/deadline.ts'
import { unreachable } from './ssh/ssh-errors.ts'

export interface CheckLocalOptions {
  /** Program and arguments that start the agent. */
  readonly agentCommand: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly signal: AbortSignal
  createId(): string
  /** In order: `agent`, `first query`. */
  onStep(step: CheckStep): void
}

/** @throws CheckFailure; nothing is left running in any case. */
export async function checkLocalHost(options: CheckLocalOptions): Promise<void> {
  const { clock, signal, createId } = options
  const steps = startSteps(clock, options.onStep)
  steps.current = 'agent'
  const command = [...options.agentCommand, 'stdio', '--exposure', 'ipc']
  const onExpired = () => unreachable('timeout', 'The agent was started and did not get ready in time.')
  try {
    const open = openLocalLink({ command, env: options.env, clock })
    const channel = await withDeadline({ clock, timeoutMs: checkConnectMs, signal, onExpired }, open)
    await checkAgent(channel, { steps, clock, signal, createId, sayHow: () => '' })
  } catch (thrown) {
    throw steps.failure(thrown)
  }
}
