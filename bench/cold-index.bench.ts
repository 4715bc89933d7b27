/** A cold index, beside the least that any indexer of these files has to do: read them and parse every line. */
import { join } from 'node:path'
import { agentEnv, outputOf, startAgent } from './agents.ts'
import { bigCorpus, bigPlace, type HistorySize, type MeasuredBuilds, measureBuilds } from './big-index.ts'
import { median } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

export const coldIndex: BenchRow = {
  name: 'cold-index',
  what: 'cold index of 300 MB ÷ reading and `JSON.parse`-ing every line of it',
  unit: 'ratio',
  atMost: 2.5,
  measure: async (context) => await measureRatio(context, 'big'),
}

export const coldIndexHuge: BenchRow = {
  name: 'cold-index-957',
  what: 'the same with 957 MB',
  unit: 'ratio',
  atMost: 2.5,
  measure: async (context) => await measureRatio(context, 'huge'),
}

export const indexRate: BenchRow = {
  name: 'index-rate',
  what: 'cold index of 957 MB, transcripts a second',
  unit: 'MB/s',
  atLeast: 60,
  measure: measureRate,
}

export const indexSize: BenchRow = {
  name: 'index-size',
  what: 'index of 957 MB ÷ its transcripts, bytes',
  unit: 'ratio',
  atMost: 0.5,
  measure: measureSize,
}

async function measureRatio(context: BenchContext, size: HistorySize): Promise<Measured> {
  const builds = await measureBuilds(context, size)
  await checkNeedles(context, size)
  const [indexMs, parseMs] = [median(builds.indexMs), median(builds.parseMs)]
  const figure = (ms: number) => `${(ms / 1000).toFixed(2)} s (${rateOf(builds, ms).toFixed(0)} MB/s)`
  return {
    value: indexMs / parseMs,
    detail: `${figure(indexMs)} ÷ ${figure(parseMs)}, medians of ${builds.indexMs.length} by turns, whole processes`,
  }
}

/** Beside it what the machine does in bare loops: parsing these lines, and FTS5 given nothing but text. */
async function measureRate(context: BenchContext): Promise<Measured> {
  const builds = await measureBuilds(context, 'huge')
  const place = bigPlace(context, 'huge')
  const bare = await outputOf(
    [join(context.programsDir, 'bare-full-text.mjs'), place.homeDir],
    agentEnv(place),
  )
  return {
    value: rateOf(builds, median(builds.indexMs)),
    detail:
      `the machine's bare loops: ${rateOf(builds, median(builds.parseMs)).toFixed(0)} MB/s of transcripts read and parsed, ` +
      `${Number(bare).toFixed(0)} MB/s of text into a contentless FTS5 table and nothing else`,
  }
}

async function measureSize(context: BenchContext): Promise<Measured> {
  const { indexBytes, transcriptBytes } = await measureBuilds(context, 'huge')
  return {
    value: indexBytes / transcriptBytes,
    detail: `${(indexBytes / 1e6).toFixed(0)} MB ÷ ${(transcriptBytes / 1e6).toFixed(0)} MB, all texts that can be shown included`,
  }
}

function rateOf({ transcriptBytes }: MeasuredBuilds, ms: number): number {
  return transcriptBytes / 1e3 / ms
}

/** @throws Error when something that was written is not found: then the time says nothing. */
async function checkNeedles(context: BenchContext, size: HistorySize): Promise<void> {
  await using agent = await startAgent(bigPlace(context, size))
  const lost: string[] = []
  for (const { query, kind, sessionId } of bigCorpus(context, size).needles) {
    const { hits } = await agent.search({ query, limit: 5 })
    if (!hits.some((hit) => hit.sessionId === sessionId)) lost.push(`${kind} ${query}`)
  }
  if (lost.length > 0) throw new Error(`not found in the index: ${lost.join(', ')}`)
}
