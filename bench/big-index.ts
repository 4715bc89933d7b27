/** The corpora of 300 and 957 MB and their indexes: made by the row that measures the making, or by the one that needs them made. */
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentPlace, agentEnv, buildIndex, runToEnd } from './agents.ts'
import type { Corpus } from './corpus.ts'
import { measureByTurns } from './measure.ts'
import type { BenchContext } from './row.ts'

/** `big`: what most people's history comes to; `huge`: what nobody wants to wait for. */
export type HistorySize = 'big' | 'huge'

const histories = {
  big: { bytes: 300_000_000, quickBytes: 20_000_000, seed: 300, countedBuilds: 3 },
  huge: { bytes: 957_000_000, quickBytes: 30_000_000, seed: 957, countedBuilds: 3 },
} as const

export function bigCorpus(context: BenchContext, size: HistorySize = 'big'): Corpus {
  const { bytes, quickBytes, seed } = histories[size]
  return context.corpora.make(size, { bytes: context.quick ? quickBytes : bytes, seed })
}

export function bigPlace(context: BenchContext, size: HistorySize = 'big'): AgentPlace {
  return {
    binDir: context.binDir,
    homeDir: bigCorpus(context, size).homeDir,
    dataDir: join(context.workDir, `${size}-data`),
  }
}

/** Unless it is there already. */
export async function ensureBigIndex(context: BenchContext, size: HistorySize = 'big'): Promise<AgentPlace> {
  const place = bigPlace(context, size)
  if (!existsSync(indexFile(place))) await buildIndex(place)
  return place
}

/** Builds of an index from nothing, and readings of the same files beside them. */
export interface MeasuredBuilds {
  readonly indexMs: readonly number[]
  readonly parseMs: readonly number[]
  readonly transcriptBytes: number
  readonly indexBytes: number
}

/** By turns, whole processes; the index of the last one stays. Measured once a run, whichever rows ask. */
export async function measureBuilds(context: BenchContext, size: HistorySize): Promise<MeasuredBuilds> {
  return await context.once(`builds of ${size}`, async () => {
    const place = bigPlace(context, size)
    const parseArgs = [join(context.programsDir, 'parse-lines.mjs'), place.homeDir]
    // The first parse is not counted: it brings the files into the page cache for both.
    await runToEnd(parseArgs, agentEnv(place))
    const { aMs, bMs } = await measureByTurns(
      async () => {
        rmSync(place.dataDir, { recursive: true, force: true })
        await buildIndex(place)
      },
      async () => await runToEnd(parseArgs, agentEnv(place)),
      { warmUp: 0, counted: context.quick ? 1 : histories[size].countedBuilds },
    )
    const transcriptBytes = bigCorpus(context, size).bytes
    return { indexMs: aMs, parseMs: bMs, transcriptBytes, indexBytes: statSync(indexFile(place)).size }
  })
}

function indexFile({ dataDir }: AgentPlace): string {
  return join(dataDir, 'index.sqlite')
}
