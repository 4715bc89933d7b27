/**
 * Goes the whole way to an SSH host once, as the gateway would, and tells each step as it is done: for `trawl hosts add`
 * and `trawl hosts test`.
 */
import { lookup } from 'node:dns/promises'
import type { SshHostConfig } from '../config-hosts.ts'
import { type CheckStep, type CheckStepName, checkAgent, checkConnectMs, startSteps } from './check-agent.ts'
import { openSshHost, type SshHostOptions } from './ssh/open-ssh-host.ts'
import { type ConnectStage, unreachable } from './ssh/ssh-errors.ts'
import type { SshSettings } from './ssh/ssh-settings.ts'

export interface CheckOptions extends Pick<SshHostOptions, 'env' | 'homeDir' | 'clock' | 'bundle'> {
  readonly signal: AbortSignal
  createId(): string
  /** In order; a way through several servers has `connect`, `host key` and `login` for each. */
  onStep(step: CheckStep): void
}

const stepOfStage: Readonly<Record<ConnectStage, CheckStepName>> = {
  connecting: 'connect',
  greeting: 'host key',
  'logging in': 'login',
  'starting the agent': 'agent',
}

/** @throws CheckFailure; nothing is left open in any case. */
export async function checkSshHost(host: SshHostConfig, options: CheckOptions): Promise<void> {
  const { clock, signal, createId, onStep, ...desk } = options
  const steps = startSteps(clock, onStep)
  let pushedBytes = 0
  const { open, route } = openSshHost(host, {
    ...desk,
    clock,
    timeoutMs: checkConnectMs,
    onStage: (stage) => {
      steps.current = stepOfStage[stage]
    },
    onFound: steps.done,
    onPush: (bytes) => {
      pushedBytes = bytes
    },
  })
  try {
    steps.done('resolve', await resolveWay(await route()))
    steps.current = host.client === 'openssh' ? 'agent' : 'connect'
    const channel = await open(signal)
    await checkAgent(channel, { steps, clock, signal, createId, sayHow: () => sayHow(pushedBytes, host) })
  } catch (thrown) {
    throw steps.failure(thrown)
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

function sayHow(pushedBytes: number, { agentCommand, install }: SshHostConfig): string {
  if (agentCommand !== null) return ', by ssh.agentCommand'
  if (pushedBytes > 0) return `, just sent (${Math.round(pushedBytes / 1000)} kB)`
  return install === 'never' ? ', as installed there' : ''
}
