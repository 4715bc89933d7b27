/**
 * The carriers as a test sees them: each keeps links to scripted agents warm exactly as the gateway does.
 * A suite that runs over this list shows its clause on all of them.
 */
import * as crypto from 'node:crypto'
import { pino } from 'pino'
import type { Host, HostKind } from '../../gateway/hosts/host.ts'
import { openLocalLink } from '../../gateway/hosts/local.ts'
import type { OpenLink } from '../../gateway/hosts/open-link.ts'
import { dialPorts, openRuntimeLink } from '../../gateway/hosts/runtime.ts'
import { openSshLink } from '../../gateway/hosts/ssh/ssh-link.ts'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { SupervisedHost } from '../../gateway/hosts/supervise.ts'
import { openAgentsDoor } from '../../gateway/serve/agents-door.ts'
import { type DialIn, keepDialledIn } from '../../host-agent/serve/dial-in.ts'
import { type Listener, listen } from '../../host-agent/serve/websocket.ts'
import { systemClock } from '../../protocol/clock.ts'
import { makeTlsKey, tlsIdentityOf } from '../../protocol/link/tls-identity.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { type MessageChannel, maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { type BundledProgram, bundleProgram } from './bundle.ts'
import { scriptedMethods } from './scripted-agent.ts'
import { createSshDesk } from './ssh-desk.ts'
import { whyNoSshd } from './sshd.ts'

const createId = () => 'test'

/** One scripted agent behind one supervised link. */
class Slot implements AsyncDisposable {
  readonly host: SupervisedHost
  #waiting: (() => void)[] = []

