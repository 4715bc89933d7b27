/**
 * The settings of one SSH host, as ssh_config and its target give them: as the system's own ssh understands it where it
 * may be asked, else read here.
 */
import { join } from 'node:path'
import { type ConfigFile, evaluateSshConfig, type SshDirectives } from './config-file.ts'
import { expandPath, expandTokens, type PathExpansion } from './expand-tokens.ts'
import {
  type KeepAlive,
  readKeepAlive,
  readPort,
  readSeconds,
  readYes,
  requireFollowable,
} from './setting-values.ts'
import { unreachable } from './ssh-errors.ts'
import { askSystemSsh } from './system-ssh-config.ts'
import type { SshTarget } from './target.ts'

export interface SshEnvironment {
  readonly homeDir: string
  readonly localUser: string
  readonly localHostName: string
  /** Environment variables, for `${VAR}` and SSH_AUTH_SOCK. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Read instead of `~/.ssh/config` and the system's file, and then it must exist (as `ssh -F`). */
  readonly configFile?: string
  /** The system's ssh, where it may be asked (`ssh -G`); absent, the files are read here and no command is run. */
  readonly sshProgram?: string
  /** Where the system's ssh_config and ssh_known_hosts lie; `/etc/ssh` on most. */
  readonly systemDir: string
}

/** What to do with a server whose key is in no known_hosts file. A changed or revoked key is refused under each. */
type HostKeyPolicy = 'refuse-new' | 'accept-new' | 'accept-any'

export interface IdentityFile {
  readonly path: string
  /** A default name, which nobody misses when it is absent. */
  readonly isDefault: boolean
}

export interface SshSettings {
  readonly target: SshTarget
  readonly hostName: string
  readonly port: number
  readonly user: string
  readonly hostKeyAlias: string | null
  readonly hostKeyPolicy: HostKeyPolicy
  /** Whether a person may let a new server in (`ask`, the default; not `yes`). */
  readonly mayAskForNew: boolean
  readonly userKnownHostsFiles: readonly string[]
  readonly globalKnownHostsFiles: readonly string[]
  readonly hashKnownHosts: boolean
  readonly identityFiles: readonly IdentityFile[]
  readonly identitiesOnly: boolean
  /** The agent's socket, or null for none. */
  readonly agentSocket: string | null
  /** Bounds the way to a server's greeting; null where only the caller's deadline counts. */
  readonly connectTimeoutMs: number | null
  readonly keepAlive: KeepAlive
  readonly addressFamily: 0 | 4 | 6
  /** Hops on the way, first one first, as ProxyJump writes them. */
  readonly proxyJump: readonly string[]
  /** What stood in the configuration and was not followed; for the log. */
  readonly notes: readonly string[]
}

/** @throws TrawlError `unreachable` / `not-configured` where the settings cannot be made out or cannot be kept. */
export type ResolveSshSettings = (target: SshTarget) => Promise<SshSettings>

/** Settings from ssh_config, looked up anew for every connection so that an edit counts at the next attempt. */
export function settingsFromConfig(environment: SshEnvironment): ResolveSshSettings {
  return async (target) => {
    const directives = await lookUp(target, environment)
    requireFollowable(directives, target.text)
    return toSettings(target, directives, environment)
  }
}

async function lookUp(target: SshTarget, environment: SshEnvironment): Promise<SshDirectives> {
  const files = configFiles(environment)
  const reading = evaluateSshConfig(files, {
    alias: target.host,
    user: target.user,
    localUser: environment.localUser,
    homeDir: environment.homeDir,
  })
  const { sshProgram: program, configFile, variables } = environment
  const [own] = files
  if (program === undefined || own === undefined) return await reading
  // What is no error to ssh shall be none here; what is one to ssh, too, is told by the reading below.
  const read = await reading.catch(() => null)
  const asked = await askSystemSsh(
    { program, target, variables, configFile: { path: own.path, isNamed: configFile !== undefined } },
    read,
  )
  if (asked?.kind === 'directives') return asked.directives
  const directives = await reading
  return asked === null
    ? directives
    : {
        get: (name) => directives.get(name),
        all: (name) => directives.all(name),
        notes: [...directives.notes, asked.why],
      }
}

function configFiles({ configFile, homeDir, systemDir }: SshEnvironment): readonly ConfigFile[] {
  const includeDir = join(homeDir, '.ssh')
  if (configFile !== undefined) return [{ path: configFile, includeDir, isRequired: true }]
  return [
    { path: join(includeDir, 'config'), includeDir, isRequired: false },
    { path: join(systemDir, 'ssh_config'), includeDir: systemDir, isRequired: false },
  ]
}

