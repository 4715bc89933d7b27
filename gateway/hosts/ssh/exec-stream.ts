/**
 * The one exec channel of a connection, as a pair of plain byte streams. ssh2's own channel never calls back for a
 * write once the connection is gone and tells a lost connection from an agent that ended by nothing; these streams do.
 */
import { Readable, Writable } from 'node:stream'
import type { ClientChannel } from 'ssh2'

/** How much of the agent's stderr is kept for a sentence. */
const keptStderrBytes = 8 * 1024

export interface ExecStream {
  /** To the agent. A write is called back when it is handed to the connection, or with the error that ended it. */
  readonly stdin: Writable
  /** From the agent. Ends when the agent ends; fails with the loss when the connection does. */
  readonly stdout: Readable
  /** The last 8 KiB, as text. */
  stderrTail(): string
  /** Settles when the channel is over. */
  readonly closed: Promise<ExecEnd>
}

export interface ExecEnd {
  /** The agent's exit status; null when it was killed or the connection was lost first. */
  readonly exitCode: number | null
  /** `SIGKILL` and the like. */
  readonly exitSignal: string | null
  /** Whether the far side said that the command has ended; else the connection was lost. */
  readonly isReported: boolean
}

export interface ExecChannelOptions {
  /** Settles when the connection under the channel is gone; the channel is over then, read to its end or not. */
  readonly connectionClosed: Promise<void>
  /** Asked for the error when the channel ends without word from the far side. */
  lossOf(): Error
}

export function wrapExecChannel(channel: ClientChannel, options: ExecChannelOptions): ExecStream {
  let inFlight: ((error?: Error | null) => void) | null = null
  let tail = Buffer.alloc(0)
  let end: ExecEnd = { exitCode: null, exitSignal: null, isReported: false }
  let isClosed = false

  const stdout = new Readable({
    read: () => void channel.resume(),
  })
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (isClosed) return done(new Error('the agent has ended'))
      inFlight = done
      channel.write(chunk, (error) => settleWrite(error))
    },
    final(done) {
      channel.end()
      done()
    },
  })
  const settleWrite = (error?: Error | null) => {
    const done = inFlight
    inFlight = null
    done?.(error)
  }
  // A stream's error that nobody listens to would end the process; `closed` tells it in any case.
  stdout.on('error', () => {})
  stdin.on('error', () => {})

  channel.on('data', (chunk: Buffer) => {
    if (!stdout.push(chunk)) channel.pause()
  })
  // stderr shares the channel's window: left unread, it would stop stdout.
  channel.stderr.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-keptStderrBytes)
  })
  channel.on('exit', (code: number | null, signal?: string) => {
    end = { exitCode: code, exitSignal: signal ?? null, isReported: true }
  })
  channel.on('error', () => {})

  const closed = new Promise<ExecEnd>((resolve) => {
    const finish = () => {
      if (isClosed) return
      isClosed = true
      const loss = end.isReported ? null : options.lossOf()
      if (loss === null) stdout.push(null)
      else stdout.destroy(loss)
      settleWrite(loss ?? new Error('the agent has ended'))
      stdin.destroy(loss ?? undefined)
      resolve(end)
    }
    channel.on('close', finish)
    void options.connectionClosed.then(finish)
  })
  return { stdin, stdout, stderrTail: () => tail.toString('utf8'), closed }
}
