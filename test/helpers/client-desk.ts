/**
 * The gateway's doors as `trawl serve` opens them for web and mobile clients – devices, offers, traffic, names, TLS – with
 * methods of the test's own behind them, on a clock of the test's own.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccess } from '../../gateway/access/caller.ts'
import { localTokenLookup } from '../../gateway/access/local-token.ts'
import { guarded } from '../../gateway/access/rights.ts'
import { defaultTrafficLimits, type TrafficLimits } from '../../gateway/access/traffic.ts'
import { deviceMethods } from '../../gateway/device-methods.ts'
import { createLog } from '../../gateway/log.ts'
import { type ClientAccess, openClientAccess } from '../../gateway/serve/client-access.ts'
import { type Doors, openDoors } from '../../gateway/serve/open-doors.ts'
import { type Clock, systemClock } from '../../protocol/clock.ts'
import type { CallContext, RpcMethod } from '../../protocol/rpc/dispatch.ts'
import type { DeviceRight } from '../../protocol/rpc/rights.ts'
import { send } from './doors.ts'
import { type CallAsOwner, pairDevice } from './paired-device.ts'

/** Of this machine, over TCP. */
export const ownToken = 'token-of-this-machine-0123456789abcdefghijkl'

export const owner = { authorization: `Bearer ${ownToken}` }

export interface ClientDesk extends AsyncDisposable {
  readonly port: number
  readonly socketPath: string
  readonly pairUrl: string
  readonly doors: Doors
  readonly clients: ClientAccess
  /** Over the Unix socket. */
  readonly owner: CallAsOwner
  /** @returns the header of a newly paired client. */
  pair(name: string, may?: readonly DeviceRight[]): Promise<Bearer>
  /** How often a method of the test's was reached, by whomever. */
  reached(): number
  logged(): string
}

export interface Bearer extends Record<string, string> {
  readonly authorization: string
}

export interface ClientDeskOptions {
  readonly clock?: Clock
  readonly methods?: Readonly<Record<string, RpcMethod>>
  readonly limits?: Partial<TrafficLimits>
}

export async function openClientDesk(options: ClientDeskOptions = {}): Promise<ClientDesk> {
  const { clock = systemClock, methods = {} } = options
  const dataDir = await mkdtemp(join(tmpdir(), 'trawl-clients-'))
  const socketPath = join(dataDir, 'gateway.sock')
  const listen = { host: '127.0.0.1', port: 0 }
  let ids = 0
  const createId = () => `id-${++ids}`
  const lines: string[] = []
  const clients = await openClientAccess({
    config: { publicUrls: [], tls: null },
    listen,
    isInsecure: false,
    dataDir,
    clock,
    limits: { ...defaultTrafficLimits, ...options.limits },
    createId,
  })
  let reached = 0
  const own = Object.entries(methods).map(([name, method]): [string, RpcMethod] => [
    name,
    (params, context) => {
      reached++
      return method(params, context)
    },
  ])
  const doors = await openDoors({
    listen,
    socketPath,
    access: createAccess([localTokenLookup(ownToken), clients.devices.callerOf]),
    traffic: clients.traffic,
    names: clients.names,
    beginPairing: clients.offers.begin,
    version: '9.9.9',
    log: createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } }),
    clock,
    createId,
    methodsFor: async (caller) =>
      new Map([
        ...own,
        ...deviceMethods({ ...clients, connectionsOf: clients.traffic.connectionsOf }).map(
          ([name, method]): [string, RpcMethod] => [name, guarded(name, caller, method)],
        ),
      ]),
  })
  clients.isOpenAt(doors.address)
  const callAsOwner: CallAsOwner = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { result, error } = JSON.parse((await send({ socketPath }, { body })).text)
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  const pairUrl = `ws://127.0.0.1:${doors.address.port}/pair`
  return {
    port: doors.address.port,
    socketPath,
    pairUrl,
    doors,
    clients,
    owner: callAsOwner,
    reached: () => reached,
    logged: () => lines.join(''),
    async pair(name, may = ['search', 'read']) {
      const { token } = await pairDevice(pairUrl, callAsOwner, { name, may })
      return { authorization: `Bearer ${token}` }
    },
    async [Symbol.asyncDispose]() {
      await doors.close()
      await clients.devices[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The text of a call. */
export function call(method: string, params: unknown = {}, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** The desk also has a socket path, and these go over TCP. */
export const overTcp = ({ port }: ClientDesk) => ({ port })

/** Over `POST /rpc`. */
export async function ask(desk: ClientDesk, headers: Readonly<Record<string, string>>, body = call('echo')) {
  const answer = await send(overTcp(desk), { headers: { ...headers }, body })
  return { ...answer, body: answer.text === '' ? null : JSON.parse(answer.text) }
}

/** A method that is called and does not answer until it is released. */
export interface HeldMethod {
  readonly method: RpcMethod
  readonly called: Promise<CallContext>
  release(value: unknown): void
}

export function createHeldMethod(): HeldMethod {
  let release: (value: unknown) => void = () => {}
  let onCalled: (context: CallContext) => void = () => {}
  const called = new Promise<CallContext>((resolve) => {
    onCalled = resolve
  })
  return {
    called,
    release: (value) => release(value),
    method: async (_params, context) => {
      onCalled(context)
      return await new Promise((resolve) => {
        release = resolve
        context.signal.addEventListener('abort', () => resolve(null), { once: true })
      })
    },
  }
}

/** A TCP client that does only what it is told: it closes nothing by itself, and keeps what came. */
export class RawClient implements AsyncDisposable {
  readonly socket: Socket
  /** When the other side has reset the connection, or said its end. */
  readonly ended: Promise<void>
  /** When nothing can be sent to it any more. */
  readonly gone: Promise<void>
  #text = ''
  #onData: () => void = () => {}

  private constructor(socket: Socket, isReading: boolean) {
    this.socket = socket
    socket.on('error', () => {})
    if (isReading)
      socket.setEncoding('latin1').on('data', (text) => {
        this.#text += String(text)
        this.#onData()
      })
    this.ended = new Promise((resolve) => socket.once('end', resolve).once('close', () => resolve()))
    this.gone = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  /** @param isReading false for one that never takes in a byte. */
  static async open(
    port: number,
    { isReading = true, localAddress = '127.0.0.1' }: { isReading?: boolean; localAddress?: string } = {},
  ): Promise<RawClient> {
    const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true, noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new RawClient(socket, isReading)
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes)
  }

  /** Everything that came so far. */
  get text(): string {
    return this.#text
  }

  /** Resolves when what came holds this. */
  async until(text: string): Promise<void> {
    while (!this.#text.includes(text)) {
      if (this.socket.destroyed) throw new Error(`it ended with: ${this.#text}`)
      await new Promise<void>((resolve) => {
        this.#onData = resolve
        this.socket.once('close', () => resolve())
      })
    }
  }

  /** Goes on sending until that fails: only then has the other side really closed. */
  async untilGone(): Promise<void> {
    while (!this.socket.destroyed) {
      this.socket.write('x')
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy()
    await this.gone
  }
}

/** The head of a request, with a blank line behind. */
export function requestHead(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { host: 'localhost', ...headers }
  return `${line} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
}

export function upgradeHead(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return requestHead(`GET ${path}`, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  })
}

/** A WebSocket text frame as a client masks it. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : payload.length < 65_536
        ? Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 255])
        : Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0]), uint32(payload.length)])
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
