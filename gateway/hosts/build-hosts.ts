/** Makes the hosts of a configuration: each gets the channel of its kind, and from there on all are the same. */
import pLimit, { type LimitFunction } from 'p-limit'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import type { GatewayConfig } from '../config.ts'
import type { HostConfig, SshHostConfig } from '../config-hosts.ts'
import type { Host, HostKind, LinkReport } from './host.ts'
import type { KeptHost } from './kept-host.ts'
import { openLocalLink } from './local.ts'
import type { OpenLink } from './open-link.ts'
import { quarantinedHost } from './quarantined.ts'
import { openRuntimeLink } from './runtime.ts'
import { DialInHost } from './runtime-dials-in.ts'
import { type AgentBundle, openAgentBundle } from './ssh/agent-bundle.ts'
import { openSshHost } from './ssh/open-ssh-host.ts'
import { SupervisedHost } from './supervise.ts'

/** A server's MaxStartups drops handshakes beyond a few: no more than this many at once to one server. */
export const maxHandshakesPerServer = 4

export interface HostsOptions {
  readonly config: GatewayConfig
  readonly agentCommand: readonly string[]
  /** The agent as one file, for SSH hosts that do not have it; absent, they must. */
  readonly agentBundleFile?: string
  /** Whether agents can dial in here. */
  readonly isAgentsDoorOpen: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly log: Logger
  readonly clock: Clock
  random(): number
  createId(): string
}

/** One bundle for all hosts: read and packed once. */
type BuildOptions = HostsOptions & { readonly bundle: AgentBundle | null }

export interface BuiltHosts {
  /** Local first. Not started. */
  readonly kept: readonly KeptHost[]
  readonly quarantined: readonly Host[]
}

export function buildHosts(given: HostsOptions): BuiltHosts {
  const { agentBundleFile: file } = given
  const options = { ...given, bundle: file === undefined ? null : openAgentBundle(file) }
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
      fairCallMs: config.legTimeoutMs,
      random: () => given.random(),
      createId: () => given.createId(),
      onChange: (report) => logChange(log, id, report),
    })

  const local = openLocalLink({
    command: [...options.agentCommand, 'stdio', '--exposure', 'ipc'],
    env: options.env,
    clock,
    onDiagnostics: (text) => log.debug({ host: 'local', text: text.trimEnd() }, 'agent wrote'),
  })
  const kept: KeptHost[] = [supervise('local', 'local', config.localLabel, local)]
  for (const host of config.hosts) {
    if (host.kind === 'runtime-dials-in') kept.push(buildDialInHost(host.id, host.label, given))
    else {
      const kind = host.kind === 'ssh' ? 'ssh' : 'runtime'
      kept.push(supervise(host.id, kind, host.label, openerOf(host, options, limits)))
    }
  }
  return { kept, quarantined }
}

/** Not started. Also for a host that is invited while the gateway runs. */
export function buildDialInHost(
  id: string,
  label: string,
  options: Pick<HostsOptions, 'config' | 'clock' | 'createId' | 'log' | 'isAgentsDoorOpen'>,
): DialInHost {
  return new DialInHost({
    id,
    label,
    clock: options.clock,
    fairCallMs: options.config.legTimeoutMs,
    isDoorOpen: options.isAgentsDoorOpen,
    createId: () => options.createId(),
    onChange: (report) => logChange(options.log, id, report),
  })
}

function openerOf(
  host: Exclude<HostConfig, { kind: 'runtime-dials-in' }>,
  options: BuildOptions,
  limits: Map<string, LimitFunction>,
): OpenLink {
  if (host.kind === 'ssh') return sshOpener(host, options, limits)
  const { url, token, pin } = host
  return openRuntimeLink({ url, token, ...(pin === undefined ? {} : { pin }), clock: options.clock })
}

function sshOpener(host: SshHostConfig, options: BuildOptions, limits: Map<string, LimitFunction>): OpenLink {
  const { bundle, env, homeDir, clock, log } = options
  const { open, firstServer } = openSshHost(host, {
    env,
    homeDir,
    clock,
    ...(bundle === null ? {} : { bundle }),
    onNote: (note) => log.debug({ host: host.id, note }, 'ssh'),
    onPush: (bytes) => log.info({ host: host.id, bytes }, 'the agent is not there yet and is sent'),
  })
  return async (signal) => {
    const server = await firstServer()
    const limit = limits.get(server) ?? pLimit(maxHandshakesPerServer)
    limits.set(server, limit)
    return await limit(async () => {
      signal.throwIfAborted()
      return await open(signal)
    })
  }
}

/** Reasons are fixed words; what may hold a path or a remote's text stays at debug level. */
function logChange(log: Logger, host: string, report: LinkReport): void {
  const { state, breaker, reason, roundTripMs, version, detail } = report
  const held = breaker === undefined ? {} : { breaker, reason }
  log.info({ host, state, ...(state === 'ready' ? { roundTripMs, version } : { reason }), ...held }, 'link')
  if (detail !== undefined) log.debug({ host, detail }, 'link')
}
