/** One direction of the fault proxy: what is done to the bytes of every connection that go this way. */
import type { Socket } from 'node:net'
import type { Random } from '../../bench/random.ts'
import type { Clock } from '../../protocol/clock.ts'

/** Held bytes beyond this stop the reading side, as a full window would. */
const maxQueuedBytes = 4 * 1024 * 1024
/** A throttled lane lets a slice go this often, or a byte whenever one is due. */
const sliceMs = 10

/** How a connection is ended: as a process that died ends it, or as one that closed it. */
export type Cut = 'reset' | 'close'

export interface FaultLane {
  /** Every byte arrives this much later. */
  delay(ms: number): void
  /** Null takes the throttle off. */
  throttle(bytesPerSecond: number | null): void
  /** From now on nothing passes, ends neither, and nobody is told. */
  hold(): void
  /** What was held goes on its way. */
  release(): void
  /** Lets so many more bytes through, to the byte, and then ends the connection, or holds the lane. */
  cutAfter(bytes: number, how: Cut | 'hold'): void
  /** Turns one bit of about every so many bytes; null stops. Which ones hangs on the seed alone. */
  flip(everyBytes: number | null): void
  /** Says that no more comes this way; the other way goes on. */
  halfClose(): void
  /** Runs `work` once, as soon as this text has passed. */
  after(text: string, work: () => void): void
  /** Bytes that came from the sender so far. */
  bytes(): number
}

export interface LaneOptions {
  readonly clock: Clock
  readonly random: Random
  onBytes(chunk: Buffer): void
}

/** The settings of one direction, and a pipe for each connection that follows them. */
export class Lane implements FaultLane {
  readonly #options: LaneOptions
  readonly #pipes = new Set<Pipe>()
  readonly #awaited: { text: string; work: () => void }[] = []
  #tail = ''
  #bytes = 0
  #untilFlip = Number.POSITIVE_INFINITY
  #flipEvery: number | null = null
  #cut: { left: number; how: Cut | 'hold' } | null = null
  delayMs = 0
  bytesPerSecond: number | null = null
  isHeld = false

  constructor(options: LaneOptions) {
    this.#options = options
  }

  get clock(): Clock {
    return this.#options.clock
  }

  delay(ms: number): void {
    this.delayMs = ms
  }

  throttle(bytesPerSecond: number | null): void {
    this.bytesPerSecond = bytesPerSecond
  }

  hold(): void {
    this.isHeld = true
  }

  release(): void {
    this.isHeld = false
    for (const pipe of this.#pipes) pipe.flush()
  }

  cutAfter(bytes: number, how: Cut | 'hold'): void {
    this.#cut = { left: bytes, how }
  }

  flip(everyBytes: number | null): void {
    this.#flipEvery = everyBytes
    this.#untilFlip = this.#nextFlip()
  }

  halfClose(): void {
    for (const pipe of this.#pipes) pipe.end()
  }

  after(text: string, work: () => void): void {
    this.#awaited.push({ text, work })
  }

  bytes(): number {
    return this.#bytes
  }

  /** Passes on what one end of a connection sends, until the other end is gone. */
  connect(from: Socket, to: Socket): void {
    const pipe = new Pipe(this, from, to)
    this.#pipes.add(pipe)
    to.once('close', () => {
      this.#pipes.delete(pipe)
      pipe.stop()
    })
    from.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length
      const { bytes, cut, rest } = this.#spoil(chunk)
      pipe.push(bytes)
      if (cut === 'hold') {
        this.hold()
        pipe.push(rest)
      } else if (cut !== null) pipe.push(cut)
      this.#options.onBytes(chunk)
      this.#look(chunk)
    })
    from.once('end', () => pipe.end())
    from.once('close', (hadError) => {
      if (hadError) pipe.push('reset')
      else pipe.end()
    })
  }

