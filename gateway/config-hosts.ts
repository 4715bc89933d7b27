/**
 * Reads the `[[hosts]]` of a configuration, each alone: one that cannot be used is quarantined with a sentence that
 * says why and what to do, and the rest works (wire.md §7).
 */
import { readFileSync, statSync } from 'node:fs'
import { parseHostId } from '../protocol/host-id.ts'
import { firstComplaint } from '../protocol/machine-settings.ts'
import { isLoopbackName } from './access/origin.ts'
import { knownKeys, localHostSchema, runtimeHostSchema, sshHostSchema } from './config-schema.ts'
import { systemCode } from './refusal.ts'

export interface SshHostConfig {
  readonly kind: 'ssh'
  readonly id: string
  /** The id's remainder, decoded: an ssh_config alias or `user@host:port`. */
  readonly target: string
  readonly label: string
  /** Absolute; null means the user's own. */
  readonly configFile: string | null
  /** The system's `ssh` may be used in place of ssh2. */
  readonly client: 'ssh2' | 'openssh'
  /** What the far shell runs, as it is; null means an agent that is sent there, or `trawl-agent stdio`. */
  readonly agentCommand: string | null
  /** Whether the agent may be sent to the host. */
  readonly install: 'auto' | 'never'
  /** 0 switches it off; null leaves it to ssh_config. */
  readonly keepAliveSec: number | null
}

/** The gateway dials. */
export interface DialledRuntimeConfig {
  readonly kind: 'runtime-dialled'
  readonly id: string
  readonly environmentId: string
  readonly label: string
  /** `ws://` or `wss://`, without credentials. */
  readonly url: string
  readonly token: string
  /** Absolute; null where the token stands in the configuration itself. */
  readonly tokenFile: string | null
  /** The host's key (`sha256/…`); it is checked before the token is sent. */
  readonly pin?: string
}

/** The agent dials in. */
interface DialsInRuntimeConfig {
  readonly kind: 'runtime-dials-in'
  readonly id: string
  readonly environmentId: string
  readonly label: string
}

export type HostConfig = SshHostConfig | DialledRuntimeConfig | DialsInRuntimeConfig

export interface QuarantinedHost {
  /** The id as written where it has one; unique among all hosts, quarantined or not. */
  readonly id: string
  /** For the user and the log: may name files. */
  readonly reason: string
  /** Of its `[[hosts]]`, from 1; null where it could not be told. */
  readonly line: number | null
}

export interface HostsReading {
  readonly hosts: readonly HostConfig[]
  readonly quarantined: readonly QuarantinedHost[]
  /** The ids of both, as they stand in the file. */
  readonly hostOrder: readonly string[]
  readonly localLabel: string
  readonly warnings: readonly string[]
}

/** Where an entry stands, and what its values are read against. */
export interface HostsContext {
  /** The configuration file. */
  readonly file: string
  /** Whether users other than the owner may read that file. */
  readonly isOpenToOthers: boolean
  /** Makes `~` and relative paths absolute. */
  resolvePath(path: string): string
  warnUnknownKeys(where: string, table: object, known: readonly string[]): void
  warn(sentence: string): void
}

/** Its message is the reason of the quarantine, without the full stop. */
class Unusable extends Error {}

/** @param lines the line of each entry, or null where they could not be told. */
export function readHosts(
  entries: readonly unknown[],
  lines: readonly number[] | null,
  context: HostsContext,
): Omit<HostsReading, 'warnings'> {
  const hosts: HostConfig[] = []
  const quarantined: QuarantinedHost[] = []
  const hostOrder: string[] = []
  const takenIds = new Set(['local'])
  let localLabel = 'local'

  entries.forEach((entry, index) => {
    const line = lines?.[index] ?? null
    const place = `hosts[${index + 1}]`
    const id = idOf(entry) ?? place
    try {
      if (!isTable(entry)) throw new Unusable('It is not a table')
      if (parseHostId(id)?.kind === 'local') {
        localLabel = readLocalLabel(entry, context) ?? localLabel
        return
      }
      const host = readHost(entry, context)
      if (takenIds.has(host.id)) throw new Unusable('An earlier entry has this id already')
      takenIds.add(host.id)
      hosts.push(host)
      hostOrder.push(host.id)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      const aside = uniqueId(id, index, takenIds)
      quarantined.push({ id: aside, reason: `${error.message}.`, line })
      hostOrder.push(aside)
    }
  })
  return { hosts, quarantined, hostOrder, localLabel }
}

function readLocalLabel(entry: object, context: HostsContext): string | undefined {
  context.warnUnknownKeys('the host local', entry, knownKeys.local)
  const parsed = localHostSchema.safeParse(entry)
  if (parsed.success) return parsed.data.label
  context.warn(
    `The host local: ${firstComplaint(parsed.error)}. The entry is left out; local is searched all the same.`,
  )
  return undefined
}

