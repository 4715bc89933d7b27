/** A port whose machine takes no connection and refuses none: a TCP handshake that never ends, on loopback. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

const connectPatienceMs = 300
const mostWaiting = 64

/** A listener with room for one that is stopped: once its queue is full, the kernel drops what else comes. */
const program = `
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))
process.stdin.resume().on('end', () => process.exit())
`

export interface DeafPort extends AsyncDisposable {
  readonly port: number
}

/** @returns null where this cannot be had: the kernel took one connection after the other. */
export async function openDeafPort(): Promise<DeafPort | null> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const port = Number(line)
  child.kill('SIGSTOP')
  const sockets: Socket[] = []
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  while (sockets.length < mostWaiting) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    const isTaken = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), connectPatienceMs)),
    ])
    if (!isTaken) return { port, [Symbol.asyncDispose]: close }
  }
  await close()
  return null
}
