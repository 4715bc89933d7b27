/** From an SSH host of the configuration to the function that opens its link. */
import { hostname, userInfo } from 'node:os'
import type { Clock } from '../../../protocol/clock.ts'
import type { SshHostConfig } from '../../config-hosts.ts'
import type { OpenLink } from '../open-link.ts'
import type { AgentBundle } from './agent-bundle.ts'
import { type AgentStart, type OpenStream, openAgentLink } from './agent-link.ts'
import type { FoundPart } from './connect.ts'
import { planRoute } from './route.ts'
import type { ConnectStage } from './ssh-errors.ts'
import { openSshLink } from './ssh-link.ts'
import { type ResolveSshSettings, type SshSettings, settingsFromConfig } from './ssh-settings.ts'
import { openSystemSshStream } from './system-ssh-stream.ts'
import { parseSshTarget } from './target.ts'

const sshConnectTimeoutMs = 10_000

export interface SshHostOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly clock: Clock
  /** What is pushed to hosts that do not forbid it; without one nothing is. */
  readonly bundle?: AgentBundle
  /** For connecting and logging in. */
  readonly timeoutMs?: number
  onNote?(note: string): void
  onStage?(stage: ConnectStage): void
  onFound?(part: FoundPart, what: string): void
  onPush?(bytes: number): void
  onOlderAgent?(): void
}

export interface SshHostOpening {
  readonly open: OpenLink
  /** The server that is connected to first, the same for all hosts that share it: its handshakes are limited. */
  firstServer(): Promise<string>
  /** The servers on the way, the host itself last; null where only the system's ssh knows them. */
  route(): Promise<readonly SshSettings[]> | null
}

export function openSshHost(host: SshHostConfig, options: SshHostOptions): SshHostOpening {
  const { bundle, timeoutMs = sshConnectTimeoutMs, ...rest } = options
  const resolveSettings = withKeepAlive(
    settingsFromConfig({
      homeDir: options.homeDir,
      localUser: userInfo().username,
      localHostName: hostname(),
      variables: options.env,
      systemDir: '/etc/ssh',
      // ssh looks for its files in the account's home, whatever HOME says.
      ...(options.homeDir === userInfo().homedir ? { sshProgram: 'ssh' } : {}),
      ...(host.configFile === null ? {} : { configFile: host.configFile }),
    }),
    host.keepAliveSec,
  )
  const start: AgentStart = {
    ...rest,
    target: host.target,
    ...(host.agentCommand === null ? {} : { agentCommand: host.agentCommand }),
    ...(bundle === undefined || host.install === 'never' ? {} : { bundle }),
  }
  // What ssh_config says of the way is that program's to read.
  if (host.client === 'openssh')
    return {
      open: openThroughSystem(host, start, options),
      firstServer: async () => parseSshTarget(host.target).host,
      route: () => null,
    }
  const lookUps = rememberOnce(resolveSettings)
  const route = async () => await planRoute(parseSshTarget(host.target), lookUps.look)
  return {
    open: openSshLink({ ...rest, ...start, resolveSettings: lookUps.take, timeoutMs }),
    async firstServer() {
      const [first] = await route()
      return `${first?.hostName}:${first?.port}`
    },
    route,
  }
}

function openThroughSystem(host: SshHostConfig, start: AgentStart, options: SshHostOptions): OpenLink {
  const { env, clock, timeoutMs = sshConnectTimeoutMs } = options
  const { target, keepAliveSec, configFile } = host
  const openStream: OpenStream = async (agentCommand, signal) =>
    await openSystemSshStream({
      target,
      agentCommand,
      env,
      clock,
      timeoutMs,
      signal,
      keepAliveSec,
      ...(configFile === null ? {} : { configFile }),
    })
  return async (signal) => await openAgentLink(openStream, { ...start, connectingMs: timeoutMs }, signal)
}

/**
 * Whoever asks for the way opens the link next: what was looked up for the one serves the other, once, so that a command
 * of `Match exec` runs once for an attempt.
 */
function rememberOnce(resolve: ResolveSshSettings): { look: ResolveSshSettings; take: ResolveSshSettings } {
  const known = new Map<string, SshSettings>()
  return {
    async look(target) {
      const settings = await resolve(target)
      known.set(target.text, settings)
      return settings
    },
    async take(target) {
      const settings = known.get(target.text)
      known.delete(target.text)
      return settings ?? (await resolve(target))
    },
  }
}

/** The host's own `ssh.keepAliveSec` goes before what ssh_config says. */
function withKeepAlive(resolve: ResolveSshSettings, keepAliveSec: number | null): ResolveSshSettings {
  if (keepAliveSec === null) return resolve
  return async (target) => {
    const settings = await resolve(target)
    return { ...settings, keepAlive: { ...settings.keepAlive, intervalMs: keepAliveSec * 1000 } }
  }
}
