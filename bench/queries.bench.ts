/** How long answers take at 957 MB, asked of a running agent over its stdio; beside the rare ones, ripgrep over the same files. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type RunningAgent, startAgent } from './agents.ts'
import { bigCorpus, ensureBigIndex } from './big-index.ts'
import { median, percentile, timeMs } from './measure.ts'
import { between, pick, seededRandom } from './random.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

/** Ranks in the vocabulary: nearly every session holds these. */
const commonRanks = { first: 10, last: 60 }
const needleKinds = ['word', 'identifier', 'path', 'cjk'] as const
const queriesPerRow = 24

export const rareQueries: BenchRow = {
  name: 'rare-queries',
  what: 'a rare word, an identifier, a path, a part of a CJK sentence: p95 at 957 MB',
  unit: 'ms',
  atMost: 15,
  measure: measureRare,
}

export const rareBesideGrep: BenchRow = {
  name: 'rare-beside-rg',
  what: 'the same, p95 ÷ `rg -c -F` over the same files, median',
  unit: 'ratio',
  atMost: 1,
  measure: measureBesideGrep,
}

export const twoCommonWords: BenchRow = {
  name: 'two-common',
  what: 'two very common words, p95 at 957 MB',
  unit: 'ms',
  atMost: 50,
  measure: async (context) => await measureList(context, commonQueries(context, 2)),
}

export const eightCommonWords: BenchRow = {
  name: 'eight-common',
  what: 'eight very common words, p95 at 957 MB',
  unit: 'ms',
  atMost: 100,
  measure: async (context) => await measureList(context, commonQueries(context, 8)),
}

export const prefixQueries: BenchRow = {
  name: 'prefix',
  what: 'as typed: a word and the first letters of another, `…*`, p95 at 957 MB',
  unit: 'ms',
  atMost: 20,
  measure: async (context) => await measureList(context, prefixesAsTyped(context)),
}

async function measureRare(context: BenchContext): Promise<Measured> {
  const times = await rareTimes(context)
  const perKind = needleKinds.map((kind) => `${kind} ${percentile(times.get(kind) ?? [], 0.95).toFixed(1)}`)
  const all = [...times.values()].flat()
  return {
    value: percentile(all, 0.95),
    detail: `p95 by kind: ${perKind.join(', ')} ms; all ${median(all).toFixed(1)} ms the median; each query found its session`,
  }
}

async function measureBesideGrep(context: BenchContext): Promise<Measured> {
  const p95 = percentile([...(await rareTimes(context)).values()].flat(), 0.95)
  const { homeDir, needles } = bigCorpus(context, 'huge')
  const [program, ...flags] = hasRipgrep() ? ['rg', '-c', '-F', '--'] : ['grep', '-r', '-c', '-F', '--']
  const folders = ['.claude', '.codex'].map((folder) => join(homeDir, folder))
  const times: number[] = []
  for (const { query } of needles.slice(0, context.quick ? 3 : 15))
    times.push(
      await timeMs(async () => {
        const child = spawn(program ?? 'grep', [...flags, query, ...folders], { stdio: 'ignore' })
        const [code] = await once(child, 'close')
        if (code !== 0) throw new Error(`${program} ended with ${code}`)
      }),
    )
  return {
    value: p95 / median(times),
    detail: `${p95.toFixed(1)} ms ÷ ${median(times).toFixed(0)} ms, \`${program} ${flags.slice(0, -1).join(' ')}\`, median of ${times.length} with warm files`,
  }
}

function hasRipgrep(): boolean {
  return spawnSync('rg', ['--version'], { stdio: 'ignore' }).status === 0
}

/** By kind, in milliseconds; asked once a run. @throws Error where a session was not found. */
async function rareTimes(context: BenchContext): Promise<ReadonlyMap<string, readonly number[]>> {
  return await context.once('rare queries', async () => {
    const place = await ensureBigIndex(context, 'huge')
    await using agent = await startAgent(place)
    const times = new Map(needleKinds.map((kind) => [kind as string, [] as number[]]))
    for (let round = -1; round < (context.quick ? 1 : 4); round++)
      for (const { kind, query, sessionId } of bigCorpus(context, 'huge').needles) {
        // A part of the sentence that a needle stands in is asked for, not all of it.
        const text = kind === 'cjk' ? query.slice(1) : query
        const startedMs = performance.now()
        const { hits } = await agent.search({ query: text, limit: 20 })
        const ms = performance.now() - startedMs
        if (!hits.some((hit) => hit.sessionId === sessionId)) throw new Error(`not found: ${kind} ${text}`)
        if (round >= 0) times.get(kind)?.push(ms)
      }
    return times
  })
}

function commonQueries(context: BenchContext, wordCount: number): string[] {
  const random = seededRandom(wordCount)
  const words = context.corpora.words()
  return Array.from({ length: queriesPerRow }, () => {
    const chosen = new Set<string>()
    while (chosen.size < wordCount)
      chosen.add(words[between(random, commonRanks.first, commonRanks.last)] ?? 'file')
    return [...chosen].join(' ')
  })
}

/** Each stroke from the second letter on is a query. */
function prefixesAsTyped(context: BenchContext): string[] {
  const random = seededRandom(5)
  const words = context.corpora
    .words()
    .slice(100, 12_000)
    .filter((word) => word.length >= 6)
  return Array.from({ length: queriesPerRow / 3 }, () => {
    const [before, typed] = [pick(random, words), pick(random, words)]
    return [2, 3, 4, 5].map((letters) => `${before} ${typed.slice(0, letters)}*`)
  }).flat()
}

async function measureList(context: BenchContext, queries: readonly string[]): Promise<Measured> {
  const place = await ensureBigIndex(context, 'huge')
  await using agent = await startAgent(place)
  const times = await askAll(agent, queries, context.quick ? 1 : 5)
  const slowest = queries[times.indexOf(Math.max(...times)) % queries.length]
  return {
    value: percentile(times, 0.95),
    detail: `${queries.length} queries, ${times.length / queries.length} rounds, ${median(times).toFixed(1)} ms the median; slowest \`${slowest}\` with ${Math.max(...times).toFixed(0)} ms`,
  }
}

/** One after another, after a round that is not counted. @throws Error where nothing was found. */
async function askAll(agent: RunningAgent, queries: readonly string[], rounds: number): Promise<number[]> {
  const times: number[] = []
  for (let round = -1; round < rounds; round++)
    for (const query of queries) {
      const startedMs = performance.now()
      const { hits } = await agent.search({ query, limit: 20 })
      if (round >= 0) times.push(performance.now() - startedMs)
      if (hits.length === 0) throw new Error(`nothing was found for ${query}`)
    }
  return times
}
