/** Speaks to the resident agent: a bridge that wants to join, and the owner who wants to know of it or to end it. */
import { connect, type Socket } from 'node:net'
import type { Clock } from '../../protocol/clock.ts'
import {
  type AgentBuild,
  type ResidentReply,
  type ResidentRequest,
  readGreeting,
  readReply,
  sayLine,
} from './resident-greeting.ts'

/** An agent that does not say a word for this long is stopped or hangs; nobody is to wait for it. */
const replyMs = 2_000

export interface AnsweredResident {
  readonly reply: ResidentReply
  /** Open, and paused behind the reply. */
  readonly socket: Socket
}

/**
 * @returns `absent` where nobody listens, or the agent ends just now; `unusable` where it does not answer as it should,
 *   or the socket cannot be opened.
 */
export async function askResident(
  socketPath: string,
  request: ResidentRequest['word'],
  build: AgentBuild,
  clock: Clock,
): Promise<AnsweredResident | 'absent' | 'unusable'> {
  const socket = await dial(socketPath)
  if (typeof socket === 'string') return socket
  let isLate = false
  const stopWaiting = clock.after(replyMs, () => {
    isLate = true
    socket.destroy()
  })
  sayLine(socket, { word: request, version: build.version, builtMs: build.builtMs })
  const message = await readGreeting(socket)
  stopWaiting()
  const reply = readReply(message)
  if (reply !== null) return { reply, socket }
  socket.destroy()
  return isLate || message !== null ? 'unusable' : 'absent'
}

/** @returns when the socket has closed, which is when the agent is gone. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve()
    socket.once('close', () => resolve())
    socket.resume()
  })
}

function dial(path: string): Promise<Socket | 'absent' | 'unusable'> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const onError = (error: NodeJS.ErrnoException) =>
      resolve(['ENOENT', 'ECONNREFUSED'].includes(error.code ?? '') ? 'absent' : 'unusable')
    socket.once('error', onError)
    socket.once('connect', () => {
      socket.off('error', onError)
      resolve(socket)
    })
  })
}
