/** An SSH host's link: its agent's stdio over one exec channel, once the agent has said that it is ready. */
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import { createLineChannel } from '../../../protocol/rpc/line-channel.ts'
import { type MessageChannel, maxPeerMessageBytes } from '../../../protocol/rpc/message-channel.ts'
import { awaitReadyLine, readyTimeoutMs } from '../../../protocol/rpc/ready-line.ts'
import type { ResolveSshSettings } from './ssh-settings.ts'
import { openSshStream } from './ssh-stream.ts'

export interface SshLinkOptions {
  readonly target: string
  readonly agentCommand?: string
  readonly resolveSettings: ResolveSshSettings
  readonly clock: Clock
  /** For connecting and logging in; the agent's ready line has its own 10 s after it. */
  readonly timeoutMs: number
  onNote?(note: string): void
}

/**
 * @returns what a supervisor calls to connect. It rejects with TrawlError `unreachable` and a reason of wire.md §4, or
 *   `cancelled`, and leaves nothing open then.
 */
export function openSshLink(options: SshLinkOptions): (signal: AbortSignal) => Promise<MessageChannel> {
  return async (signal) => {
    const stream = await openSshStream({ ...options, signal })
    try {
      const { received } = await awaitReadyLine(stream.stdout, { timeoutMs: readyTimeoutMs, signal })
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
}
