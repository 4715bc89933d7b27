/** The indexer of this machine, in a thread of its own. */
import { systemClock } from '../../protocol/clock.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { createIndexerClient } from '../indexing/indexer-client.ts'
import { indexSettings, type Machine } from './machine.ts'

/**
 * @param workerUrl the bundled worker, beside the command.
 * @throws Error for a configuration whose `[sources]` or `[index]` cannot be read.
 */
export function createMachineIndexer(machine: Machine, indexPath: string, workerUrl: URL): Indexer {
  const { homeDir, platform, env } = machine
  return createIndexerClient({
    workerUrl,
    clock: systemClock,
    job: { indexPath, homeDir, platform, env: { ...env }, ...indexSettings(machine) },
  })
}
