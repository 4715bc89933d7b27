/** Puts the gateway's rooms together: the hosts it keeps warm, and the methods one caller may use. */
import type { Logger } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import type { RpcMethod, RpcMethods } from '../protocol/rpc/dispatch.ts'
import { type MethodName, methodTable, parseParams } from '../protocol/rpc/methods.ts'
import type { Caller } from './access/caller.ts'
import type { GatewayConfig } from './config.ts'
import { buildHosts } from './hosts/build-hosts.ts'
import { createHostRegistry, type HostRegistry } from './hosts/registry.ts'
import { describeHost, listHosts } from './list-hosts.ts'
import { readSession } from './search/read-session.ts'
import { type SearchDesk, searchSessions, searchStatus } from './search/search-sessions.ts'

export interface GatewayOptions {
  readonly config: GatewayConfig
  readonly dataDir: string
  /** Program and arguments that start this machine's agent on its stdio. */
  readonly agentCommand: readonly string[]
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
  /** Settles once every host has finished its first attempt, or after `timeoutMs`. */
  settled(timeoutMs: number): Promise<void>
}

/** Starts connecting to every host at once; nothing here waits for any of them. */
export function createGateway(options: GatewayOptions): Gateway {
  const { quarantined, supervised } = buildHosts(options)
  const registry = createHostRegistry([...supervised, ...quarantined])
  for (const host of supervised) host.start()
  const desk: SearchDesk = { registry, legTimeoutMs: options.config.legTimeoutMs, clock: options.clock }

  return {
    methodsFor: (caller) => gatewayMethods(desk, registry, caller),
    async settled(timeoutMs) {
      const { promise, cancel } = after(options.clock, timeoutMs)
      await Promise.race([promise, Promise.all(supervised.map((host) => host.firstAttempt))])
      cancel()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(supervised.map((host) => host[Symbol.asyncDispose]()))
    },
  }
}

function gatewayMethods(desk: SearchDesk, registry: HostRegistry, caller: Caller): RpcMethods {
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
