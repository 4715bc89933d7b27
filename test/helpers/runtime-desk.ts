/** Runtime hosts inside the test, over real sockets: an agent's port, a gateway's agents' door, and both data directories. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { dialPorts } from '../../gateway/hosts/runtime.ts'
import { DialInHost } from '../../gateway/hosts/runtime-dials-in.ts'
import { type OpenedAgentsDoor, openDoorForAgents } from '../../gateway/serve/open-agents-door.ts'
import { readArguments } from '../../host-agent/command/arguments.ts'
import { type OpenPort, openPort } from '../../host-agent/command/listen.ts'
import { makeOffer, type PairContext } from '../../host-agent/command/pair.ts'
import { type DialIn, type DialInState, keepDialledIn } from '../../host-agent/serve/dial-in.ts'
import { type Clock, systemClock } from '../../protocol/clock.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'

export interface TempDir extends AsyncDisposable {
  readonly path: string
}

export async function tempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'trawl-runtime-'))
  return { path, [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }) }
}

/** Says which agent it is: `who` answers with the name. */
export function namedMethods(name: string): RpcMethods {
  return new Map<string, () => unknown>([
    ['who', () => name],
    [
      'host.describe',
      () => ({
        version: name,
        protocol: 1,
        platform: 'linux',
        agents: [],
        searchModes: [],
        methods: [],
        limits: { maxMessageBytes: 1, maxLimit: 1, maxQueryUnits: 1 },
      }),
    ],
  ])
}

export interface PortRig extends AsyncDisposable {
  readonly url: string
  readonly pin: string
  readonly port: OpenPort
}

/** An agent that listens on a port of the system's choice. */
export async function openTestPort(
  dataDir: string,
  args: readonly string[] = ['--tls'],
  clock: Clock = systemClock,
): Promise<PortRig> {
  const port = await openPort(readArguments(['listen', '--listen', '127.0.0.1:0', ...args]), {
    dataDir,
    clock,
    methodsFor: (exposure) => namedMethods(exposure),
    onFault: () => {},
  })
  const [, url = ''] = /Listening on (\S+)/.exec(port.greeting) ?? []
  const [, pin = ''] = /key: (\S+)/.exec(port.greeting) ?? []
  return { url, pin, port, [Symbol.asyncDispose]: async () => await port[Symbol.asyncDispose]() }
}

export interface CommandRig extends PairContext {
  readonly printed: string[]
  readonly complained: string[]
}

export function pairCommand(dataDir: string): CommandRig {
  const printed: string[] = []
  const complained: string[] = []
  return {
    dataDir,
    clock: systemClock,
    isTerminal: false,
    print: (text) => void printed.push(text),
    complain: (text) => void complained.push(text),
    printed,
    complained,
  }
}

/** What `trawl-agent pair` prints there. */
export async function offerOf(dataDir: string): Promise<string> {
  const command = pairCommand(dataDir)
  await makeOffer(command, undefined)
  return command.printed.join('').trim()
}

export interface DoorRig extends AsyncDisposable {
  readonly door: OpenedAgentsDoor
  readonly host: DialInHost
  readonly url: string
}

export interface DoorRigOptions {
  readonly port?: number
  readonly clock?: Clock
  readonly isConfigured?: boolean
}

/** A gateway's door with one host behind it, `runtime:laptop`. */
export async function openTestDoor(
  dataDir: string,
  { port = 0, clock = systemClock, isConfigured = true }: DoorRigOptions = {},
): Promise<DoorRig> {
  const host = new DialInHost({
    id: 'runtime:laptop',
    label: 'laptop',
    clock,
    isDoorOpen: true,
    createId: randomUUID,
  })
  const door = await openDoorForAgents({
    listen: { host: '127.0.0.1', port },
    config: {
      hosts: isConfigured
        ? [{ kind: 'runtime-dials-in', id: host.id, environmentId: 'laptop', label: 'laptop' }]
        : [],
    },
    dataDir,
    log: pino({ level: 'silent' }),
    clock,
    createId: randomUUID,
    async arrive(id, arrival, welcome) {
      if (id !== host.id) return false
      welcome()
      host.arrive(arrival)
      return true
    },
  })
  host.start()
  return {
    door,
    host,
    url: `wss://127.0.0.1:${door.address.port}/agents`,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await door[Symbol.asyncDispose]()
    },
  }
}

export interface AgentRig extends DialIn {
  readonly states: DialInState[]
  /** Resolves when a state fits that came after the `since`th. */
  until(fits: (state: DialInState) => boolean, since?: number): Promise<DialInState>
}

/** An agent that dials in; `ask('who')` answers its name. */
export function dialTestAgent(options: {
  readonly url: string
  readonly pin: string
  readonly token: string
  readonly agentName?: string
  readonly clock?: Clock
}): AgentRig {
  const states: DialInState[] = []
  const waiting = new Set<() => void>()
  const { agentName = 'agent', clock = systemClock, ...where } = options
  const link = keepDialledIn({
    ...where,
    methods: namedMethods(agentName),
    ports: dialPorts,
    clock,
    random: () => 0,
    createId: randomUUID,
    onFault: () => {},
    onChange: (state) => {
      states.push(state)
      for (const look of waiting) look()
    },
  })
  return {
    refused: link.refused,
    states,
    until: (fits, since = 0) =>
      new Promise((resolve) => {
        const look = () => {
          const found = states.slice(since).find(fits)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    [Symbol.asyncDispose]: async () => await link[Symbol.asyncDispose](),
  }
}

export const isReady = (state: DialInState): boolean => state.state === 'ready'
