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
import { guarded } from './access/rights.ts'
import { withShownErrors } from './access/shown-errors.ts'
import type { GatewayConfig } from './config.ts'
import type { ConfigStore } from './config-store.ts'
import { type DeviceDesk, deviceMethods } from './device-methods.ts'
import { createHostBuilder } from './hosts/build-hosts.ts'
import { type Arrival, DialInHost } from './hosts/runtime-dials-in.ts'
import { createHostsAdmin, type HostsAdmin, type HostsReload } from './hosts-admin.ts'
import { describeCaller, describeHost, entryOf, listHosts } from './list-hosts.ts'
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
  /** Where hosts that come and go are written down; absent, `hosts.add` and `hosts.remove` are not offered. */
  readonly configStore?: ConfigStore
  /** The paired clients; absent, `devices.*` is not offered. */
  readonly devices?: DeviceDesk
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
  /** Reads the hosts of the configuration again. @throws Refusal `configuration`, and then nothing has changed. */
  reloadHosts(): Promise<HostsReload>
  /** Settles once every host has finished its first attempt, or after `timeoutMs`. */
  settled(timeoutMs: number): Promise<void>
}

/** Starts connecting to every host at once; nothing here waits for any of them. */
export function createGateway(options: GatewayOptions): Gateway {
  const { clock, invitations, configStore } = options
  const isAgentsDoorOpen = invitations !== undefined
  const hosts = createHostsAdmin({
    config: options.config,
    ...(configStore === undefined ? {} : { store: configStore }),
    builder: createHostBuilder({ ...options, isAgentsDoorOpen }),
    isAgentsDoorOpen,
    revoke: async (executionHostId) => await invitations?.revoke(executionHostId),
    clock,
    createId: () => options.createId(),
  })
  const { registry } = hosts
  const stopWatching = watchForWake(clock, () => {
    for (const host of hosts.kept()) host.wake()
  })
  const desk: SearchDesk = { registry, legTimeoutMs: options.config.legTimeoutMs, clock }

  /** A host that nobody has heard of is one that dials in, from here on. */
  async function invite(params: unknown): Promise<Invitation> {
    const { executionHostId, url } = parseParams(methodTable['hosts.invite'].gateway, params)
    if (invitations === undefined) throw new TrawlError('unsupported', noAgentsDoor)
    const known = registry.get(executionHostId)
    if (known !== undefined && !(known instanceof DialInHost))
      throw new TrawlError('invalid_input', 'There is a host of that name already, and it does not dial in')
    const invitation = invitations.invite(executionHostId, url)
    await hosts.expect(executionHostId, environmentIdOf(executionHostId))
    return invitation
  }

  return {
    methodsFor: (caller) => gatewayMethods({ desk, hosts, invite, devices: options.devices }, caller),
    arrive(executionHostId, arrival, welcome) {
      const host = registry.get(executionHostId)
      if (!(host instanceof DialInHost)) return false
      welcome()
      host.arrive(arrival)
      return true
    },
    reloadHosts: async () => await hosts.reload(),
    async settled(timeoutMs) {
      const { promise, cancel } = after(clock, timeoutMs)
      await Promise.race([promise, Promise.all(hosts.kept().map((host) => host.firstAttempt))])
      cancel()
    },
    async [Symbol.asyncDispose]() {
      stopWatching()
      await hosts[Symbol.asyncDispose]()
    },
  }
}

const noAgentsDoor =
  'This gateway has no door for agents. Put agentsListen = "0.0.0.0:7719" into its configuration, and start trawl serve again'

function environmentIdOf(executionHostId: string): string {
  const parsed = parseHostId(executionHostId)
  return parsed?.kind === 'runtime' ? parsed.environmentId : executionHostId
}

interface MethodsDesk {
  readonly desk: SearchDesk
  readonly hosts: HostsAdmin
  readonly devices: DeviceDesk | undefined
  readonly invite: RpcMethod
}

function gatewayMethods({ desk, hosts, invite, devices }: MethodsDesk, caller: Caller): RpcMethods {
  const { exposure } = caller
  const { registry } = hosts
  const serve = (name: MethodName, method: RpcMethod): [MethodName, RpcMethod] => [
    name,
    guarded(name, caller, withShownErrors(exposure, method)),
  ]
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
      return await readSession(desk, request, { exposure, signal })
    }),
    serve('hosts.list', () => listHosts(registry, exposure)),
    serve('hosts.retry', async (params, { signal }) => {
      const { executionHostId } = parseParams(methodTable['hosts.retry'].gateway, params)
      return entryOf(await hosts.retry(executionHostId, signal), exposure)
    }),
    serve('hosts.invite', invite),
    serve('hosts.add', async (params) => {
      return await hosts.add(parseParams(methodTable['hosts.add'].gateway, params).host)
    }),
    serve('hosts.remove', async (params, { signal }) => {
      const { executionHostId } = parseParams(methodTable['hosts.remove'].gateway, params)
      return await hosts.remove(executionHostId, signal)
    }),
    serve('caller.describe', () => describeCaller(caller)),
    serve('host.describe', async (params, { signal }) => {
      const { executionHostId } = parseParams(methodTable['host.describe'].gateway, params)
      return await describeHost(registry, executionHostId, { signal, timeoutMs: desk.legTimeoutMs })
    }),
    ...deviceMethods(devices).map(([name, method]) => serve(name, method)),
  ])
}

function after(clock: Clock, ms: number): { promise: Promise<void>; cancel: () => void } {
  let cancel = () => {}
  const promise = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  return { promise, cancel }
}
