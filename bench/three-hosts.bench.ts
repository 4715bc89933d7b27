/**
 * What asking all costs beyond the slowest: three real agents with indexes of their own – this machine's over stdio, two
 * that listen for WebSockets – behind one gateway. The same query goes to all of them, and to each alone, by turns.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { HostConfig } from '../gateway/config-hosts.ts'
import { createGateway, type Gateway } from '../gateway/gateway.ts'
import { systemClock } from '../protocol/clock.ts'
import { searchResponseSchema } from '../protocol/session-search/response.ts'
import { type AgentPlace, agentEnv, buildIndex } from './agents.ts'
import { bigCorpus, ensureBigIndex } from './big-index.ts'
import { type ChildProgram, startProgram } from './child-program.ts'
import type { Corpus } from './corpus.ts'
import { median, timeMs } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

/** Beside this machine's history of 300 MB: a dev box's and a build machine's. No two real histories are of one size. */
const remoteSizes = [
  { id: 'runtime:devbox', bytes: 40_000_000 },
  { id: 'runtime:ci', bytes: 10_000_000 },
] as const

export const threeHosts: BenchRow = {
  name: 'three-hosts',
  what: '`all` over 3 hosts, p50, ÷ the slowest of them asked alone',
  unit: 'ratio',
  atMost: 1.2,
  measure: measureThreeHosts,
}

export interface ThreeHosts extends AsyncDisposable {
  readonly gateway: Gateway
  readonly machines: readonly { readonly id: string; readonly corpus: Corpus }[]
}

/** Builds the three indexes, starts the agents and the gateway, and waits until all are connected. */
export async function startThreeHosts(context: BenchContext): Promise<ThreeHosts> {
  const local = { id: 'local', corpus: bigCorpus(context), place: await ensureBigIndex(context) }
  const remote = remoteSizes.map(({ id, bytes }, at) => {
    const name = id.slice('runtime:'.length)
    const corpus = context.corpora.make(name, { bytes: context.quick ? bytes / 10 : bytes, seed: 30 + at })
    const dataDir = join(context.workDir, `${name}-data`)
    return { id, corpus, place: { binDir: context.binDir, homeDir: corpus.homeDir, dataDir } }
  })
  for (const { place } of remote) await buildIndex(place)
  const [devbox, ci] = remote
  if (devbox === undefined || ci === undefined) throw new Error('two remote machines')
  const machines = [local, devbox, ci]

  const devboxAgent = await listen(devbox.place)
  const ciAgent = await listen(ci.place)
  const hosts = [hostConfig(devbox.id, devbox.place, devboxAgent), hostConfig(ci.id, ci.place, ciAgent)]
  const gateway = createGateway({
    config: {
      listen: { host: '127.0.0.1', port: 0 },
      publicUrls: [],
      tls: null,
      agentsListen: null,
      legTimeoutMs: 10_000,
      localLabel: 'local',
      hosts,
      quarantined: [],
      hostOrder: hosts.map(({ id }) => id),
      index: { exclude: [] },
      agent: { graceMinutes: 10 },
      sources: {},
      fileRoots: {},
      warnings: [],
      file: null,
    },
    dataDir: local.place.dataDir,
    agentCommand: [process.execPath, join(context.binDir, 'trawl-agent.js')],
    env: agentEnv(local.place),
    homeDir: local.place.homeDir,
    log: pino({ level: 'silent' }),
    clock: systemClock,
    random: () => 0.5,
    createId: () => 'bench',
  })
  await gateway.settled(20_000)
  return {
    gateway,
    machines,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      for (const agent of [devboxAgent, ciAgent]) await agent[Symbol.asyncDispose]()
    },
  }
}

