/** Makes the hosts of a configuration: each gets the channel of its kind, and from there on all are the same. */
import pLimit, { type LimitFunction } from 'p-limit'
import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import type { GatewayConfig } from '../config.ts'
import type { HostConfig, SshHostConfig } from '../config-hosts.ts'
import type { HostKind, LinkReport } from './host.ts'
import type { KeptHost } from './kept-host.ts'
import { timedOut } from './link-loss.ts'
import { openLocalLink } from './local.ts'
import { connectTimeoutMs, type OpenLink, type TakeTurn } from './open-link.ts'
import { openRuntimeLink } from './runtime.ts'
import { DialInHost } from './runtime-dials-in.ts'
import { type AgentBundle, openAgentBundle } from './ssh/agent-bundle.ts'
import { untilAborted, withDeadline } from './ssh/deadline.ts'
import { openSshHost } from './ssh/open-ssh-host.ts'
import { SupervisedHost } from './supervise.ts'

/** A server's MaxStartups drops handshakes beyond a few: no more than this many at once to one server. */
export const maxHandshakesPerServer = 4

const olderAgentAdvice =
  'the trawl-agent there is of an older version and serves each connection with a process of its own: update it, or leave ssh.install = "never" out'

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

/** Makes hosts one at a time, none of them started; those of one server share its handshakes, whenever they came. */
export interface HostBuilder {
  local(): KeptHost
  build(host: HostConfig): KeptHost
}

export function createHostBuilder(options: HostsOptions): HostBuilder {
  const { config, clock, log, agentBundleFile } = options
  // Read and packed once, for all hosts.
  const bundle = agentBundleFile === undefined ? null : openAgentBundle(agentBundleFile)
  const limits = new Map<string, LimitFunction>()
  const supervise = (id: string, kind: HostKind, label: string, link: HostLink) =>
    new SupervisedHost({
      id,
      kind,
      label,
      ...link,
      clock,
      fairCallMs: config.legTimeoutMs,
      random: () => options.random(),
      createId: () => options.createId(),
      onChange: (report) => logChange(log, id, report),
    })

  return {
    local() {
      const open = openLocalLink({
        command: [...options.agentCommand, 'stdio', '--exposure', 'ipc'],
        env: options.env,
        clock,
        onDiagnostics: (text) => log.debug({ host: 'local', text: text.trimEnd() }, 'agent wrote'),
      })
      return supervise('local', 'local', config.localLabel, { open })
    },
    build(host) {
      const { id, label } = host
      if (host.kind === 'runtime-dials-in')
        return new DialInHost({
          id,
          label,
          clock,
          fairCallMs: config.legTimeoutMs,
          isDoorOpen: options.isAgentsDoorOpen,
          createId: () => options.createId(),
          onChange: (report) => logChange(log, id, report),
        })
      if (host.kind === 'ssh') return supervise(id, 'ssh', label, sshLink(host, { options, bundle, limits }))
      const { url, token, pin } = host
      const open = openRuntimeLink({ url, token, ...(pin === undefined ? {} : { pin }), clock })
      return supervise(id, 'runtime', label, { open })
    },
  }
}

interface HostLink {
  readonly open: OpenLink
  readonly takeTurn?: TakeTurn
}

interface SshDesk {
  readonly options: HostsOptions
  readonly bundle: AgentBundle | null
  readonly limits: Map<string, LimitFunction>
}

function sshLink(host: SshHostConfig, { options, bundle, limits }: SshDesk): HostLink {
  const { env, homeDir, clock, log } = options
  let isOlderAgentSaid = false
  const { open, firstServer } = openSshHost(host, {
    env,
    homeDir,
    clock,
    ...(bundle === null ? {} : { bundle }),
    onNote: (note) => log.debug({ host: host.id, note }, 'ssh'),
    onPush: (bytes) => log.info({ host: host.id, bytes }, 'the agent is not there yet and is sent'),
    onOlderAgent() {
      if (!isOlderAgentSaid) log.warn({ host: host.id }, olderAgentAdvice)
      isOlderAgentSaid = true
    },
  })
  return {
    open,
    async takeTurn(signal) {
      const server = await withDeadline(
        { clock, timeoutMs: connectTimeoutMs, signal, onExpired: timedOut },
        async (bounded) => await untilAborted(bounded, firstServer()),
      )
      const limit = limits.get(server) ?? pLimit(maxHandshakesPerServer)
      limits.set(server, limit)
      return await untilAborted(signal, turnOf(limit, signal))
    },
  }
}

/** Whoever has left when it would be its turn lets the next one go. */
function turnOf(limit: LimitFunction, signal: AbortSignal): Promise<() => void> {
  return new Promise((resolve) => {
    void limit(
      async () =>
        await new Promise<void>((end) => {
          if (signal.aborted) end()
          else resolve(end)
        }),
    )
  })
}

/** Reasons are fixed words; what may hold a path or a remote's text stays at debug level. */
function logChange(log: Logger, host: string, report: LinkReport): void {
  const { state, breaker, reason, roundTripMs, version, detail } = report
  const held = breaker === undefined ? {} : { breaker, reason }
  log.info({ host, state, ...(state === 'ready' ? { roundTripMs, version } : { reason }), ...held }, 'link')
  if (detail !== undefined) log.debug({ host, detail }, 'link')
}
