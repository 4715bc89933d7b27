/** A TCP relay on loopback that can go silent or cut its connections, as networks do. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface TcpRelay extends AsyncDisposable {
  readonly port: number
  /** From now on nothing passes, and nobody is told. */
  freeze(): void
  /** Resets every connection. */
  cut(): void
  /** Freezes as soon as the server has said this. */
  freezeAfter(text: string): void
  readonly frozen: Promise<void>
  /** Resolves when a client has connected and said something. */
  readonly connected: Promise<void>
  /** Resolves when no connection is left. */
  deserted(): Promise<void>
  /** How much the server's side has sent so far. */
  bytesToClient(): number
}

/**
 * @param targetPort null for a server that accepts and never says a word
 * @param onToClient hears every byte the server's side sends.
 */
export async function startTcpRelay(
  targetPort: number | null,
  onToClient: (chunk: Buffer) => void = () => {},
): Promise<TcpRelay> {
  const sockets = new Set<Socket>()
  const waiting: (() => void)[] = []
  let isFrozen = false
  let freezeText: string | null = null
  let bytesToClient = 0
  let onFrozen = () => {}
  const frozen = new Promise<void>((resolve) => {
    onFrozen = resolve
  })
  const freeze = () => {
    isFrozen = true
    onFrozen()
  }
  let onConnected = () => {}
  const connected = new Promise<void>((resolve) => {
    onConnected = resolve
  })
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) for (const tell of waiting.splice(0)) tell()
    })
  }
  const server: Server = createServer((near) => {
    keep(near)
    near.once('data', onConnected)
    // Unread, it would never see the client go.
    if (targetPort === null) near.resume()
    if (targetPort === null) return
    const far = connect(targetPort, '127.0.0.1')
    keep(far)
    pass(near, far)
    pass(far, near)
    far.on('data', (chunk) => {
      bytesToClient += chunk.length
      onToClient(chunk)
      if (freezeText !== null && chunk.includes(freezeText)) freeze()
    })
  })
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (chunk) => {
      if (isFrozen || to.write(chunk)) return
      from.pause()
      to.once('drain', () => from.resume())
    })
    from.on('close', () => {
      if (!isFrozen) to.destroy()
    })
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the relay has no port')
  return {
    port: address.port,
    connected,
    frozen,
    freeze,
    freezeAfter: (text) => {
      freezeText = text
    },
    bytesToClient: () => bytesToClient,
    deserted: () => new Promise((resolve) => (sockets.size === 0 ? resolve() : waiting.push(resolve))),
    cut: () => {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
