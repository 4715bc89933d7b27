/**
 * What the gateway costs beyond the sockets: one `all` search over many runtime hosts, beside a bare loop over as many
 * sockets of its own to the same hosts that sends one request each, collects the same answers and parses them.
 */
import { join } from 'node:path'
import WebSocket from 'ws'
import { createHostRegistry } from '../gateway/hosts/registry.ts'
import { openRuntimeLink } from '../gateway/hosts/runtime.ts'
import { SupervisedHost } from '../gateway/hosts/supervise.ts'
import { searchSessions } from '../gateway/search/search-sessions.ts'
import { systemClock } from '../protocol/clock.ts'
import { gatewaySearchRequestSchema } from '../protocol/session-search/request.ts'
import { startProgram } from './child-program.ts'
import { measureByTurns, median, type Rounds } from './measure.ts'
import { seededRandom } from './random.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

export const fanOutOver100: BenchRow = {
  name: 'fan-out-100',
  what: '`all` over 100 runtime hosts with 20 hits each ÷ a bare `ws` loop over the same answers',
  unit: 'ratio',
  atMost: 1.5,
  measure: async (context) =>
    await measureFanOut(context, 100, { warmUp: 150, counted: context.quick ? 51 : 301 }),
}

export const fanOutOver1000: BenchRow = {
  name: 'fan-out-1000',
  what: 'the same with 1,000 hosts',
  unit: 'ratio',
  atMost: 2.0,
  measure: async (context) =>
    await measureFanOut(context, 1000, { warmUp: 20, counted: context.quick ? 11 : 61 }),
}

async function measureFanOut(context: BenchContext, hostCount: number, rounds: Rounds): Promise<Measured> {
  await using program = await startProgram([join(context.programsDir, 'answering-hosts.mjs')])
  const url = `ws://127.0.0.1:${program.readyLine}/hosts`
  await using gateway = await connectGateway(url, hostCount)
  await using bare = await connectBare(url, hostCount)
  const { aMs, bMs } = await measureByTurns(
    async () => await gateway.searchAll(),
    async () => await bare.askAll(),
    // A gateway runs for weeks: what its first searches cost while the code is still being compiled is not the question.
    rounds,
  )
  const [oursMs, bareMs] = [median(aMs), median(bMs)]
  return {
    value: oursMs / bareMs,
    detail: `${oursMs.toFixed(1)} ms ÷ ${bareMs.toFixed(1)} ms, medians of ${rounds.counted} rounds by turns`,
  }
}

interface FannedGateway extends AsyncDisposable {
  /** @throws Error unless every host's page came. */
  searchAll(): Promise<void>
}

async function connectGateway(url: string, hostCount: number): Promise<FannedGateway> {
  const random = seededRandom(1)
  const hosts = Array.from(
    { length: hostCount },
    (_, at) =>
      new SupervisedHost({
        id: `runtime:bench-${at}`,
        kind: 'runtime',
        label: `bench ${at}`,
        open: openRuntimeLink({ url: `${url}/${at}`, token: 'bench', clock: systemClock }),
        clock: systemClock,
        random,
        createId: () => 'bench',
      }),
  )
  for (const host of hosts) host.start()
  await Promise.all(hosts.map((host) => host.firstAttempt))
  const desk = { registry: createHostRegistry(hosts), legTimeoutMs: 10_000, clock: systemClock }
  const request = gatewaySearchRequestSchema.parse({
    query: 'reconnect loop',
    executionHostId: 'all',
  })
  return {
    async searchAll() {
      const call = {
        exposure: 'ipc',
        signal: new AbortController().signal,
        notify: () => {},
      } as const
      const response = await searchSessions(desk, request, call)
      if (response.kind !== 'results') throw new Error(`the gateway answered ${response.kind}`)
      const answered = response.hosts?.filter((leg) => leg.outcome === 'results' && leg.hits === 20).length
      if (answered !== hostCount || response.hits.length !== 20)
        throw new Error(`${answered} of ${hostCount} hosts answered in full`)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((host) => host[Symbol.asyncDispose]()))
    },
  }
}

interface BareLoop extends AsyncDisposable {
  askAll(): Promise<void>
}

async function connectBare(url: string, hostCount: number): Promise<BareLoop> {
  const sockets = Array.from(
    { length: hostCount },
    (_, at) => new WebSocket(`${url}/${at}`, { perMessageDeflate: false }),
  )
  let answers: unknown[] = []
  let finish: () => void = () => {}
  for (const socket of sockets)
    socket.on('message', (data) => {
      answers.push(JSON.parse(data.toString()))
      if (answers.length === hostCount) finish()
    })
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          socket.once('open', () => resolve())
          socket.once('error', reject)
        }),
    ),
  )
  let nextId = 1
  return {
    async askAll() {
      answers = []
      const done = new Promise<void>((resolve) => {
        finish = resolve
      })
      for (const socket of sockets) {
        const params = { query: 'reconnect loop', limit: 20, filters: { sort: 'newest' }, deadlineMs: 10_000 }
        socket.send(
          JSON.stringify({ jsonrpc: '2.0', id: nextId++, method: 'aiVault.searchSessions', params }),
        )
      }
      await done
      // Let go, as the gateway lets go of its own: the next round is not to carry this one's garbage.
      answers = []
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
    },
  }
}