function readHost(entry: Record<string, unknown>, context: HostsContext): HostConfig {
  const { id } = entry
  if (id === undefined) throw new Unusable('It has no id; write id = "ssh:…" or id = "runtime:…"')
  const parsed = typeof id === 'string' ? parseHostId(id) : null
  if (parsed?.kind === 'ssh') return readSshHost(entry, parsed.id, parsed.target, context)
  if (parsed?.kind === 'runtime') return readRuntimeHost(entry, parsed.id, parsed.environmentId, context)
  throw new Unusable(
    id === 'all'
      ? 'The word all is a search scope and cannot be a host'
      : 'id must be "ssh:<target>" or "runtime:<name>", percent-encoded',
  )
}

function readSshHost(
  entry: Record<string, unknown>,
  id: string,
  target: string,
  context: HostsContext,
): SshHostConfig {
  context.warnUnknownKeys(`the host ${id}`, entry, knownKeys.ssh)
  if (isTable(entry.ssh)) context.warnUnknownKeys(`ssh of the host ${id}`, entry.ssh, knownKeys.sshTable)
  if (target.startsWith('-') || /[\u0000-\u001f\u007f\s]/.test(target))
    throw new Unusable('The target may not start with a hyphen or hold spaces or control characters')
  const parsed = sshHostSchema.safeParse(entry)
  if (!parsed.success) throw new Unusable(firstComplaint(parsed.error))
  const { label, ssh } = parsed.data
  return {
    kind: 'ssh',
    id,
    target,
    label: label ?? target,
    configFile: ssh.configFile === undefined ? null : context.resolvePath(ssh.configFile),
    client: ssh.client,
    agentCommand: ssh.agentCommand ?? null,
    install: ssh.install,
    keepAliveSec: ssh.keepAliveSec ?? null,
  }
}

function readRuntimeHost(
  entry: Record<string, unknown>,
  id: string,
  environmentId: string,
  context: HostsContext,
): HostConfig {
  context.warnUnknownKeys(`the host ${id}`, entry, knownKeys.runtime)
  const parsed = runtimeHostSchema.safeParse(entry)
  if (!parsed.success) throw new Unusable(firstComplaint(parsed.error))
  const { label = environmentId, url, token, tokenFile, pin, dialsIn } = parsed.data
  if (token !== undefined && context.isOpenToOthers)
    throw new Unusable(
      `Its token stands in a file that others on this machine can read. Run: chmod 600 ${context.file}`,
    )
  if (dialsIn) {
    if (url !== undefined) throw new Unusable('It has both url and dialsIn = true; keep one')
    return { kind: 'runtime-dials-in', id, environmentId, label }
  }
  if (url === undefined) throw new Unusable('It needs url = "wss://…", or dialsIn = true')
  if (pin !== undefined && !/^wss:/i.test(url))
    throw new Unusable('It has a pin, which needs url = "wss://…"')
  if (token !== undefined && tokenFile !== undefined)
    throw new Unusable('It has both token and tokenFile; keep one')
  if (token === undefined && tokenFile === undefined)
    throw new Unusable(`It needs tokenFile = "…" with the token of that machine's agent`)
  const file = tokenFile === undefined ? null : context.resolvePath(tokenFile)
  return {
    kind: 'runtime-dialled',
    id,
    environmentId,
    label,
    url: readUrl(url, id, context),
    ...(pin === undefined ? {} : { pin }),
    token: token ?? readTokenFile(file ?? ''),
    tokenFile: file,
  }
}

function readUrl(url: string, id: string, context: HostsContext): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || (parsed.protocol !== 'ws:' && parsed.protocol !== 'wss:'))
    throw new Unusable('url must start with ws:// or wss://')
  if (parsed.username !== '' || parsed.password !== '' || parsed.searchParams.has('token'))
    throw new Unusable('url may hold no credentials; put the token into tokenFile')
  if (parsed.protocol === 'ws:' && !isLoopbackName(parsed.hostname))
    context.warn(`${id}: ws:// carries its token and its transcripts unencrypted; use wss:// where you can.`)
  return url
}

function readTokenFile(file: string): string {
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      throw new Unusable(`Others on this machine can read ${file}. Run: chmod 600 ${file}`)
    const token = readFileSync(file, 'utf8').trim()
    if (token === '' || /\s/.test(token)) throw new Unusable(`${file} must hold one token and nothing else`)
    return token
  } catch (error) {
    if (error instanceof Unusable) throw error
    const code = systemCode(error)
    throw new Unusable(code === 'ENOENT' ? `There is no file ${file}` : `${file} cannot be read (${code})`)
  }
}

function idOf(entry: unknown): string | null {
  if (!isTable(entry) || typeof entry.id !== 'string') return null
  const shown = entry.id
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 200)
  return shown === '' ? null : shown
}

function uniqueId(id: string, index: number, takenIds: Set<string>): string {
  const unique = takenIds.has(id) ? `${id} (hosts[${index + 1}])` : id
  takenIds.add(unique)
  return unique
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}
