/** Runs a `trawl` subcommand inside the test, with streams that remember what they were given. */
import { randomBytes } from 'node:crypto'
import type { CommandContext } from '../../gateway/cli/command-context.ts'
import { runTrawl } from '../../gateway/cli/run.ts'
import { systemClock } from '../../protocol/clock.ts'

export interface CommandRun {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly dataDir: string
  readonly env?: Readonly<Record<string, string>>
  readonly agentCommand?: readonly string[]
  readonly agentBundleFile?: string
  /** The home directory; the data directory unless told otherwise. */
  readonly homeDir?: string
  /** Answers what the command asks; nobody does without. */
  readonly ask?: CommandContext['ask']
  readonly signal?: AbortSignal
  /** Columns of the terminal that stdout is; a pipe without. */
  readonly columns?: number
  readonly nowMs?: number
  onStderr?(text: string): void
}

export async function runCommand(args: readonly string[], options: RunOptions): Promise<CommandRun> {
  let stdout = ''
  let stderr = ''
  const context: CommandContext = {
    stdout: {
      write: (text) => {
        stdout += text
      },
      ...(options.columns === undefined ? {} : { isTTY: true, columns: options.columns }),
    },
    stderr: {
      write: (text) => {
        stderr += text
        options.onStderr?.(text)
      },
    },
    env: { PATH: process.env.PATH, NO_COLOR: '1', TRAWL_DATA_DIR: options.dataDir, ...options.env },
    homeDir: options.homeDir ?? options.dataDir,
    cwd: '/work/here',
    clock: { ...systemClock, now: () => options.nowMs ?? Date.now() },
    signal: options.signal ?? new AbortController().signal,
    trawlCommand: [process.execPath, '/opt/trawl/bin/trawl.js'],
    agentCommand: options.agentCommand ?? [process.execPath, '--eval', 'process.exit(1)'],
    ...(options.agentBundleFile === undefined ? {} : { agentBundleFile: options.agentBundleFile }),
    ...(options.ask === undefined ? {} : { ask: options.ask }),
    version: '9.9.9',
    random: () => 0,
    randomBytes,
    createId: () => 'id-1',
  }
  const exitCode = await runTrawl(args, context)
  return { exitCode, stdout, stderr }
}
