/** What a subcommand gets from the process it runs in; tests hand over their own. */
import type { Clock } from '../../protocol/clock.ts'
import type { Ask } from './ask-terminal.ts'
import type { Terminal } from './terminal.ts'

export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface CommandContext {
  /** Results, and nothing else. */
  readonly stdout: OutputStream
  /** Everything a person should know beside them. */
  readonly stderr: OutputStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly homeDir: string
  readonly cwd: string
  readonly clock: Clock
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
  /** Calls back when the process is told to read its configuration again. @returns how to stop that. */
  onReload?(work: () => void): () => void
  /** Program and arguments that start this command itself. */
  readonly trawlCommand: readonly string[]
  /** Program and arguments that start this machine's agent on its stdio. */
  readonly agentCommand: readonly string[]
  /** The agent as one file, for SSH hosts that do not have it. */
  readonly agentBundleFile?: string
  /** The whole screen and its keys; absent where input or output is no terminal. */
  readonly terminal?: Terminal
  /** Absent where nobody can answer. */
  readonly ask?: Ask
  readonly version: string
  /** In [0, 1). */
  random(): number
  randomBytes(count: number): Buffer
  createId(): string
}

/** @returns the exit code. @throws Refusal, TrawlError. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>
