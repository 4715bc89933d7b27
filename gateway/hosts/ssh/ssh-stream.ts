/** From the target of an `ssh:` host to its agent's stdin and stdout: the whole way, within one deadline. */
import type { Readable, Writable } from 'node:stream'
import type { ClientChannel } from 'ssh2'
import type { Clock } from '../../../protocol/clock.ts'
import type { TrawlError } from '../../../protocol/rpc/errors.ts'
import { endOfCommand } from './command-end.ts'
import { type FoundPart, placeOf, type SshConnection } from './connect.ts'
import { untilAborted, withDeadline } from './deadline.ts'
import { wrapExecChannel } from './exec-stream.ts'
import { defaultAgentCommand, wrapForLoginShell } from './remote-command.ts'
import { openRoute, planRoute, type SshRoute } from './route.ts'
import { type ConnectStage, connectFailure, unreachable } from './ssh-errors.ts'
import type { ResolveSshSettings } from './ssh-settings.ts'
import { parseSshTarget } from './target.ts'

/** How long an agent may take to end once its stdin has, before the connection is cut. */
const closeGraceMs = 2_000

export interface SshStreamOptions {
  /** The decoded target of the host id: an ssh_config alias, or `user@host:port`. */
  readonly target: string
  /** Run by `sh` on the far side; `trawl-agent stdio` by default (`ssh.agentCommand`). */
  readonly agentCommand?: string
  readonly resolveSettings: ResolveSshSettings
  readonly clock: Clock
  /** For the whole way: settings, every hop, login, and the start of the command. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** For the log: what of ssh_config was not followed, keys that went on record. May hold paths. */
  onNote?(note: string): void
  /** Told as the attempt goes on; every hop begins anew. */
  onStage?(stage: ConnectStage): void
  /** Told as each part of the way is done, hop by hop, with what was found. May hold paths. */
  onFound?(part: FoundPart, what: string): void
}

export interface SshStream extends AsyncDisposable {
  readonly stdin: Writable
  readonly stdout: Readable
  /** The last 8 KiB of the agent's stderr. */
  stderrTail(): string
  /**
   * Settles when all is over and the sockets are gone: null after a plain end, else `unreachable` with `agent-missing`
   * (exit 126, 127), `crashed`, `offline` or `timeout` (keepalive unanswered).
   */
  readonly closed: Promise<TrawlError | null>
  /** Ends stdin, gives the agent 2 s (or `graceMs`) to end, and takes the connection down. */
  close(graceMs?: number): Promise<void>
}

/**
 * Opens exactly one exec channel on a connection of its own.
 * @throws TrawlError `unreachable` with a reason of wire.md §4 and a sentence for the log, or `cancelled`. Nothing is
 *   left open then.
 */
export async function openSshStream(options: SshStreamOptions): Promise<SshStream> {
  const { clock, timeoutMs, signal, onNote = () => {} } = options
  const target = parseSshTarget(options.target)
  let stage: ConnectStage = 'connecting'
  const onExpired = () => {
    return unreachable('timeout', `${target.text} did not answer within ${timeoutMs / 1000} s (${stage}).`)
  }
  return await withDeadline({ clock, timeoutMs, signal, onExpired }, async (bounded) => {
    const plan = await untilAborted(bounded, planRoute(target, options.resolveSettings))
    for (const { notes } of plan) notes.forEach(onNote)
    const onStage = (next: ConnectStage) => {
      stage = next
      options.onStage?.(next)
    }
    const onFound = (part: FoundPart, what: string) => options.onFound?.(part, what)
    const route = await openRoute(plan, { clock, signal: bounded, onStage, onNote, onFound })
    try {
      onStage('starting the agent')
      const command = wrapForLoginShell(options.agentCommand ?? defaultAgentCommand)
      const channel = await untilAborted(bounded, openExec(route.last, command))
      return toStream(channel, route, clock)
    } catch (thrown) {
      await route.destroy()
      throw connectFailure(
        bounded.aborted ? thrown : (route.failure() ?? thrown),
        placeOf(route.last.settings),
        stage,
      )
    }
  })
}

function openExec({ client }: SshConnection, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => {
      if (error) reject(error)
      else resolve(channel)
    })
  })
}

function toStream(channel: ClientChannel, route: SshRoute, clock: Clock): SshStream {
  const place = placeOf(route.last.settings)
  let isClosing = false
  const loss = () => lossOf(route, place)
  const exec = wrapExecChannel(channel, { connectionClosed: route.last.closed, lossOf: loss })
  const closed = exec.closed.then(async (end) => {
    const error = isClosing ? null : end.isReported ? endOfCommand(end, place, exec.stderrTail()) : loss()
    await route.destroy()
    return error
  })
  const close = async (graceMs = closeGraceMs) => {
    isClosing = true
    exec.stdin.end()
    // What is still unread has no reader any more, and would hold up the channel's end.
    exec.stdout.resume()
    const stopTimer = clock.after(graceMs, () => void route.destroy())
    await closed
    stopTimer()
  }
  const { stdin, stdout, stderrTail } = exec
  return { stdin, stdout, stderrTail, closed, close, [Symbol.asyncDispose]: () => close() }
}

function lossOf(route: SshRoute, place: string): TrawlError {
  const failure = route.failure()
  if (failure === null) return unreachable('offline', `The connection to ${place} was closed.`)
  if (failure.message.includes('Keepalive timeout')) {
    return unreachable('timeout', `${place} stopped answering; the connection was given up.`, failure)
  }
  return unreachable('offline', `The connection to ${place} was lost: ${failure.message}.`, failure)
}
