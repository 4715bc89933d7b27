/**
 * An SSH host's link: its agent's stdio over one channel, once the agent has said that it is ready. How the channel comes
 * about – through ssh2, or through the system's ssh – is the caller's.
 */
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import { createLineChannel } from '../../../protocol/rpc/line-channel.ts'
import { type MessageChannel, maxPeerMessageBytes } from '../../../protocol/rpc/message-channel.ts'
import { awaitReadyLine, readyTimeoutMs } from '../../../protocol/rpc/ready-line.ts'
import type { AgentBundle } from './agent-bundle.ts'
import { type PushOptions, pushAgent } from './push-agent.ts'
import { defaultAgentCommand, olderAgentWord, startWordPrefix } from './remote-command.ts'
import { unreachable } from './ssh-errors.ts'
import type { SshStream } from './ssh-stream.ts'
import { bootstrapCommand } from './start-script.ts'

const shownStderrUnits = 500

export interface AgentStart {
  /** The decoded target of the host id; what sentences call the host. */
  readonly target: string
  /** Run by `sh` on the far side as it is (`ssh.agentCommand`); nothing is pushed then. */
  readonly agentCommand?: string
  /** What is pushed to a host that does not have it; without one `trawl-agent stdio` must be there. */
  readonly bundle?: AgentBundle
  readonly clock: Clock
  /** What the channel may still need for connecting once it is there: the system's ssh connects behind it. */
  readonly connectingMs?: number
  /** Told when an agent is sent, with its packed size in bytes. */
  onPush?(bytes: number): void
  /** Told at each start of an agent that is older than resident ones, and answers for this connection alone. */
  onOlderAgent?(): void
}

/** Opens the channel and starts the command on it. */
export type OpenStream = (agentCommand: string, signal: AbortSignal) => Promise<SshStream>

/**
 * @throws TrawlError `unreachable` with a reason of wire.md §4, or `cancelled`. Nothing is left open then.
 */
export async function openAgentLink(
  openStream: OpenStream,
  start: AgentStart,
  signal: AbortSignal,
): Promise<MessageChannel> {
  const { agentCommand, bundle, connectingMs = 0 } = start
  const pushed = agentCommand === undefined ? bundle : undefined
  const command = agentCommand ?? (bundle === undefined ? defaultAgentCommand : bootstrapCommand)
  const stream = await openStream(command, signal)
  try {
    if (pushed !== undefined) await pushInto(stream, { ...start, bundle: pushed, signal })
    const { received, banner } = await awaitReadyLine(stream.stdout, {
      timeoutMs: readyTimeoutMs + connectingMs,
      signal,
    })
    if (banner.includes(`${startWordPrefix}${olderAgentWord}`)) start.onOlderAgent?.()
    return createLineChannel({
      input: stream.stdout,
      output: stream.stdin,
      received,
      maxMessageBytes: maxPeerMessageBytes,
      endCause: () => stream.closed,
      close: () => stream.close(),
    })
  } catch (thrown) {
    // How the command ended says more than that its output did.
    const error = TrawlError.from(thrown)
    const end = error.details.reason === 'crashed' ? await stream.closed : null
    await stream.close(0)
    throw end ?? error
  }
}

/** A shell that ends before it has said a word has run nothing of ours: no `sh`, or no commands for this account. */
async function pushInto(stream: SshStream, options: PushOptions): Promise<void> {
  try {
    await pushAgent(stream, options)
  } catch (thrown) {
    const error = TrawlError.from(thrown)
    if (error.details.reason !== 'crashed') throw error
    const end = await stream.closed
    if (end !== null && end.details.reason !== 'crashed') throw end
    const stderr = stream.stderrTail().trim().slice(-shownStderrUnits)
    const said = stderr === '' ? '' : ` It wrote: ${stderr}`
    const advice = 'The account must run commands and have sh; elsewhere (Windows) set ssh.agentCommand.'
    throw unreachable('agent-missing', `${error.message} ${advice}${said}`, end ?? error)
  }
}
