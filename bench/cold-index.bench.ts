/** A cold index, beside the least that any indexer of these files has to do: read them and parse every line. */
import { join } from 'node:path'
import { agentEnv, runToEnd, startAgent } from './agents.ts'
import { bigCorpus, bigPlace, indexMB, rebuildBigIndex } from './big-index.ts'
import type { Corpus } from './corpus.ts'
import { measureByTurns, median } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

export const coldIndex: BenchRow = {
  name: 'cold-index',
  what: 'cold index of 300 MB ÷ reading and `JSON.parse`-ing every line of it',
  unit: 'ratio',
  atMost: 3.5,
  measure: measureColdIndex,
}

async function measureColdIndex(context: BenchContext): Promise<Measured> {
  const corpus = bigCorpus(context)
  const place = bigPlace(context)
  const parseArgs = [join(context.programsDir, 'parse-lines.mjs'), corpus.homeDir]
  const counted = context.quick ? 1 : 3
  // The first parse is not counted: it brings the files into the page cache for both.
  await runToEnd(parseArgs, agentEnv(place))
  const { aMs, bMs } = await measureByTurns(
    async () => await rebuildBigIndex(context),
    async () => await runToEnd(parseArgs, agentEnv(place)),
    { warmUp: 0, counted },
  )
  await checkNeedles(context, corpus)
  const [indexMs, parseMs] = [median(aMs), median(bMs)]
  const rate = (ms: number) => `${(corpus.bytes / 1e3 / ms).toFixed(0)} MB/s`
  return {
    value: indexMs / parseMs,
    detail:
      `${(indexMs / 1000).toFixed(1)} s (${rate(indexMs)}) ÷ ${(parseMs / 1000).toFixed(2)} s (${rate(parseMs)}), ` +
      `medians of ${counted}, whole processes; the index is ${(indexMB(place) / (corpus.bytes / 1e6)).toFixed(2)} of the transcripts' size`,
  }
}

/** @throws Error when something that was written is not found: then the time says nothing. */
async function checkNeedles(context: BenchContext, corpus: Corpus): Promise<void> {
  await using agent = await startAgent(bigPlace(context))
  const lost: string[] = []
  for (const { query, kind, sessionId } of corpus.needles) {
    const { hits } = await agent.search({ query, limit: 5 })
    if (!hits.some((hit) => hit.sessionId === sessionId)) lost.push(`${kind} ${query}`)
  }
  if (lost.length > 0) throw new Error(`not found in the index: ${lost.join(', ')}`)
}
