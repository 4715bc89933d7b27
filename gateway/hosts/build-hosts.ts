/** Makes the hosts of a configuration: each gets the channel of its kind, and from there on all are the same. */
import { hostname, userInfo } from 'node:os'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import type { GatewayConfig } from '../config.ts'
import type { HostConfig, SshHostConfig } from '../config-hosts.ts'
import type { Host, HostKind, LinkReport } from './host.ts'
import { openLocalLink } from './local.ts'
import type { OpenLink } from './open-link.ts'
import { quarantinedHost } from './quarantined.ts'
import { openRuntimeLink } from './runtime.ts'
import { planRoute } from './ssh/route.ts'
import { openSshLink } from './ssh/ssh-link.ts'
import { type ResolveSshSettings, settingsFromConfig } from './ssh/ssh-settings.ts'
import { parseSshTarget } from './ssh/target.ts'
import { SupervisedHost } from './supervise.ts'

/** A server's MaxStartups drops handshakes beyond a few: no more than this many at once to one server. */
export const maxHandshakesPerServer = 4
const sshConnectTimeoutMs = 10_000

export interface HostsOptions {
  readonly config: GatewayConfig
  readonly agentCommand: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly log: Logger
  readonly clock: Clock
  random(): number
  createId(): string
}

export interface BuiltHosts {
  /** Local first. Not started. */
  readonly supervised: readonly SupervisedHost[]
  readonly quarantined: readonly Host[]
}

export function buildHosts(options: HostsOptions): BuiltHosts {
  const { config, clock, log } = options
  const limits = new Map<string, LimitFunction>()
  const quarantined = config.quarantined.map(({ id, reason }) => quarantinedHost(id, reason))
  const supervise = (id: string, kind: HostKind, label: string, open: OpenLink) =>
    new SupervisedHost({
      id,
      kind,
      label,
      open,
      clock,
      random: () => options.random(),
      createId: () => options.createId(),
      onChange: (report) => logChange(log, id, report),
    })

  const local = openLocalLink({
    command: [...options.agentCommand, 'stdio', '--exposure', 'ipc'],
    env: options.env,
    clock,
    onDiagnostics: (text) => log.debug({ host: 'local', text: text.trimEnd() }, 'agent wrote'),
  })
  const supervised = [supervise('local', 'local', config.localLabel, local)]
  for (const host of config.hosts) {
    const open = openerOf(host, options, limits)
    if (open === null) quarantined.push(quarantinedHost(host.id, dialsInSentence))
    else supervised.push(supervise(host.id, host.kind === 'ssh' ? 'ssh' : 'runtime', host.label, open))
  }
  return { supervised, quarantined }
}

const dialsInSentence =
  'This version cannot take calls from an agent that dials in. Give the host a url and a token, and let trawl-agent listen there.'

/** @returns null for a host this version cannot reach. */
function openerOf(
  host: HostConfig,
  options: HostsOptions,
  limits: Map<string, LimitFunction>,
): OpenLink | null {
  switch (host.kind) {
    case 'ssh':
      return sshOpener(host, options, limits)
    case 'runtime-dialled':
      return openRuntimeLink({ url: host.url, token: host.token, clock: options.clock })
    case 'runtime-dials-in':
      return null
  }
}

function sshOpener(host: SshHostConfig, options: HostsOptions, limits: Map<string, LimitFunction>): OpenLink {
  const resolveSettings = withKeepAlive(
    settingsFromConfig({
      homeDir: options.homeDir,
      localUser: userInfo().username,
      localHostName: hostname(),
      variables: options.env,
      systemDir: '/etc/ssh',
      ...(host.configFile === null ? {} : { configFile: host.configFile }),
    }),
    host.keepAliveSec,
  )
  const open = openSshLink({
    target: host.target,
    ...(host.agentCommand === null ? {} : { agentCommand: host.agentCommand }),
    resolveSettings,
    clock: options.clock,
    timeoutMs: sshConnectTimeoutMs,
    onNote: (note) => options.log.debug({ host: host.id, note }, 'ssh'),
  })
  return async (signal) => {
    const [first] = await planRoute(parseSshTarget(host.target), resolveSettings)
    const server = `${first?.hostName}:${first?.port}`
    const limit = limits.get(server) ?? pLimit(maxHandshakesPerServer)
    limits.set(server, limit)
    return await limit(async () => {
      signal.throwIfAborted()
      return await open(signal)
    })
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

/** Reasons are fixed words; what may hold a path or a remote's text stays at debug level. */
function logChange(log: Logger, host: string, report: LinkReport): void {
  const { state, reason, roundTripMs, version, detail } = report
  log.info({ host, state, ...(state === 'ready' ? { roundTripMs, version } : { reason }) }, 'link')
  if (detail !== undefined) log.debug({ host, detail }, 'link')
}
