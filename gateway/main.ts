/** The `trawl` command: hands the process over to the subcommand and takes its exit code. */
import { randomBytes, randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../protocol/clock.ts'
import { askOnTerminal } from './cli/ask-terminal.ts'
import { exitCodes } from './cli/exit-codes.ts'
import { runTrawl } from './cli/run.ts'
import { systemCode } from './refusal.ts'

/** Put in by the build. */
declare const TRAWL_VERSION: string

const leaving = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    // The second one does not wait for the first to be done.
    if (leaving.signal.aborted) process.exit(exitCodes.interrupted)
    leaving.abort()
  })

// `trawl search … | head` closes our output before we are done; that is no fault.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (systemCode(error) !== 'EPIPE') throw error
  })

/** What a search throws away fills whatever Node grants it: 4 MB instead of 16 leave the idle agent 15 MB smaller, and answers as fast. */
const agentFlags = ['--max-semi-space-size=4']

const ask = askOnTerminal(process.stdin, process.stderr)

process.exitCode = await runTrawl(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  homeDir: homedir(),
  cwd: process.cwd(),
  clock: systemClock,
  signal: leaving.signal,
  agentCommand: [
    process.execPath,
    ...agentFlags,
    fileURLToPath(new URL('../bin/trawl-agent.js', import.meta.url)),
  ],
  agentBundleFile: fileURLToPath(new URL('./agent-bundle/trawl-agent.mjs', import.meta.url)),
  ...(ask === undefined ? {} : { ask }),
  version: typeof TRAWL_VERSION === 'string' ? TRAWL_VERSION : 'not built',
  random: Math.random,
  randomBytes,
  createId: randomUUID,
})
