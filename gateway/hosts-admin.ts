/**
 * The hosts of a running gateway, as its configuration has them: what was added is taken up, what is gone is given up, and
 * what is as it was keeps its link. The gateway writes the file itself, so that one edit follows another and what the file
 * says and what is asked never differ.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../protocol/clock.ts'
import { parseHostId } from '../protocol/host-id.ts'
import type { HostAdded, HostAddRequest, HostRemoved } from '../protocol/rpc/describe.ts'
import { TrawlError } from '../protocol/rpc/errors.ts'
import type { GatewayConfig } from './config.ts'
import type { HostConfig, QuarantinedHost } from './config-hosts.ts'
import type { ConfigStore } from './config-store.ts'
import type { HostEntry } from './config-write.ts'
import type { HostBuilder } from './hosts/build-hosts.ts'
import type { Host } from './hosts/host.ts'
import type { KeptHost } from './hosts/kept-host.ts'
import { quarantinedHost } from './hosts/quarantined.ts'
import { createHostRegistry, type HostRegistry } from './hosts/registry.ts'
import { leavePairing } from './leave-pairing.ts'
import { Refusal } from './refusal.ts'
import { resolveHost } from './search/scope.ts'

export interface HostsAdminOptions {
  /** As it was read at the start. */
  readonly config: GatewayConfig
  /** Absent, the configuration cannot be written, and hosts are known for this run alone. */
  readonly store?: ConfigStore
  readonly builder: HostBuilder
  /** Whether agents can dial in here. */
  readonly isAgentsDoorOpen: boolean
  /** Ends the pairing of an agent that dials in. */
  revoke(executionHostId: string): Promise<void>
  readonly clock: Clock
  createId(): string
}

export interface HostsChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export interface HostsReload extends HostsChange {
  /** As it was read. */
  readonly config: GatewayConfig
}

export interface HostsAdmin extends AsyncDisposable {
  readonly registry: HostRegistry
  kept(): readonly KeptHost[]
  /** @throws TrawlError `invalid_input` with what is wrong with the entry. */
  add(entry: HostAddRequest['host']): Promise<HostAdded>
  /** A host that dials in, which need not be there yet. @throws TrawlError `invalid_input`. */
  expect(executionHostId: string, environmentId: string): Promise<void>
  /** @throws TrawlError `unknown_host`. */
  remove(executionHostId: string, signal: AbortSignal): Promise<HostRemoved>
  /** Tries a host now that would be tried later. Settles when it is known what came of it. @throws TrawlError `unknown_host`. */
  retry(executionHostId: string, signal: AbortSignal): Promise<Host>
  /** Reads the file again. @throws Refusal `configuration`, and then nothing has changed. */
  reload(): Promise<HostsReload>
}

interface Known {
  readonly config: HostConfig | QuarantinedHost
  /** Null for one that is set aside. */
  readonly host: KeptHost | null
}