  constructor(name: string, open: OpenLink) {
    this.host = new SupervisedHost({
      id: name,
      kind: 'runtime',
      label: name,
      open,
      clock: systemClock,
      random: () => 0,
      createId,
      onChange: (report) => {
        if (report.state === 'ready') for (const resolve of this.#waiting.splice(0)) resolve()
      },
    })
    this.host.start()
  }

  async ready(): Promise<void> {
    if (this.host.report().state === 'ready') return
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Tells the agent what to answer from now on. */
  async script(state: Record<string, unknown>): Promise<void> {
    await this.ask('script', state)
  }

  async ask(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    await this.ready()
    return await this.host.call(method, () => params, {
      signal: new AbortController().signal,
      timeoutMs: 5_000,
    })
  }

  /** The same link under the id and kind a test wants it to have. */
  as(id: string, kind: HostKind): Host {
    return {
      id,
      kind,
      label: id,
      report: () => this.host.report(),
      call: async (method, paramsFor, options) => await this.host.call(method, paramsFor, options),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]()
  }
}

export interface Carrier {
  readonly name: string
  /** Why it cannot be used here, or null. */
  unavailable(): Promise<string | null>
  start(slots: number): Promise<CarrierRig>
}

export interface CarrierRig extends AsyncDisposable {
  readonly slots: readonly Slot[]
  /** A channel of its own to an agent, with nothing above it. */
  openRaw(): Promise<MessageChannel>
}

const always = async () => null

const inMemory: Carrier = {
  name: 'in-memory',
  unavailable: always,
  start: async (count) => rigOf(count, () => inMemoryAgent(), []),
}

function inMemoryAgent(): OpenLink {
  let far: MessageChannel | null = null
  const methods: RpcMethods = scriptedMethods(() => {
    void far?.close()
  })
  return async () => {
    const [near, other] = createInMemoryChannelPair()
    far = other
    openConnection(other, { methods, maxMessageBytes: maxPeerMessageBytes, createId })
    return near
  }
}

const stdio: Carrier = {
  name: 'stdio',
  unavailable: always,
  async start(count) {
    const program = await bundleProgram('test/helpers/scripted-agent.ts')
    const command = [process.execPath, program.path]
    return rigOf(count, () => openLocalLink({ command, env: process.env, clock: systemClock }), [program])
  },
}

const ssh: Carrier = {
  name: 'SSH',
  unavailable: async () => whyNoSshd(),
  async start(count) {
    const program = await bundleProgram('test/helpers/scripted-agent.ts')
    const desk = await createSshDesk()
    const open = openSshLink({
      target: 'devbox',
      agentCommand: `${process.execPath} ${program.path}`,
      resolveSettings: settingsFromConfig(desk.home.environment),
      clock: systemClock,
      timeoutMs: 15_000,
    })
    return rigOf(count, () => open, [desk, program])
  },
}

const webSocket: Carrier = {
  name: 'WebSocket',
  unavailable: always,
  async start(count) {
    const agents = await Promise.all(Array.from({ length: count }, async () => await listeningAgent()))
    return rigOf(count, (slot) => agents[slot]?.open ?? neverOpens, agents)
  },
}

const neverOpens: OpenLink = async () => {
  throw new Error('no such slot')
}

/** An agent on a port. It dies by closing its listener, and comes back on another port when it is dialled again. */
async function listeningAgent(): Promise<{ open: OpenLink } & AsyncDisposable> {
  let listener: Listener | null = null
  const methods = scriptedMethods(() => {
    const dying = listener
    listener = null
    void dying?.[Symbol.asyncDispose]()
  })
  const open: OpenLink = async (signal) => {
    listener ??= await listen({
      host: '127.0.0.1',
      port: 0,
      tls: null,
      credentials: {
        visitorOf: (token) => (token === 'peer' ? { exposure: 'relay', pairedName: null } : null),
      },
      redeem: async () => null,
      leave: async () => {},
      methodsFor: () => methods,
      clock: systemClock,
      createId,
      onFault: () => {},
    })
    const link = openRuntimeLink({ url: listener.url, token: 'peer', clock: systemClock })
    return await link(signal)
  }
  return { open, [Symbol.asyncDispose]: async () => await listener?.[Symbol.asyncDispose]() }
}

const dialledIn: Carrier = {
  name: 'WebSocket, dialled by the agent',
  unavailable: always,
  async start(count) {
    const agents = await Promise.all(Array.from({ length: count }, async () => await diallingAgent()))
    return rigOf(count, (slot) => agents[slot]?.open ?? neverOpens, agents)
  },
}

/** An agent that dials in at a door of its own. It dies by leaving, and dials again when it is missed. */
async function diallingAgent(): Promise<{ open: OpenLink } & AsyncDisposable> {
  const tls = tlsIdentityOf(makeTlsKey(crypto), { commonName: 'test', nowMs: Date.now() }, crypto)
  if (tls === null) throw new Error('no key')
  const diallers = new Set<DialIn>()
  let onArrival = (_channel: MessageChannel) => {}
  const door = await openAgentsDoor({
    listen: { host: '127.0.0.1', port: 0 },
    tls,
    agents: { check: (token) => token, flush: async () => {} },
    redeem: async () => null,
    async arrive(_id, { channel }, welcome) {
      welcome()
      onArrival(channel)
      return true
    },
    log: pino({ level: 'silent' }),
    clock: systemClock,
    createId,
  })
  const end = async () => {
    const dying = [...diallers]
    diallers.clear()
    await Promise.all(dying.map((dialler) => dialler[Symbol.asyncDispose]()))
  }
  const methods = scriptedMethods(() => void end())
  const open: OpenLink = async () =>
    await new Promise<MessageChannel>((resolve) => {
      onArrival = resolve
      const dialler = keepDialledIn({
        url: `wss://127.0.0.1:${door.address.port}/agents`,
        pin: tls.pin,
        token: 'agent',
        methods,
        ports: dialPorts,
        clock: systemClock,
        random: () => 0,
        createId,
        onFault: () => {},
        // A link that was lost is asked for again by whoever misses it.
        onChange: ({ state }) => {
          if (state !== 'ready' && diallers.delete(dialler)) void dialler[Symbol.asyncDispose]()
        },
      })
      diallers.add(dialler)
    })
  return {
    open,
    async [Symbol.asyncDispose]() {
      await end()
      await door[Symbol.asyncDispose]()
    },
  }
}

function rigOf(
  count: number,
  openFor: (slot: number) => OpenLink,
  behind: readonly (BundledProgram | AsyncDisposable)[],
): CarrierRig {
  const slots = Array.from({ length: count }, (_, at) => new Slot(`slot-${at}`, openFor(at)))
  return {
    slots,
    openRaw: async () => await openFor(0)(new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await Promise.all(slots.map((slot) => slot[Symbol.asyncDispose]()))
      await Promise.all(behind.map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

const carriers: readonly Carrier[] = [inMemory, stdio, ssh, webSocket, dialledIn]

/** The carriers that work here; why the others do not is printed. */
export async function usableCarriers(): Promise<readonly Carrier[]> {
  const usable: Carrier[] = []
  for (const carrier of carriers) {
    const whyNot = await carrier.unavailable()
    if (whyNot === null) usable.push(carrier)
    else process.stderr.write(`not tested over ${carrier.name}: ${whyNot}\n`)
  }
  return usable
}
