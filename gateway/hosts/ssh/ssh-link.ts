/** An SSH host's link through ssh2: settings, every hop, login and the agent, on a connection of its own. */
import type { MessageChannel } from '../../../protocol/rpc/message-channel.ts'
import { type AgentStart, openAgentLink } from './agent-link.ts'
import type { FoundPart } from './connect.ts'
import type { ConnectStage } from './ssh-errors.ts'
import type { ResolveSshSettings } from './ssh-settings.ts'
import { openSshStream } from './ssh-stream.ts'

export interface SshLinkOptions extends AgentStart {
  readonly resolveSettings: ResolveSshSettings
  /** For connecting and logging in; the agent's start and its ready line have their own time after it. */
  readonly timeoutMs: number
  onNote?(note: string): void
  /** Told as the attempt goes on; every hop begins anew. */
  onStage?(stage: ConnectStage): void
  onFound?(part: FoundPart, what: string): void
}

/**
 * @returns what a supervisor calls to connect. It rejects with TrawlError `unreachable` and a reason of wire.md §4, or
 *   `cancelled`, and leaves nothing open then.
 */
export function openSshLink(options: SshLinkOptions): (signal: AbortSignal) => Promise<MessageChannel> {
  const openStream = async (agentCommand: string, signal: AbortSignal) =>
    await openSshStream({ ...options, agentCommand, signal })
  return async (signal) => await openAgentLink(openStream, options, signal)
}
