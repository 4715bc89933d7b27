/** Puts the gateway's rooms together: the hosts it keeps warm, and the methods one caller may use. */
import type { Logger } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import { parseHostId } from '../protocol/host-id.ts'
import { watchForWake } from '../protocol/link/wake-watch.ts'
import type { RpcMethod, RpcMethods } from '../protocol/rpc/dispatch.ts'
import { TrawlError } from '../protocol/rpc/errors.ts'
import { type MethodName, methodTable, parseParams } from '../protocol/rpc/methods.ts'
import type { Caller } from './access/caller.ts'
import type { Invitation, Invitations } from './access/invitations.ts'
import type { GatewayConfig } from './config.ts'
import { buildDialInHost, buildHosts } from './hosts/build-hosts.ts'
import { createHostRegistry, type HostRegistry } from './hosts/registry.ts'
import { type Arrival, DialInHost } from './hosts/runtime-dials-in.ts'
import { describeHost, listHosts } from './list-hosts.ts'
import { readSession } from './search/read-session.ts'
import { type SearchDesk, searchSessions, searchStatus } from './search/search-sessions.ts'

export interface GatewayOptions {
  readonly config: GatewayConfig
  readonly dataDir: string
  /** Program and arguments that start this machine's agent on its stdio. */
  readonly agentCommand: readonly string[]
  /** The agent as one file, for SSH hosts that do not have it. */
  readonly agentBundleFile?: string
  /** Offers for agents that dial in; present where a door is open for them. */
  readonly invitations?: Invitations
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly log: Logger
  readonly clock: Clock
  /** In [0, 1). */
  random(): number
  createId(): string
}

export interface Gateway extends AsyncDisposable {
  /** The method table bound to one authenticated caller. */
  methodsFor(caller: Caller): RpcMethods
  /**
   * An agent has dialled in; `welcome` is called before it is asked anything.
   * @returns false where there is no such host, or one that this gateway dials itself.
   */
  arrive(executionHostId: string, arrival: Arrival, welcome: () => void): boolean
  /** Settles once every host has finished its first attempt, or after `timeoutMs`. */
  settled(timeoutMs: number): Promise<void>
}

/** Starts connecting to every host at once; nothing here waits for any of them. */
export function createGateway(options: GatewayOptions): Gateway {
  const building = { ...options, isAgentsDoorOpen: options.invitations !== undefined }
  const { quarantined, kept: built } = buildHosts(building)
  const kept = [...built]
  const registry = createHostRegistry([...kept, ...quarantined])
  for (const host of kept) host.start()
  const stopWatching = watchForWake(options.clock, () => {
    for (const host of kept) host.wake()
  })
  const desk: SearchDesk = { registry, legTimeoutMs: options.config.legTimeoutMs, clock: options.clock }

  /** A host that nobody has heard of is one that dials in, from here on. */
  function invite(params: unknown): Invitation {
    const { executionHostId, url } = parseParams(methodTable['hosts.invite'].gateway, params)
    const { invitations } = options
    if (invitations === undefined) throw new TrawlError('unsupported', noAgentsDoor)
    const known = registry.get(executionHostId)
    if (known !== undefined && !(known instanceof DialInHost))
      throw new TrawlError('invalid_input', 'There is a host of that name already, and it does not dial in')
    const invitation = invitations.invite(executionHostId, url)
    if (known === undefined) {
      const host = buildDialInHost(executionHostId, environmentIdOf(executionHostId), building)
      kept.push(host)
      registry.add(host)
      host.start()
    }
    return invitation
  }

  return {
    methodsFor: (caller) => gatewayMethods(desk, registry, caller, invite),
    arrive(executionHostId, arrival, welcome) {
      const host = registry.get(executionHostId)
      if (!(host instanceof DialInHost)) return false
      welcome()
      host.arrive(arrival)
      return true
    },
    async settled(timeoutMs) {
      const { promise, cancel } = after(options.clock, timeoutMs)
      await Promise.race([promise, Promise.all(kept.map((host) => host.firstAttempt))])
      cancel()
    },
    async [Symbol.asyncDispose]() {
      stopWatching()
      await Promise.all(kept.map((host) => host[Symbol.asyncDispose]()))
    },
  }
}

const noAgentsDoor =
  'This gateway has no door for agents. Put agentsListen = "0.0.0.0:7719" into its configuration, and start trawl serve again'

function environmentIdOf(executionHostId: string): string {
  const parsed = parseHostId(executionHostId)
  return parsed?.kind === 'runtime' ? parsed.environmentId : executionHostId
}

function gatewayMethods(
  desk: SearchDesk,
  registry: HostRegistry,
  caller: Caller,
  invite: RpcMethod,
): RpcMethods {
  const { exposure } = caller
  const serve = (name: MethodName, method: RpcMethod): [MethodName, RpcMethod] => [name, method]
  return new Map([
    serve('aiVault.searchSessions', async (params, { signal, notify }) => {
      const request = parseParams(methodTable['aiVault.searchSessions'].gateway, params)
      return await searchSessions(desk, request, { exposure, signal, notify })
    }),
    serve('aiVault.searchStatus', async (params, { signal, notify }) => {
      const { executionHostId } = parseParams(methodTable['aiVault.searchStatus'].gateway, params)
      return await searchStatus(desk, executionHostId, { exposure, signal, notify })
    }),
    serve('aiVault.readSession', async (params, { signal }) => {
      const request = parseParams(methodTable['aiVault.readSession'].gateway, params)
      return await readSession(desk, request, signal)
    }),
    serve('hosts.list', () => listHosts(registry, exposure)),
    serve('hosts.invite', (params, context) => {
      if (exposure === 'relay') throw new TrawlError('forbidden')
      return invite(params, context)
    }),
    serve('host.describe', async (params, { signal }) => {
      const { executionHostId } = parseParams(methodTable['host.describe'].gateway, params)
      return await describeHost(registry, executionHostId, { signal, timeoutMs: desk.legTimeoutMs })
    }),
  ])
}

function after(clock: Clock, ms: number): { promise: Promise<void>; cancel: () => void } {
  let cancel = () => {}
  const promise = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  return { promise, cancel }
}
