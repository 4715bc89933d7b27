/** The local host: this machine's agent as a child process, spoken to over its stdio like any other. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { createLineChannel } from '../../protocol/rpc/line-channel.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { awaitReadyLine, readyTimeoutMs } from '../../protocol/rpc/ready-line.ts'
import type { OpenLink } from './open-link.ts'

const keptStderrUnits = 8 * 1024
/** How long a child that was told to end may take before it is killed. */
const childGraceMs = 2_000

export interface LocalLinkOptions {
  /** Program and arguments that start the agent on its stdio. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** What the agent writes to stderr, for the log at debug level. */
  onDiagnostics?(text: string): void
}

export function openLocalLink(options: LocalLinkOptions): OpenLink {
  return async (signal) => {
    const [program, ...args] = options.command
    if (program === undefined)
      throw new TrawlError('unreachable', 'No agent command.', { reason: 'agent-missing' })
    signal.throwIfAborted()
    const child = spawn(program, args, { env: options.env, stdio: ['pipe', 'pipe', 'pipe'] })
    const stderr = keepTail(child, options.onDiagnostics)
    try {
      await Promise.race([failedToStart(child, program), once(child, 'spawn', { signal })])
      const { received } = await awaitReadyLine(child.stdout, { timeoutMs: readyTimeoutMs, signal })
      const channel = createLineChannel({
        input: child.stdout,
        output: child.stdin,
        received,
        maxMessageBytes: maxPeerMessageBytes,
        endCause: async () => await endOf(child, stderr),
        close: async () => await endChild(child, options.clock),
      })
      return channel
    } catch (thrown) {
      child.kill('SIGKILL')
      throw withStderr(TrawlError.from(thrown), stderr())
    }
  }
}

function failedToStart(child: ChildProcess, program: string): Promise<never> {
  return new Promise((_, reject) => {
    child.once('error', (cause) => {
      reject(
        new TrawlError(
          'unreachable',
          `The agent could not be started: ${program}`,
          { reason: 'agent-missing' },
          cause,
        ),
      )
    })
  })
}

function keepTail(child: ChildProcess, onText?: (text: string) => void): () => string {
  let tail = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-keptStderrUnits)
    onText?.(text)
  })
  return () => tail
}

function withStderr(error: TrawlError, stderr: string): TrawlError {
  if (error.code !== 'unreachable' || stderr.trim() === '') return error
  return new TrawlError(error.code, `${error.message} It wrote: ${stderr.trim()}`, error.details, error.cause)
}

/** An agent that ends by itself has crashed, whatever its exit code: nobody asked it to end. */
async function endOf(child: ChildProcess, stderr: () => string): Promise<TrawlError> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  const how = child.signalCode === null ? `with exit code ${child.exitCode}` : `by ${child.signalCode}`
  return withStderr(new TrawlError('unreachable', `The agent ended ${how}.`, { reason: 'crashed' }), stderr())
}

/** Closing stdin asks the agent to end; what does not end in time is killed. */
async function endChild(child: ChildProcess, clock: Clock): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.stdin?.end()
  const stopTimer = clock.after(childGraceMs, () => child.kill('SIGKILL'))
  await ended
  stopTimer()
}
