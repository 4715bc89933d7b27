/**
 * What is said first on the resident agent's socket: one line each way, and after `joined` the ready line and JSON-RPC as
 * on stdio. Read by hand, for the bridge is started for every connection and has to be quick.
 */
import type { Socket } from 'node:net'

/** A program of this kind: its version, and when its file was written. */
export interface AgentBuild {
  readonly version: string
  readonly builtMs: number
}

export interface ResidentRequest extends AgentBuild {
  /** `hand-over` is what a newer build that wants to join comes to. */
  readonly word: 'join' | 'status' | 'stop'
}

export interface ResidentReply {
  /** `leaving`: the socket stays open until the process is gone. */
  readonly word: 'joined' | 'leaving' | 'status'
  readonly pid: number
  readonly version: string
  readonly sinceMs: number
  readonly connections: number
}

const maxLineBytes = 4096

export function sayLine(socket: Socket, message: ResidentRequest | ResidentReply): void {
  socket.write(`${JSON.stringify(message)}\n`)
}

/**
 * Reads one line; what follows it is left in the socket, which is paused then.
 * @returns null where the socket ends first, or what comes is no object on one line.
 */
export function readGreeting(socket: Socket): Promise<Readonly<Record<string, unknown>> | null> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0)
    const finish = (line: string | null) => {
      socket.off('data', onData)
      socket.off('close', onClose)
      socket.pause()
      resolve(line === null ? null : parseObject(line))
    }
    const onClose = () => finish(null)
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk])
      const end = seen.indexOf(0x0a)
      if (end < 0 && seen.length <= maxLineBytes) return
      // Not while it flows: what is put back would come again at once.
      finish(end < 0 ? null : seen.toString('utf8', 0, end))
      if (end >= 0 && end + 1 < seen.length) socket.unshift(seen.subarray(end + 1))
    }
    socket.on('data', onData)
    socket.on('close', onClose)
    socket.on('error', () => socket.destroy())
    socket.resume()
  })
}

export function readRequest(message: Readonly<Record<string, unknown>> | null): ResidentRequest | null {
  const { word, version, builtMs } = message ?? {}
  if (word !== 'join' && word !== 'status' && word !== 'stop') return null
  return typeof version === 'string' && typeof builtMs === 'number' ? { word, version, builtMs } : null
}

export function readReply(message: Readonly<Record<string, unknown>> | null): ResidentReply | null {
  const { word, pid, version, sinceMs, connections } = message ?? {}
  if (word !== 'joined' && word !== 'leaving' && word !== 'status') return null
  if (typeof pid !== 'number' || typeof version !== 'string') return null
  if (typeof sinceMs !== 'number' || typeof connections !== 'number') return null
  return { word, pid, version, sinceMs, connections }
}

/**
 * The order in which builds give way to each other. It is a whole one, so that two gateways of different versions never
 * replace each other's agent in turn: the older one's bridge joins the newer agent.
 */
export function isNewerBuild(one: AgentBuild, other: AgentBuild): boolean {
  const [a, b] = [numbersOf(one.version), numbersOf(other.version)]
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return one.builtMs > other.builtMs
}

function numbersOf(version: string): number[] {
  return version
    .split(/[.+-]/)
    .slice(0, 3)
    .map((part) => Number.parseInt(part, 10) || 0)
}

function parseObject(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
