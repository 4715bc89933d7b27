/**
 * Where `trawl-agent` begins: the indexing thread is started beside the loading of all the rest, which takes as long.
 * Somebody waits for each of these starts, and over SSH for every one. Entry of dist/trawl-agent.js.
 */
import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../protocol/clock.ts'
import type { AgentProgram } from './command/bridge.ts'
import { waitingRole } from './indexing/indexing-messages.ts'

/** The worker's file beside this one, where the build says it is not the usual one. */
declare const TRAWL_INDEXING_WORKER: string | undefined
declare const TRAWL_VERSION: string

const workerUrl = new URL(
  typeof TRAWL_INDEXING_WORKER === 'string' ? TRAWL_INDEXING_WORKER : './indexing-worker.js',
  import.meta.url,
)
const indexingCommands: readonly (string | undefined)[] = ['stdio', 'listen', 'index', 'resident']
const [, , word, ...flags] = process.argv
const isBridge = word === 'stdio' && flags.length === 1 && flags[0] === '--resident'
let early =
  !isBridge && indexingCommands.includes(word) ? new Worker(workerUrl, { workerData: waitingRole }) : null
// Whoever takes it keeps the process alive for it. One that cannot start is started anew, where its failure is heard.
early?.unref()
early?.once('error', () => {
  early = null
})

const file = fileURLToPath(import.meta.url)
const program: AgentProgram = {
  file,
  version: TRAWL_VERSION,
  builtMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
}
const bridged = isBridge ? await bridge() : null
if (bridged === null) await answer()
else process.exitCode = bridged

/** The resident agent's answers, where there can be one. @returns the exit code, or null for answering here. */
async function bridge(): Promise<number | null> {
  const { bridgeToResident } = await import('./command/bridge.ts')
  return await bridgeToResident({
    machine: { env: process.env, homeDir: homedir(), platform: process.platform },
    program,
    input: process.stdin,
    output: process.stdout,
    clock: systemClock,
    complain: (text) => process.stderr.write(`${text}\n`),
  })
}

async function answer(): Promise<void> {
  const { main } = await import('./main.ts')
  await main(program, {
    workerUrl,
    takeEarly() {
      const taken = early
      early = null
      return taken
    },
  })
}
