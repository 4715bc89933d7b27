/** What an agent takes of its machine: memory at work and idle, processor time idle, time to come back, answers while it indexes. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentPlace, buildIndex, launchAgent, startAgent } from './agents.ts'
import { bigCorpus, bigPlace, ensureBigIndex } from './big-index.ts'
import { processorMs, residentMB } from './child-program.ts'
import { median, percentile, timeMs } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

export const memoryIndexing: BenchRow = {
  name: 'memory-indexing',
  what: 'resident memory of an agent while it indexes 957 MB, at most',
  unit: 'MB',
  atMost: 250,
  measure: measureMemoryIndexing,
}

export const memoryIdle: BenchRow = {
  name: 'memory-idle',
  what: 'resident memory of an agent that serves 957 MB and has nothing to do',
  unit: 'MB',
  atMost: 120,
  measure: measureMemoryIdle,
}

export const idleProcessor: BenchRow = {
  name: 'idle-cpu',
  what: 'processor time of that agent over a minute, of one core',
  unit: '%',
  atMost: 0.5,
  measure: measureIdleProcessor,
}

export const restart: BenchRow = {
  name: 'restart',
  what: 'start of an agent with 5,000 files and nothing changed, until it is `current`',
  unit: 'ms',
  atMost: 300,
  measure: measureRestart,
}

export const queriesWhileIndexing: BenchRow = {
  name: 'queries-while-indexing',
  what: 'queries while 300 MB are being indexed ÷ the same at rest, p95',
  unit: 'ratio',
  atMost: 2,
  measure: measureWhileIndexing,
}

async function measureMemoryIndexing(context: BenchContext): Promise<Measured> {
  const place = { ...bigPlace(context, 'huge'), dataDir: join(context.workDir, 'memory-data') }
  const peaks: number[] = []
  let after = 0
  for (let round = 0; round < (context.quick ? 1 : 3); round++) {
    rmSync(place.dataDir, { recursive: true, force: true })
    await using agent = await startAgent(place)
    peaks.push(residentMB(agent.pid, 'at-most'))
    after = residentMB(agent.pid)
  }
  rmSync(place.dataDir, { recursive: true, force: true })
  return {
    value: median(peaks),
    detail: `VmHWM of \`trawl-agent stdio\` from start to \`current\`, median of ${peaks.length}; ${after.toFixed(0)} MB just afterwards`,
  }
}

async function measureMemoryIdle(context: BenchContext): Promise<Measured> {
  const place = await ensureBigIndex(context, 'huge')
  await using agent = await startAgent(place)
  for (const query of mixedQueries(context)) await agent.search({ query, limit: 20 })
  const samples: number[] = []
  for (let second = 0; second < (context.quick ? 3 : 20); second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    samples.push(residentMB(agent.pid))
  }
  return {
    value: median(samples),
    detail: `VmRSS, median of ${samples.length} s after ${mixedQueries(context).length} queries`,
  }
}

async function measureIdleProcessor(context: BenchContext): Promise<Measured> {
  const place = await ensureBigIndex(context, 'huge')
  await using agent = await startAgent(place)
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const seconds = context.quick ? 5 : 60
  const before = processorMs(agent.pid)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  const usedMs = processorMs(agent.pid) - before
  return {
    value: usedMs / seconds / 10,
    detail: `${usedMs} ms of processor time in ${seconds} s, all threads`,
  }
}

async function measureRestart(context: BenchContext): Promise<Measured> {
  const { homeDir, files } = context.corpora.make('many', {
    bytes: Number.POSITIVE_INFINITY,
    seed: 5000,
    medianSessionBytes: 2000,
    maxFiles: context.quick ? 200 : 5000,
  })
  const place: AgentPlace = { binDir: context.binDir, homeDir, dataDir: join(context.workDir, 'many-data') }
  if (!existsSync(join(place.dataDir, 'index.sqlite'))) await buildIndex(place)
  const times: number[] = []
  for (let round = -1; round < (context.quick ? 1 : 7); round++) {
    const startedMs = performance.now()
    await using _agent = await startAgent(place)
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  return {
    value: median(times),
    detail: `${files.length} files; from the start of the process to the status that says so, median of ${times.length}`,
  }
}

/** The index of 150 MB is there; then 300 MB more lie beside it when the agent starts. */
async function measureWhileIndexing(context: BenchContext): Promise<Measured> {
  const scale = context.quick ? 0.1 : 1
  const before = context.corpora.make('growing', { bytes: 150_000_000 * scale, seed: 150 })
  const place: AgentPlace = {
    binDir: context.binDir,
    homeDir: before.homeDir,
    dataDir: join(context.workDir, 'growing-data'),
  }
  await buildIndex(place)
  context.corpora.make('growth', { bytes: 300_000_000 * scale, seed: 151, homeOf: 'growing' })
  const queries = mixedQueries(context, before.needles)
  await using agent = launchAgent(place)
  const during: number[] = []
  for (let at = 0; ; at++) {
    const query = queries[at % queries.length] ?? ''
    const ms = await timeMs(async () => void (await agent.search({ query, limit: 20 })))
    if ((await agent.status()).phase === 'current') break
    // The first ones find an agent that is still opening its index.
    if (at >= 5) during.push(ms)
  }
  const atRest: number[] = []
  for (let round = 0; round < 4; round++)
    for (const query of queries)
      atRest.push(await timeMs(async () => void (await agent.search({ query, limit: 20 }))))
  if (during.length < 20) throw new Error(`only ${during.length} queries were answered before it was done`)
  const [busy, calm] = [percentile(during, 0.95), percentile(atRest, 0.95)]
  return {
    value: busy / calm,
    detail:
      `${busy.toFixed(1)} ms (${during.length} queries, median ${median(during).toFixed(1)}) ÷ ` +
      `${calm.toFixed(1)} ms (median ${median(atRest).toFixed(1)}), the latter when all is indexed`,
  }
}

/** Needles, words from frequent to rare, and pairs of them. */
function mixedQueries(context: BenchContext, needles = bigCorpus(context, 'huge').needles): string[] {
  const words = context.corpora.words()
  const at = (rank: number) => words[rank] ?? 'reconnect'
  return [
    ...needles.slice(0, 10).map(({ query }) => query),
    ...[30, 100, 300, 1000, 3000, 10_000].map(at),
    ...[40, 200, 700, 2500].map((rank) => `${at(rank)} ${at(rank * 2)}`),
  ]
}