async function measureThreeHosts(context: BenchContext): Promise<Measured> {
  await using hosts = await startThreeHosts(context)
  const { gateway, machines } = hosts
  const search = gateway.methodsFor({ exposure: 'ipc', name: 'bench' }).get('aiVault.searchSessions')
  const ask = async (executionHostId: string, query: string) => {
    const params = { executionHostId, query, limit: 20, filters: { sort: 'newest' } }
    const call = { signal: new AbortController().signal, notify: () => {} }
    const response = searchResponseSchema.parse(await search?.(params, call))
    if (response.kind !== 'results') throw new Error(`${executionHostId} answered ${response.kind}`)
    const silent = response.hosts?.filter((leg) => leg.outcome !== 'results') ?? []
    if (silent.length > 0) throw new Error(`no results from ${JSON.stringify(silent)}`)
  }
  const ids = machines.map(({ id }) => id)
  const asks: readonly Asking[] = [
    { name: all, ask: async (query) => await ask('all', query) },
    ...ids.map((id) => ({ name: id, ask: async (query: string) => await ask(id, query) })),
    {
      name: together,
      ask: async (query) => {
        await Promise.all(ids.map(async (id) => await ask(id, query)))
      },
    },
  ]
  return await compare(asks, queriesFor(context, machines), context.quick ? 3 : 15)
}

const all = 'all'
/** Each host on its own, but all three at the same moment: where one machine plays three, they share its cores. */
const together = 'each alone at the same moment'

interface Asking {
  readonly name: string
  ask(query: string): Promise<void>
}

async function compare(
  asks: readonly Asking[],
  queries: readonly string[],
  rounds: number,
): Promise<Measured> {
  const times = new Map(asks.map(({ name }) => [name, [] as number[]]))
  for (let round = -2; round < rounds; round++)
    for (const [at, query] of queries.entries())
      for (let turn = 0; turn < asks.length; turn++) {
        const asking = asks[(turn + at + Math.abs(round)) % asks.length]
        if (asking === undefined) continue
        const ms = await timeMs(async () => await asking.ask(query))
        if (round >= 0) times.get(asking.name)?.push(ms)
      }
  const p50 = new Map(Array.from(times, ([name, ms]) => [name, median(ms)]))
  const allMs = p50.get(all) ?? Number.NaN
  const togetherMs = p50.get(together) ?? Number.NaN
  const alone = [...p50].filter(([name]) => name !== all && name !== together)
  const figures = alone.map(([name, ms]) => `${name} ${ms.toFixed(1)}`).join(', ')
  return {
    value: allMs / Math.max(...alone.map(([, ms]) => ms)),
    detail:
      `${allMs.toFixed(1)} ms; alone ${figures} ms; ${together} ${togetherMs.toFixed(1)} ms; ` +
      `${queries.length} queries, ${rounds} rounds by turns`,
  }
}

/** Needles, words from frequent to rare, and pairs of words. */
export function queriesFor(context: BenchContext, machines: ThreeHosts['machines']): string[] {
  const words = context.corpora.words()
  const at = (rank: number) => words[rank] ?? 'reconnect'
  const needles = machines.flatMap(({ corpus }) => corpus.needles.slice(0, 3).map(({ query }) => query))
  const single = [30, 100, 300, 1000, 3000, 10_000].map(at)
  const pairs = [40, 200, 700, 2500].map((rank) => `${at(rank)} ${at(rank * 2)}`)
  return [...needles, ...single, ...pairs]
}

/** An agent that listens on a free port. */
async function listen(place: AgentPlace): Promise<ChildProgram> {
  return await startProgram(
    [join(place.binDir, 'trawl-agent.js'), 'listen', '--listen', '127.0.0.1:0', '--peer-token'],
    {
      env: agentEnv(place),
      readyOn: 'stderr',
      isReady: (line) => line.startsWith('Listening on'),
    },
  )
}

function hostConfig(id: string, place: AgentPlace, agent: ChildProgram): HostConfig {
  const environmentId = id.slice('runtime:'.length)
  return {
    kind: 'runtime-dialled',
    id,
    environmentId,
    label: environmentId,
    url: agent.readyLine.replace('Listening on ', '').trim(),
    token: readFileSync(join(place.dataDir, 'peer-token'), 'utf8').trim(),
    tokenFile: null,
  }
}
