/** The corpus of 300 MB and its index: made by the row that measures the making, or by the one that needs it made. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentPlace, buildIndex } from './agents.ts'
import type { Corpus } from './corpus.ts'
import type { BenchContext } from './row.ts'

const corpusBytes = 300_000_000
const quickCorpusBytes = 20_000_000

export function bigCorpus(context: BenchContext): Corpus {
  return context.corpora.make('big', { bytes: context.quick ? quickCorpusBytes : corpusBytes, seed: 300 })
}

export function bigPlace(context: BenchContext): AgentPlace {
  return {
    binDir: context.binDir,
    homeDir: bigCorpus(context).homeDir,
    dataDir: join(context.workDir, 'big-data'),
  }
}

/** From nothing. */
export async function rebuildBigIndex(context: BenchContext): Promise<void> {
  const place = bigPlace(context)
  rmSync(place.dataDir, { recursive: true, force: true })
  await buildIndex(place)
}

/** Unless it is there already. */
export async function ensureBigIndex(context: BenchContext): Promise<AgentPlace> {
  const place = bigPlace(context)
  if (!existsSync(indexFile(place))) await buildIndex(place)
  return place
}

export function indexMB(place: AgentPlace): number {
  return statSync(indexFile(place)).size / 1e6
}

function indexFile({ dataDir }: AgentPlace): string {
  return join(dataDir, 'index.sqlite')
}