function toSettings(target: SshTarget, directives: SshDirectives, environment: SshEnvironment): SshSettings {
  const first = (name: string) => directives.get(name)?.[0] ?? null
  const hostName = expandTokens(
    first('hostname') ?? '%h',
    { h: target.host, '%': '%' },
    'HostName',
  ).toLowerCase()
  const port = target.port ?? readPort(first('port')) ?? 22
  const user = target.user ?? first('user') ?? environment.localUser
  const hostKeyAlias = first('hostkeyalias')?.toLowerCase() ?? null
  const expansion: PathExpansion = {
    homeDir: environment.homeDir,
    variables: environment.variables,
    tokens: {
      '%': '%',
      d: environment.homeDir,
      h: hostName,
      k: hostKeyAlias ?? hostName,
      L: environment.localHostName.split('.')[0] ?? '',
      l: environment.localHostName,
      n: target.host,
      p: String(port),
      r: user,
      u: environment.localUser,
    },
  }
  const sshDir = join(environment.homeDir, '.ssh')
  return {
    target,
    hostName,
    port,
    user,
    hostKeyAlias,
    hostKeyPolicy: readPolicy(first('stricthostkeychecking')),
    mayAskForNew: (first('stricthostkeychecking') ?? 'ask').toLowerCase() === 'ask',
    userKnownHostsFiles: readFiles(directives, 'UserKnownHostsFile', expansion, [
      join(sshDir, 'known_hosts'),
      join(sshDir, 'known_hosts2'),
    ]),
    globalKnownHostsFiles: readFiles(directives, 'GlobalKnownHostsFile', expansion, [
      join(environment.systemDir, 'ssh_known_hosts'),
      join(environment.systemDir, 'ssh_known_hosts2'),
    ]),
    hashKnownHosts: readYes(first('hashknownhosts')),
    identityFiles: readIdentityFiles(directives, expansion),
    identitiesOnly: readYes(first('identitiesonly')),
    agentSocket: readAgentSocket(first('identityagent'), expansion),
    connectTimeoutMs: readSeconds(first('connecttimeout'), 'ConnectTimeout'),
    keepAlive: readKeepAlive(first('serveraliveinterval'), first('serveralivecountmax')),
    addressFamily: readFamily(first('addressfamily')),
    proxyJump: readJumps(first('proxyjump')),
    notes: directives.notes,
  }
}

function readPolicy(value: string | null): HostKeyPolicy {
  switch (value?.toLowerCase()) {
    case 'accept-new':
      return 'accept-new'
    case 'no':
    case 'off':
    case 'false':
      return 'accept-any'
    default:
      // `ask` has nobody to ask, and a word that is not known must not open the door.
      return 'refuse-new'
  }
}

function readFiles(
  directives: SshDirectives,
  name: string,
  expansion: PathExpansion,
  defaults: readonly string[],
): readonly string[] {
  const values = directives.get(name.toLowerCase())
  if (values === null) return defaults
  return values
    .filter((value) => value.toLowerCase() !== 'none')
    .map((value) => expandPath(value, expansion, name))
}

function readIdentityFiles(directives: SshDirectives, expansion: PathExpansion): readonly IdentityFile[] {
  const named = directives.all('identityfile')
  if (named.length === 0) {
    const defaults = ['id_rsa', 'id_ecdsa', 'id_ed25519']
    return defaults.map((name) => ({ path: join(expansion.homeDir, '.ssh', name), isDefault: true }))
  }
  return named
    .filter((value) => value.toLowerCase() !== 'none')
    .map((value) => ({ path: expandPath(value, expansion, 'IdentityFile'), isDefault: false }))
}

function readAgentSocket(value: string | null, expansion: PathExpansion): string | null {
  const { variables } = expansion
  if (value === null || value === 'SSH_AUTH_SOCK') return variables.SSH_AUTH_SOCK || null
  if (value.toLowerCase() === 'none') return null
  if (/^\$\w+$/.test(value)) return variables[value.slice(1)] || null
  return expandPath(value, expansion, 'IdentityAgent')
}

function readFamily(value: string | null): 0 | 4 | 6 {
  if (value?.toLowerCase() === 'inet') return 4
  return value?.toLowerCase() === 'inet6' ? 6 : 0
}

function readJumps(value: string | null): readonly string[] {
  if (value === null || value.toLowerCase() === 'none') return []
  const jumps = value.split(',').map((jump) => jump.trim())
  if (jumps.includes('')) throw unreachable('not-configured', `ProxyJump ${value} names an empty host.`)
  return jumps
}
