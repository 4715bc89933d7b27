/** The gateway's doors over real sockets with methods of the test's own behind them, and clients for both carriers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { type Caller, createAccess } from '../../gateway/access/caller.ts'
import { localTokenLookup } from '../../gateway/access/local-token.ts'
import { createLog } from '../../gateway/log.ts'
import { type Doors, openDoors } from '../../gateway/serve/open-doors.ts'
import { type Clock, systemClock } from '../../protocol/clock.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'

const localToken = 'planted-token-of-this-machine-0123456789abc'

export interface TestDoors extends AsyncDisposable {
  readonly doors: Doors
  readonly dataDir: string
  readonly socketPath: string
  readonly port: number
  /** Everything that was logged, as text. */
  logged(): string
}

export async function openTestDoors(
  methodsFor: (caller: Caller) => RpcMethods,
  options: { clock?: Clock; level?: 'info' | 'debug'; dataDir?: string; port?: number } = {},
): Promise<TestDoors> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'trawl-doors-')))
  const socketPath = join(dataDir, 'gateway.sock')
  const lines: string[] = []
  const doors = await openDoors({
    listen: { host: '127.0.0.1', port: options.port ?? 0 },
    socketPath,
    access: createAccess([localTokenLookup(localToken)]),
    version: '9.9.9',
    log: createLog({
      level: options.level ?? 'info',
      destination: { write: (line) => void lines.push(line) },
    }),
    clock: options.clock ?? systemClock,
    createId: () => 'correlation-1',
    methodsFor: async (caller) => methodsFor(caller),
  })
  return {
    doors,
    dataDir,
    socketPath,
    port: doors.address.port,
    logged: () => lines.join(''),
    async [Symbol.asyncDispose]() {
      await doors.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Where a client goes, the TCP port or the Unix socket; on Linux it may come from any address of 127.0.0.0/8. */
export type Address =
  | { readonly port: number; readonly localAddress?: string }
  | { readonly socketPath: string }

export function send(
  address: Address,
  options: {
    method?: string
    path?: string
    headers?: Record<string, string>
    body?: string
    signal?: AbortSignal
  },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        ...('port' in address ? { host: '127.0.0.1', port: address.port } : address),
        agent: false,
        method: options.method ?? 'POST',
        path: options.path ?? '/rpc',
        headers: { 'content-type': 'application/json', ...options.headers },
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
        response.on('error', reject)
      },
    )
    call.on('error', reject)
    call.end(options.body)
  })
}

export const withToken = { authorization: `Bearer ${localToken}` }

function webSocketUrl(address: Address, path = '/rpc'): string {
  return 'port' in address
    ? `ws://127.0.0.1:${address.port}${path}`
    : `ws+unix://${address.socketPath}:${path}`
}

/** A WebSocket whose frames and end can be awaited one after the other. */
export class TestSocket implements AsyncDisposable {
  readonly socket: WebSocket
  readonly closed: Promise<{ code: number; reason: string }>
  readonly #frames: string[] = []
  #onFrame: () => void = () => {}

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      this.#frames.push(String(data))
      this.#onFrame()
    })
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
    })
    socket.on('error', () => {})
  }

  /** @throws Error with the status, `HTTP 401`, when the upgrade is refused. */
  static async open(
    address: Address,
    headers: Record<string, string> = {},
    path = '/rpc',
  ): Promise<TestSocket> {
    const socket = new WebSocket(webSocketUrl(address, path), {
      headers,
      perMessageDeflate: false,
      ...('localAddress' in address ? { localAddress: address.localAddress } : {}),
    })
    const opened = new TestSocket(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('unexpected-response', (_request, response) => {
        reject(new Error(`HTTP ${response.statusCode}`))
        socket.terminate()
      })
      socket.once('error', reject)
    })
    return opened
  }

  send(text: string): void {
    this.socket.send(text)
  }

  async next(): Promise<unknown> {
    while (this.#frames.length === 0)
      await new Promise<void>((resolve) => {
        this.#onFrame = resolve
      })
    return JSON.parse(this.#frames.shift() ?? '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    this.socket.close()
    await this.closed
  }
}
