/**
 * Where `trawl-agent` begins: the indexing thread is started beside the loading of all the rest, which takes as long.
 * Somebody waits for each of these starts, and over SSH for every one. Entry of dist/trawl-agent.js.
 */
import { Worker } from 'node:worker_threads'
import { waitingRole } from './indexing/indexing-messages.ts'

/** The worker's file beside this one, where the build says it is not the usual one. */
declare const TRAWL_INDEXING_WORKER: string | undefined

const workerUrl = new URL(
  typeof TRAWL_INDEXING_WORKER === 'string' ? TRAWL_INDEXING_WORKER : './indexing-worker.js',
  import.meta.url,
)
const indexingCommands: readonly (string | undefined)[] = ['stdio', 'listen', 'index']
let early = indexingCommands.includes(process.argv[2])
  ? new Worker(workerUrl, { workerData: waitingRole })
  : null
// Whoever takes it keeps the process alive for it. One that cannot start is started anew, where its failure is heard.
early?.unref()
early?.once('error', () => {
  early = null
})

const { main } = await import('./main.ts')
await main({
  workerUrl,
  takeEarly() {
    const taken = early
    early = null
    return taken
  },
})