  /** @returns what passes, what ends it, and what lies behind that end. */
  #spoil(chunk: Buffer): { bytes: Buffer; cut: Cut | 'hold' | null; rest: Buffer } {
    const bytes = Buffer.from(chunk)
    while (this.#untilFlip < bytes.length) {
      bytes[this.#untilFlip] = (bytes[this.#untilFlip] ?? 0) ^ (1 << Math.floor(this.#options.random() * 8))
      this.#untilFlip += 1 + this.#nextFlip()
    }
    this.#untilFlip -= bytes.length
    const rest = Buffer.alloc(0)
    if (this.#cut === null) return { bytes, cut: null, rest }
    const { left, how } = this.#cut
    if (left > bytes.length) {
      this.#cut.left -= bytes.length
      return { bytes, cut: null, rest }
    }
    this.#cut = null
    return { bytes: bytes.subarray(0, left), cut: how, rest: bytes.subarray(left) }
  }

  #nextFlip(): number {
    if (this.#flipEvery === null) return Number.POSITIVE_INFINITY
    return Math.floor(this.#options.random() * 2 * this.#flipEvery)
  }

  #look(chunk: Buffer): void {
    if (this.#awaited.length === 0) return
    const seen = this.#tail + chunk.toString('latin1')
    this.#tail = seen.slice(-200)
    for (const awaited of [...this.#awaited]) {
      if (!seen.includes(awaited.text)) continue
      this.#awaited.splice(this.#awaited.indexOf(awaited), 1)
      awaited.work()
    }
  }
}

/** A socket that has said its end cannot be reset any more; Node would never close it then. */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

type Piece = { readonly dueMs: number; readonly what: Buffer | Cut | 'end' }

/** The bytes of one connection on their way. Order is kept; time and silence are the lane's. */
class Pipe {
  readonly #lane: Lane
  readonly #from: Socket
  readonly #to: Socket
  #queue: Piece[] = []
  #queuedBytes = 0
  #isEnded = false
  /** When a throttled lane is free again. */
  #freeAtMs = 0
  #stopTimer: (() => void) | null = null

  constructor(lane: Lane, from: Socket, to: Socket) {
    this.#lane = lane
    this.#from = from
    this.#to = to
  }

  push(what: Buffer | Cut): void {
    if (this.#isEnded && what !== 'reset') return
    if (typeof what === 'string') this.#add(what)
    else for (const slice of this.#slices(what)) this.#add(slice)
    this.flush()
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#add('end')
    this.flush()
  }

  stop(): void {
    this.#stopTimer?.()
    this.#stopTimer = null
    this.#queue = []
    this.#from.resume()
  }

  /** Sends what is due, and comes back for the rest. */
  flush(): void {
    this.#stopTimer?.()
    this.#stopTimer = null
    while (!this.#lane.isHeld) {
      const [next] = this.#queue
      if (next === undefined) break
      const waitMs = next.dueMs - this.#lane.clock.monotonicMs()
      if (waitMs > 0) {
        this.#stopTimer = this.#lane.clock.after(waitMs, () => this.flush())
        break
      }
      this.#queue.shift()
      this.#send(next.what)
    }
    if (this.#queuedBytes > maxQueuedBytes) this.#from.pause()
    else if (!this.#to.writableNeedDrain) this.#from.resume()
  }

  #add(what: Piece['what']): void {
    const nowMs = this.#lane.clock.monotonicMs()
    let dueMs = nowMs + this.#lane.delayMs
    const { bytesPerSecond } = this.#lane
    if (bytesPerSecond !== null && typeof what !== 'string') {
      this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + (what.length / bytesPerSecond) * 1000
      dueMs = Math.max(dueMs, this.#freeAtMs)
    }
    dueMs = Math.max(dueMs, this.#queue.at(-1)?.dueMs ?? 0)
    this.#queue.push({ dueMs, what })
    if (typeof what !== 'string') this.#queuedBytes += what.length
  }

  #slices(bytes: Buffer): Buffer[] {
    const { bytesPerSecond } = this.#lane
    if (bytesPerSecond === null) return [bytes]
    const size = Math.max(1, Math.floor((bytesPerSecond * sliceMs) / 1000))
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
  }

  #send(what: Piece['what']): void {
    if (what === 'end') this.#to.end()
    else if (what === 'close') {
      this.#to.destroySoon()
      this.#from.destroy()
    } else if (what === 'reset') {
      resetSocket(this.#to)
      resetSocket(this.#from)
    } else {
      this.#queuedBytes -= what.length
      if (this.#to.write(what)) return
      this.#from.pause()
      this.#to.once('drain', () => this.#from.resume())
    }
  }
}