/** Starts connecting to every host at once. */
export function createHostsAdmin(options: HostsAdminOptions): HostsAdmin {
  const { builder, store, clock } = options
  const registry = createHostRegistry([])
  const known = new Map<string, Known>()
  const local = builder.local()
  registry.add(local)
  local.start()
  for (const config of [...options.config.hosts, ...options.config.quarantined]) takeUp(config)
  registry.arrange(options.config.hostOrder)

  function takeUp(config: HostConfig | QuarantinedHost): void {
    const host = 'kind' in config ? builder.build(config) : null
    known.set(config.id, { config, host })
    registry.add(host ?? quarantinedHost(config.id, 'reason' in config ? config.reason : ''))
    host?.start()
  }

  async function giveUp({ config, host }: Known): Promise<void> {
    known.delete(config.id)
    registry.remove(config.id)
    await host?.retire()
  }

  /** What left is told of once its link is closed; what came is on its way. */
  async function follow(config: GatewayConfig): Promise<HostsChange> {
    const wanted = new Map([...config.hosts, ...config.quarantined].map((host) => [host.id, host]))
    const gone = [...known.values()].filter((old) => !isSame(old.config, wanted.get(old.config.id)))
    const closing = gone.map(giveUp)
    const isNew = ({ id }: { id: string }) => !known.has(id)
    const added = [...wanted.values()].filter(isNew)
    added.forEach(takeUp)
    registry.arrange(config.hostOrder)
    const left = gone.filter((old) => !known.has(old.config.id)).map((old) => old.config.id)
    await Promise.all([...closing, ...left.map(async (id) => await options.revoke(id))])
    return { added: added.map(({ id }) => id), removed: left }
  }

  function needStore(): ConfigStore {
    if (store !== undefined) return store
    throw new TrawlError('unsupported', 'This gateway cannot write its configuration')
  }

  return {
    registry,
    kept: () => [local, ...[...known.values()].flatMap(({ host }) => host ?? [])],
    async add(entry) {
      const { file, add } = needStore()
      const written = writtenAs(entry)
      await follow(orInvalid(() => add(written)))
      const isLocked = isDialIn(known.get(written.id)?.config) && !options.isAgentsDoorOpen
      return { executionHostId: written.id, file, ...(isLocked ? { note: noDoorYet } : {}) }
    },
    async expect(executionHostId, environmentId) {
      if (known.has(executionHostId)) return
      if (store === undefined)
        takeUp({ kind: 'runtime-dials-in', id: executionHostId, environmentId, label: environmentId })
      else await follow(orInvalid(() => store.add({ id: executionHostId, dialsIn: true })))
    },
    async remove(executionHostId, signal) {
      const { file, remove } = needStore()
      if (executionHostId === 'local')
        throw new TrawlError('invalid_input', 'local is this machine, and stays')
      if (!known.has(executionHostId)) await follow(needStore().load())
      if (!known.has(executionHostId))
        throw new TrawlError('unknown_host', `There is no host ${executionHostId}`)
      const { config, removed } = orInvalid(() => remove(executionHostId))
      await follow(config)
      const pairing = await leavePairing(removed, { file, clock, signal, createId: options.createId })
      return { executionHostId, file, pairing }
    },
    async retry(executionHostId, signal) {
      const host = resolveHost(executionHostId, registry)
      const kept = host === local ? local : known.get(host.id)?.host
      await kept?.retry(signal)
      return host
    },
    async reload() {
      const config = needStore().load()
      return { ...(await follow(config)), config }
    },
    async [Symbol.asyncDispose]() {
      const hosts = [local, ...[...known.values()].flatMap(({ host }) => host ?? [])]
      await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()))
    },
  }
}

const noDoorYet =
  'Its agent cannot dial in yet: this gateway was started without a door for agents. Start trawl serve again, and it opens one'

function isDialIn(host: HostConfig | QuarantinedHost | undefined): boolean {
  return host !== undefined && 'kind' in host && host.kind === 'runtime-dials-in'
}

/** The line of one that is set aside moves with whatever stands above it. */
function isSame(old: HostConfig | QuarantinedHost, now: HostConfig | QuarantinedHost | undefined): boolean {
  return now !== undefined && isDeepStrictEqual({ ...old, line: null }, { ...now, line: null })
}

/** `{ ssh: { client } }` as a person writes it: `ssh.client`. */
function writtenAs({ id: given, ...rest }: HostAddRequest['host']): HostEntry {
  const id = parseHostId(given)?.id ?? given
  const pairs = Object.entries(rest).flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([inner, text]) => [`${key}.${inner}`, text] as const)
      : [[key, value] as const],
  )
  return { id, ...Object.fromEntries(pairs) }
}

/** A sentence for the terminal is one for a program, too. */
function orInvalid<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) throw new TrawlError('invalid_input', error.message, {}, error)
    throw error
  }
}
