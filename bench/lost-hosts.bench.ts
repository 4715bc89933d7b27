/** What hosts that are lost cost: dead ones that are known to be, a network that goes without a word, and many killed at once. */
import { livenessIntervalMs } from '../protocol/rpc/message-channel.ts'
import { createFaultDesk, outcomes, runtimeHost } from '../test/helpers/fault-desk.ts'
import { startFaultProxy } from '../test/helpers/fault-proxy.ts'
import { createManualClock } from '../test/helpers/manual-clock.ts'
import { startWsAgents } from '../test/helpers/ws-agents.ts'
import { measureByTurns, median, percentile } from './measure.ts'
import { seededRandom } from './random.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

const deadCount = 20
const hostCount = 1_000
const killedShare = 0.3
const legTimeoutMs = 5_000
/** Virtual: how finely the moment is told. */
const stepMs = 25

export const deadHosts: BenchRow = {
  name: 'dead-hosts',
  what: `time an \`all\` query loses to ${deadCount} hosts that are known to be dead`,
  unit: 'ms',
  atMost: 50,
  measure: measureDeadHosts,
}

export const halfOpenLink: BenchRow = {
  name: 'half-open-link',
  what: 'ping intervals until a link is given up whose network is gone, after the last word',
  unit: 'ratio',
  atMost: 2,
  measure: measureHalfOpenLink,
}

export const killedHosts: BenchRow = {
  name: 'killed-hosts',
  what: `hosts of ${hostCount}, ${100 * killedShare} % of them killed mid-query, that an answer is wrong about`,
  unit: 'hosts',
  atMost: 0,
  measure: measureKilledHosts,
}

async function measureDeadHosts(context: BenchContext): Promise<Measured> {
  await using agents = await startWsAgents()
  const dead = Array.from({ length: deadCount }, (_, at) => `dead${at}`)
  for (const name of dead) agents.kill(name)
  const hosts = ['alive', ...dead].map((name) => runtimeHost(name, agents.url(name))).join('')
  await using desk = await createFaultDesk({ hosts, legTimeoutMs })
  await desk.ready('local', 'runtime:alive')
  for (const name of dead) await desk.until(`runtime:${name}`, ({ state }) => state === 'offline')
  const { aMs, bMs } = await measureByTurns(
    async () => {
      const { answer } = await desk.searchAll()
      if (answer.hosts?.length !== deadCount + 2) throw new Error('not all hosts are told of')
    },
    async () => void (await desk.searchAll({ query: 'host:alive host:local q' })),
    { warmUp: 5, counted: context.quick ? 20 : 200 },
  )
  const [slow, usual] = [percentile(aMs, 0.95), median(bMs)]
  return {
    value: slow - usual,
    detail: `${slow.toFixed(1)} ms at the 95th percentile with them, ${usual.toFixed(1)} ms the median without; ${aMs.length} rounds by turns`,
  }
}

async function measureHalfOpenLink(): Promise<Measured> {
  const phases = [0, 5_000, 10_000, livenessIntervalMs - 1]
  const lostAfterMs: number[] = []
  for (const phaseMs of phases) {
    const clock = createManualClock()
    await using agents = await startWsAgents()
    await using proxy = await startFaultProxy(agents.port)
    const url = agents.url('far').replace(`:${agents.port}/`, `:${proxy.port}/`)
    await using desk = await createFaultDesk({ hosts: runtimeHost('far', url), clock })
    await desk.ready('local', 'runtime:far')
    await clock.pass(phaseMs)
    await desk.search({ executionHostId: 'runtime:far' })
    const spokeAtMs = clock.monotonicMs()
    proxy.freeze()
    while ((await desk.host('runtime:far')).state === 'ready') await clock.pass(stepMs)
    lostAfterMs.push(clock.monotonicMs() - spokeAtMs)
    // What hangs would be waited for.
    proxy.cut()
  }
  const longestMs = Math.max(...lostAfterMs)
  return {
    value: longestMs / livenessIntervalMs,
    detail: `${lostAfterMs.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s of a clock that is moved by hand, at ${phases.length} moments of the interval of ${livenessIntervalMs / 1000} s; real sockets`,
  }
}

async function measureKilledHosts(context: BenchContext): Promise<Measured> {
  await using agents = await startWsAgents()
  const names = Array.from({ length: hostCount }, (_, at) => `h${at}`)
  const hosts = names.map((name) => runtimeHost(name, agents.url(name))).join('')
  await using desk = await createFaultDesk({ hosts, legTimeoutMs })
  await desk.ready('local', ...names.map((name) => `runtime:${name}`))
  const random = seededRandom(3)
  let wrong = 0
  let longestMs = 0
  const killed = new Set<string>()
  const rounds = context.quick ? 1 : 3
  for (let round = 0; round < rounds; round++) {
    // Each round kills its share of those that are left.
    for (const name of names.filter((each) => !killed.has(each) && random() < killedShare)) {
      agents.behave(name, 'die')
      killed.add(name)
    }
    const { answer, elapsedMs, lagMs } = await desk.searchAll({ limit: 100 })
    longestMs = Math.max(longestMs, elapsedMs)
    if (elapsedMs > legTimeoutMs + 50 + lagMs) throw new Error(`${elapsedMs} ms: too late`)
    const told = outcomes(answer)
    wrong += names.filter(
      (name) => told[`runtime:${name}`] !== (killed.has(name) ? 'offline' : 'results'),
    ).length
    wrong += answer.hits.filter(
      ({ executionHostId, sessionId }) =>
        executionHostId !== `runtime:${sessionId.replace('session-of-', '')}`,
    ).length
  }
  return {
    value: wrong,
    detail: `${killed.size} killed in ${rounds} ${rounds === 1 ? 'query' : 'queries'}, ${longestMs.toFixed(0)} ms the slowest, of ${legTimeoutMs} ms it may take`,
  }
}
