/**
 * `agent.sock` in the data directory, mode 0600: through it the account's owner speaks to the agent that listens –
 * makes an offer, lists who is paired, ends a pairing. Offers are kept by that process alone, so it has to be asked.
 */
import { chmod, unlink } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../../protocol/clock.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import { createLineChannel } from '../../protocol/rpc/line-channel.ts'

const maxControlMessageBytes = 64 * 1024

/** A named pipe where the system has no sockets in folders; it is the user's own either way. */
function socketPath(dataDir: string): string {
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\trawl-agent-${Buffer.from(dataDir).toString('hex').slice(-80)}`
    : join(dataDir, 'agent.sock')
}

export interface ControlOptions {
  readonly dataDir: string
  readonly methods: RpcMethods
  readonly clock: Clock
  createId(): string
  onFault(error: TrawlError, method: string): void
}

/** @throws Error when another agent listens with the same data directory, or the path is too long for a socket. */
export async function openControlSocket(options: ControlOptions): Promise<AsyncDisposable> {
  const path = socketPath(options.dataDir)
  const there = await dial(path)
  if (there !== null) {
    there.destroy()
    throw new Error(`Another trawl-agent listens with the data directory ${options.dataDir}. Stop it first.`)
  }
  if (process.platform !== 'win32') await unlink(path).catch(() => {})
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    connectionOver(socket, options)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  }).catch((cause: Error) => {
    throw new Error(`${path} cannot be opened (${cause.message}). Name a shorter TRAWL_DATA_DIR.`, { cause })
  })
  // The directory is 0700, so nobody else could come in before this.
  if (process.platform !== 'win32') await chmod(path, 0o600)
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** @returns null where no agent listens with this data directory. */
export async function connectControl(
  dataDir: string,
  options: Pick<ControlOptions, 'clock' | 'createId'>,
): Promise<RpcConnection | null> {
  const socket = await dial(socketPath(dataDir))
  if (socket === null) return null
  return connectionOver(socket, { ...options, methods: new Map(), onFault: () => {} })
}

function connectionOver(socket: Socket, options: Omit<ControlOptions, 'dataDir'>): RpcConnection {
  const channel = createLineChannel({
    input: socket,
    output: socket,
    maxMessageBytes: maxControlMessageBytes,
    close: async () => void socket.destroy(),
  })
  return openConnection(channel, { ...options, maxMessageBytes: maxControlMessageBytes })
}

function dial(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.off('error', onError)
      socket.on('error', () => socket.destroy())
      resolve(socket)
    })
    const onError = () => resolve(null)
    socket.once('error', onError)
  })
}
