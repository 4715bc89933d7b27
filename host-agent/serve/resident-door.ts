/**
 * The resident agent's side of its socket: who comes through it is a bridge of this account, and sees what `relay` sees.
 * Says when the agent is to end: nobody has been there for its grace time, somebody said so, or a newer build has come.
 */
import { statSync } from 'node:fs'
import { chmod, rename, unlink } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { Clock } from '../../protocol/clock.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import {
  type AgentBuild,
  isNewerBuild,
  type ResidentReply,
  readGreeting,
  readRequest,
  sayLine,
} from './resident-greeting.ts'
import { watchSilence } from './silent-side.ts'
import { serveStdio } from './stdio.ts'

/** How long calls that run may go on when the agent is to end; a gateway waits longer for the next one. */
const drainingMs = 3_000
const greetingMs = 5_000
const maxConnections = 128

export interface ResidentDoorOptions {
  readonly socketPath: string
  readonly build: AgentBuild
  readonly pid: number
  readonly graceMs: number
  readonly clock: Clock
  /** As `relay` may use them. */
  readonly methods: RpcMethods
  createId(): string
  onFault(error: TrawlError, method: string): void
}

export interface ResidentDoor extends AsyncDisposable {
  /** Settles when the agent is to end. */
  readonly over: Promise<void>
  /** Nobody new comes in; calls that run have three seconds, then every bridge is told by the end of its socket. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * To be called by the one process that may: what lies at the path is taken for a dead agent's.
 * @throws Error from the system where the socket cannot be made.
 */
export async function openResidentDoor(options: ResidentDoorOptions): Promise<ResidentDoor> {
  const { socketPath, build, clock, graceMs } = options
  const sinceMs = clock.now()
  const bridges = new Set<Socket>()
  const greeting = new Set<Socket>()
  let running = 0
  let whenIdle = () => {}
  let isLeaving = false
  let end = () => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  let callOffEnd = clock.after(graceMs, end)

  const methods: RpcMethods = new Map(
    Array.from(options.methods, ([name, method]) => [
      name,
      async (...args: Parameters<typeof method>) => {
        running++
        try {
          return await method(...args)
        } finally {
          if (--running === 0) whenIdle()
        }
      },
    ]),
  )

  const reply = (word: ResidentReply['word']): ResidentReply => ({
    word,
    pid: options.pid,
    version: build.version,
    sinceMs,
    connections: bridges.size,
  })

  async function receive(socket: Socket): Promise<void> {
    greeting.add(socket)
    socket.once('close', () => greeting.delete(socket))
    const stopWaiting = clock.after(greetingMs, () => socket.destroy())
    const request = readRequest(await readGreeting(socket))
    stopWaiting()
    greeting.delete(socket)
    if (request === null) return void socket.destroy()
    if (request.word === 'status') return void socket.end(`${JSON.stringify(reply('status'))}\n`)
    if (isLeaving || request.word === 'stop' || isNewerBuild(request, build)) {
      sayLine(socket, reply('leaving'))
      // Its end is the end of this process, which it does not hold up.
      socket.unref()
      return end()
    }
    await serve(socket)
  }

  async function serve(socket: Socket): Promise<void> {
    callOffEnd()
    bridges.add(socket)
    sayLine(socket, reply('joined'))
    const stopWatching = watchSilence(socket, clock, () => socket.destroy())
    await serveStdio({
      input: socket,
      output: socket,
      methods,
      version: build.version,
      createId: options.createId,
      onFault: options.onFault,
    })
    stopWatching()
    socket.destroy()
    bridges.delete(socket)
    if (bridges.size === 0 && !isLeaving) callOffEnd = clock.after(graceMs, end)
  }

  const server = createServer((socket) => void receive(socket))
  server.maxConnections = maxConnections
  // Node takes the name it listened on away when it closes, whoever's it is by then: the one bridges know is not that.
  const boundPath = `${socketPath}.${options.pid}`
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(boundPath, resolve)
  })
  try {
    await chmod(boundPath, 0o600)
    await rename(boundPath, socketPath)
  } catch (error) {
    callOffEnd()
    server.close()
    throw error
  }
  const inode = inodeOf(socketPath)

  return {
    over,
    async [Symbol.asyncDispose]() {
      isLeaving = true
      callOffEnd()
      server.close()
      if (inodeOf(socketPath) === inode) await unlink(socketPath).catch(() => {})
      for (const socket of greeting) socket.destroy()
      if (running > 0) {
        await new Promise<void>((resolve) => {
          const callOff = clock.after(drainingMs, resolve)
          whenIdle = () => {
            callOff()
            resolve()
          }
        })
      }
      // After the answers that were just made.
      await new Promise((resolve) => setImmediate(resolve))
      for (const socket of bridges) socket.destroySoon()
    },
  }
}

function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null
}
