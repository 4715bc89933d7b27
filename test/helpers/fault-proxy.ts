/** A TCP proxy on loopback that fails as networks and machines do, each way for itself and the same on every run. */
import { connect, createServer, type Socket } from 'node:net'
import { seededRandom } from '../../bench/random.ts'
import { type Clock, systemClock } from '../../protocol/clock.ts'
import { type Cut, type FaultLane, Lane, resetSocket } from './fault-lane.ts'

/** What becomes of a new connection: passed on, taken and left in silence, or ended at once. */
export type Welcome = 'pass' | 'silence' | Cut

export interface FaultProxy extends AsyncDisposable {
  readonly port: number
  readonly toServer: FaultLane
  readonly toClient: FaultLane
  /** For connections from now on. */
  welcome(how: Welcome): void
  /** Where connections from now on lead. */
  retarget(port: number): void
  /** From now on nothing passes either way, and nobody is told. */
  freeze(): void
  thaw(): void
  /** Ends every connection, both ends of it; reset unless said otherwise. */
  cut(how?: Cut): void
  /** Freezes as soon as the server has said this. */
  freezeAfter(text: string): void
  readonly frozen: Promise<void>
  /** Resolves when a client has connected and said something. */
  readonly connected: Promise<void>
  /** Resolves when no connection is left. */
  deserted(): Promise<void>
  /** Clients that are connected now, that were at most at one time, and that ever were. */
  clients(): { readonly now: number; readonly most: number; readonly ever: number }
}

export interface FaultProxyOptions {
  /** Hears every byte the server's side sends. */
  onToClient?(chunk: Buffer): void
  readonly clock?: Clock
  readonly seed?: number
}

/** @param targetPort null for a server that accepts and never says a word */
export async function startFaultProxy(
  targetPort: number | null,
  { onToClient = () => {}, clock = systemClock, seed = 1 }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const random = seededRandom(seed)
  const toServer = new Lane({ clock, random, onBytes: () => {} })
  const toClient = new Lane({ clock, random, onBytes: onToClient })
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  const waiting: (() => void)[] = []
  const frozen = signalled()
  const connected = signalled()
  let most = 0
  let ever = 0
  let target = targetPort
  let welcome: Welcome = targetPort === null ? 'silence' : 'pass'

  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      clients.delete(socket)
      if (sockets.size === 0) for (const tell of waiting.splice(0)) tell()
    })
  }
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    keep(near)
    if (welcome === 'reset') return void near.resetAndDestroy()
    if (welcome === 'close') return void near.destroy()
    clients.add(near)
    most = Math.max(most, clients.size)
    ever++
    near.once('data', connected.resolve)
    if (welcome === 'silence' || target === null) {
      // Unread, it would never see the client go.
      near.resume()
      near.once('end', () => near.destroy())
      return
    }
    const far = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    keep(far)
    toServer.connect(near, far)
    toClient.connect(far, near)
  })
  const freeze = () => {
    toServer.hold()
    toClient.hold()
    frozen.resolve()
  }
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return {
    port: address.port,
    toServer,
    toClient,
    welcome: (how) => {
      welcome = how
    },
    retarget: (port) => {
      target = port
    },
    freeze,
    thaw: () => {
      toServer.release()
      toClient.release()
    },
    cut: (how = 'reset') => {
      for (const socket of [...sockets]) {
        if (how === 'reset') resetSocket(socket)
        else socket.destroy()
      }
    },
    freezeAfter: (text) => toClient.after(text, freeze),
    frozen: frozen.promise,
    connected: connected.promise,
    deserted: () => new Promise((resolve) => (sockets.size === 0 ? resolve() : waiting.push(resolve))),
    clients: () => ({ now: clients.size, most, ever }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function signalled(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve: () => resolve() }
}
