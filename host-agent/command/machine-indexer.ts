/** The indexer of this machine, in a thread of its own. */
import type { Worker } from 'node:worker_threads'
import { systemClock } from '../../protocol/clock.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { createIndexerClient } from '../indexing/indexer-client.ts'
import { indexSettings, type Machine } from './machine.ts'

/** Where the indexing thread comes from. */
export interface IndexingThread {
  /** The bundled worker, beside the command. */
  readonly workerUrl: URL
  /** As `IndexerClientOptions.takeEarly`. */
  readonly takeEarly: () => Worker | null
}

/**
 * @throws Error for a configuration whose `[sources]` or `[index]` cannot be read.
 */
export function createMachineIndexer(
  machine: Machine,
  indexPath: string,
  { workerUrl, takeEarly }: IndexingThread,
): Indexer {
  const { homeDir, platform, env } = machine
  return createIndexerClient({
    workerUrl,
    takeEarly,
    clock: systemClock,
    job: { indexPath, homeDir, platform, env: { ...env }, ...indexSettings(machine) },
  })
}
