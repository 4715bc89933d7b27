/** Two ends of one channel inside a process: for embedding the gateway in a command, and for tests. */
import type { ChannelHandlers, MessageChannel } from './message-channel.ts'

/** Messages arrive in order, each in a task of its own, as they would from a socket. */
export function createInMemoryChannelPair(): [MessageChannel, MessageChannel] {
  const a = new InMemoryChannel()
  const b = new InMemoryChannel()
  a.peer = b
  b.peer = a
  return [a, b]
}

class InMemoryChannel implements MessageChannel {
  peer: InMemoryChannel | null = null
  #handlers: ChannelHandlers | null = null
  #waiting: string[] = []
  #open = true

  start(handlers: ChannelHandlers): void {
    this.#handlers = handlers
    for (const text of this.#waiting.splice(0)) this.#deliver(text)
    if (!this.#open) queueMicrotask(() => handlers.closed(null))
  }

  async send(text: string): Promise<void> {
    if (!this.#open || this.peer === null) throw new Error('the channel is closed')
    this.peer.#receive(text)
  }

  async close(): Promise<void> {
    this.#end()
    if (this.peer !== null) this.peer.#end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #receive(text: string): void {
    if (this.#handlers === null) this.#waiting.push(text)
    else this.#deliver(text)
  }

  #deliver(text: string): void {
    setImmediate(() => {
      if (this.#open) this.#handlers?.message(text)
    })
  }

  #end(): void {
    if (!this.#open) return
    this.#open = false
    const handlers = this.#handlers
    if (handlers !== null) queueMicrotask(() => handlers.closed(null))
  }
}
