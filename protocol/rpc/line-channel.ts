/** One JSON message a line over a pair of byte streams: a child process's stdio, or an SSH channel's. */
import type { Readable, Writable } from 'node:stream'
import type { ChannelHandlers, MessageChannel } from './message-channel.ts'

const newline = 0x0a
/** How much of a message over the limit is kept, to find its id. */
const oversizeHeadBytes = 1024

export interface LineChannelOptions {
  readonly input: Readable
  readonly output: Writable
  readonly maxMessageBytes: number
  /** Bytes that arrived before the channel was made (after the ready line). */
  readonly received?: Buffer
  /** Why the streams ended, once that is known: the child's exit, the SSH connection's loss. */
  readonly endCause?: () => Promise<Error | null>
  /** Ends what is behind the streams: the child, the SSH connection. */
  close?(): Promise<void>
}

export function createLineChannel(options: LineChannelOptions): MessageChannel {
  return new LineChannel(options)
}

class LineChannel implements MessageChannel {
  readonly #options: LineChannelOptions
  #handlers: ChannelHandlers | null = null
  #parts: Buffer[] = []
  #partBytes = 0
  #isOpen = true
  #drained: { promise: Promise<void>; resolve: () => void } | null = null

  constructor(options: LineChannelOptions) {
    this.#options = options
    const onError = (error: Error) => this.#end(error)
    options.input.on('error', onError)
    options.output.on('error', onError)
    options.output.on('close', () => this.#end(null))
  }

  start(handlers: ChannelHandlers): void {
    this.#handlers = handlers
    const { input, received } = this.#options
    if (received !== undefined && received.length > 0) this.#read(received)
    input.on('data', (chunk: Buffer) => this.#read(chunk))
    input.on('end', () => this.#end(null))
    input.on('close', () => this.#end(null))
    // Whoever read the ready line left the stream paused.
    input.resume()
    if (!this.#isOpen) queueMicrotask(() => handlers.closed(null))
  }

  async send(text: string): Promise<void> {
    if (!this.#isOpen) throw new Error('the channel is closed')
    if (!this.#options.output.write(`${text}\n`)) await this.#waitForDrain()
  }

  async close(): Promise<void> {
    this.#end(null)
    await this.#options.close?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #waitForDrain(): Promise<void> {
    if (this.#drained === null) {
      let resolve = () => {}
      const promise = new Promise<void>((done) => {
        resolve = done
      })
      this.#drained = { promise, resolve }
      this.#options.output.once('drain', () => this.#releaseDrain())
    }
    return this.#drained.promise
  }

  #releaseDrain(): void {
    this.#drained?.resolve()
    this.#drained = null
  }

  #read(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      this.#keep(chunk.subarray(from, at))
      this.#finishLine()
      from = at + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  /** Past the limit only the head stays in memory. */
  #keep(part: Buffer): void {
    if (this.#partBytes <= this.#options.maxMessageBytes) this.#parts.push(part)
    this.#partBytes += part.length
    if (this.#partBytes > this.#options.maxMessageBytes && this.#parts.length > 1) {
      this.#parts = [Buffer.concat(this.#parts).subarray(0, oversizeHeadBytes)]
    }
  }

  #finishLine(): void {
    const bytes = this.#parts.length === 1 ? (this.#parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#parts)
    const isOversize = this.#partBytes > this.#options.maxMessageBytes
    this.#parts = []
    this.#partBytes = 0
    if (isOversize) {
      this.#handlers?.oversize(bytes.toString('utf8', 0, oversizeHeadBytes))
      return
    }
    const text = bytes.toString('utf8')
    if (text.trim() !== '') this.#handlers?.message(text)
  }

  #end(cause: Error | null): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#parts = []
    this.#releaseDrain()
    const handlers = this.#handlers
    if (handlers === null) return
    const { endCause } = this.#options
    if (cause !== null || endCause === undefined) handlers.closed(cause)
    else
      endCause().then(
        (known) => handlers.closed(known),
        (unknown: Error) => handlers.closed(unknown),
      )
  }
}
