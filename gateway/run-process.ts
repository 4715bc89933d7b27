/** Hands this process over to a subcommand: its streams, signals, terminal, and the programs beside it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../protocol/clock.ts'
import { askOnTerminal } from './cli/ask-terminal.ts'
import { exitCodes } from './cli/exit-codes.ts'
import { runTrawl } from './cli/run.ts'
import { createTerminal } from './cli/terminal.ts'
import { systemCode } from './refusal.ts'

/** What a search throws away fills whatever Node grants it: 4 MB instead of 16 leave the idle agent 15 MB smaller, and answers as fast. */
const agentFlags = ['--max-semi-space-size=4']

/** @returns the exit code; never throws. Called once in a process. */
export async function runInProcess(args: readonly string[], version: string): Promise<number> {
  const leaving = new AbortController()
  const leave = () => {
    // The second one does not wait for the first to be done.
    if (leaving.signal.aborted) process.exit(exitCodes.interrupted)
    leaving.abort()
  }
  process.on('SIGINT', leave)
  process.on('SIGTERM', leave)

  /** SIGHUP says that the terminal is gone, or, to a command that serves, that its configuration is to be read again. */
  const reloads = new Set<() => void>()
  const hadTerminal = isatty(process.stderr.fd)
  process.on('SIGHUP', () => {
    if (reloads.size === 0 || (hadTerminal && !isatty(process.stderr.fd))) leave()
    else for (const work of reloads) work()
  })

  // `trawl search … | head` closes our output before we are done; that is no fault.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (systemCode(error) !== 'EPIPE') throw error
    })

  const ask = askOnTerminal(process.stdin, process.stderr)
  const terminal =
    process.env.TERM === 'dumb' ? undefined : createTerminal(process.stdin, process.stdout, leave)

  return await runTrawl(args, {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    homeDir: homedir(),
    cwd: process.cwd(),
    clock: systemClock,
    signal: leaving.signal,
    onReload: (work) => {
      reloads.add(work)
      return () => void reloads.delete(work)
    },
    trawlCommand: [process.execPath, fileURLToPath(new URL('../bin/trawl.js', import.meta.url))],
    agentCommand: [
      process.execPath,
      ...agentFlags,
      fileURLToPath(new URL('../bin/trawl-agent.js', import.meta.url)),
    ],
    agentBundleFile: fileURLToPath(new URL('./agent-bundle/trawl-agent.mjs', import.meta.url)),
    ...(ask === undefined ? {} : { ask }),
    ...(terminal === undefined ? {} : { terminal }),
    version,
    random: Math.random,
    randomBytes,
    createId: randomUUID,
  })
}
