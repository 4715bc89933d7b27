/**
 * `npm run soak [-- --seconds N] [--seed N]`: 200 hosts, some 30 % of them killed and brought back at random all the
 * time, queries throughout; then 1,000 hosts, a third killed in the middle of a query. Ends with 1 when an outcome is
 * lost or wrong, a query is late, a hit bears another host's id, or something is left afterwards.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createFaultDesk, type FaultDesk, runtimeHost } from '../test/helpers/fault-desk.ts'
import { createScaledClock } from '../test/helpers/scaled-clock.ts'
import { pick, type Random, seededRandom } from './random.ts'
import { findWrong, type Known, percentile } from './soak-check.ts'
import { type SoakHosts, startSoakHosts } from './soak-hosts-child.ts'

/** Time goes this much faster for the gateway: pings, back-off and breakers have many rounds in a few minutes. */
const speed = 10
const legTimeoutMs = 20_000
const marginMs = 50
const queryLoops = 3
const churnPauseMs = 30
const shareDown = 0.3
/** What was done to a host this long ago has reached the gateway; before that nobody can say what is right. */
const settleMs = 500
const mostHeapGrowthBytes = 12 * 1024 * 1024
const mostWrongShown = 20

interface Soak {
  readonly hosts: SoakHosts
  readonly desk: FaultDesk
  readonly names: readonly string[]
  readonly random: Random
  readonly wrong: string[]
  /** When each host was last touched, in monotonic milliseconds. */
  readonly touchedAtMs: Map<string, number>
  readonly down: Set<string>
  readonly elapsedMs: number[]
}

const idOf = (name: string) => `runtime:${name}`
const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Kills or revives one host, so that about the wanted share is down. */
async function churn({ hosts, names, random, touchedAtMs, down }: Soak): Promise<void> {
  const name = pick(random, names)
  touchedAtMs.set(name, performance.now())
  if (down.has(name)) {
    down.delete(name)
    await hosts.order(name, { kind: 'behave', as: 'answer' })
    await hosts.order(name, { kind: 'revive' })
  } else if (random() < shareDown / (1 - shareDown)) {
    const way = random()
    if (way < 0.6) await hosts.order(name, { kind: 'kill' })
    else if (way < 0.8) await hosts.order(name, { kind: 'kill', closeCode: 1012 })
    else if (way < 0.98) await hosts.order(name, { kind: 'behave', as: 'die' })
    else await hosts.order(name, { kind: 'behave', as: 'hang' })
    down.add(name)
  }
  touchedAtMs.set(name, performance.now())
}

/** What is known of each host right now: up and down only where the gateway, too, has noticed. */
async function look({ desk, names, down }: Soak): Promise<Map<string, Known>> {
  const { hosts } = (await desk.call('hosts.list')) as {
    hosts: { executionHostId: string; state: string; breaker?: string }[]
  }
  const seen = new Map(hosts.map((host) => [host.executionHostId, host]))
  const known = new Map<string, Known>([['local', 'changing']])
  for (const name of names) {
    const host = seen.get(idOf(name))
    if (host?.state === 'ready' && host.breaker === 'closed' && !down.has(name)) known.set(idOf(name), 'up')
    else known.set(idOf(name), host?.state === 'offline' && down.has(name) ? 'down' : 'changing')
  }
  return known
}

async function query(soak: Soak): Promise<void> {
  const startedMs = performance.now()
  const known = await look(soak)
  const { answer, elapsedMs, lagMs } = await soak.desk.searchAll({ limit: 100 })
  for (const name of soak.names)
    if ((soak.touchedAtMs.get(name) ?? 0) > startedMs - settleMs) known.set(idOf(name), 'changing')
  soak.elapsedMs.push(elapsedMs)
  soak.wrong.push(...findWrong(answer, known))
  checkTime(soak, elapsedMs, lagMs)
}

/** @param lagMs how late this machine was: a timer may be that late, and so may what it leads to. */
function checkTime({ wrong }: Soak, elapsedMs: number, lagMs: number): void {
  const most = legTimeoutMs / speed + marginMs + 2 * lagMs
  if (elapsedMs > most) wrong.push(`a query took ${elapsedMs.toFixed(0)} ms, ${most.toFixed(0)} at most`)
}

async function untilAllReady({ desk, names }: Soak): Promise<void> {
  for (const name of names)
    await desk.until(idOf(name), ({ state, breaker }) => state === 'ready' && breaker === 'closed')
}

function heapBytes(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function held(): number {
  return process.getActiveResourcesInfo().filter((kind) => /Socket|TCP|Pipe|Timeout|Process/.test(kind))
    .length
}

async function start(hosts: SoakHosts, count: number, random: Random): Promise<Soak> {
  const names = Array.from({ length: count }, (_, at) => `h${at}`)
  const desk = await createFaultDesk({
    hosts: names.map((name) => runtimeHost(name, hosts.url(name))).join(''),
    legTimeoutMs,
    clock: createScaledClock(speed),
    random,
  })
  const soak: Soak = {
    hosts,
    desk,
    names,
    random,
    wrong: [],
    touchedAtMs: new Map(),
    down: new Set(),
    elapsedMs: [],
  }
  await desk.ready('local')
  await untilAllReady(soak)
  return soak
}

function report(what: string, { elapsedMs, wrong }: Soak): void {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => percentile(elapsedMs, share).toFixed(0))
  say(
    `${what}: ${elapsedMs.length} queries, p50 ${p50} ms, p99 ${p99} ms, longest ${most} ms; ${wrong.length} wrong`,
  )
  for (const line of wrong.slice(0, mostWrongShown)) say(`  ${line}`)
}

/** @returns how many things were wrong. */
async function soakTwoHundred(program: string, seconds: number, random: Random): Promise<number> {
  await using hosts = await startSoakHosts(program)
  const before = held()
  const soak = await start(hosts, 200, random)
  const endAtMs = performance.now() + seconds * 1000
  const isOver = () => performance.now() > endAtMs
  let settledHeap = 0
  const churning = (async () => {
    while (!isOver()) {
      await churn(soak)
      await delay(churnPauseMs)
    }
  })()
  const asking = Array.from({ length: queryLoops }, async () => {
    while (!isOver()) {
      await query(soak)
      await delay(5)
    }
  })
  // What a first third has filled, such as code and caches, is no leak.
  await delay((seconds * 1000) / 3)
  settledHeap = heapBytes()
  await Promise.all([churning, ...asking])
  for (const name of soak.names) {
    await hosts.order(name, { kind: 'behave', as: 'answer' })
    await hosts.order(name, { kind: 'revive' })
  }
  soak.down.clear()
  await untilAllReady(soak)
  await query(soak)
  const grownBytes = heapBytes() - settledHeap
  report(`200 hosts, ${seconds} s, ${(shareDown * 100).toFixed(0)} % down at a time`, soak)
  say(`  heap grew by ${(grownBytes / 1e6).toFixed(1)} MB in the last two thirds`)
  if (grownBytes > mostHeapGrowthBytes) soak.wrong.push('the heap grows')
  await soak.desk[Symbol.asyncDispose]()
  for (let turn = 0; turn < 100 && held() > before; turn++) await delay(20)
  say(`  handles: ${before} before, ${held()} after`)
  if (held() > before) soak.wrong.push('handles are left')
  return soak.wrong.length
}

async function killAThird(program: string, random: Random): Promise<number> {
  await using hosts = await startSoakHosts(program)
  const startedMs = performance.now()
  const soak = await start(hosts, 1_000, random)
  say(`1,000 hosts connected in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  await query(soak)
  const doomed = new Set(soak.names.filter(() => random() < 1 / 3))
  for (const name of doomed) await hosts.order(name, { kind: 'behave', as: 'die' })
  const known = (state: Known) =>
    new Map<string, Known>(soak.names.map((name) => [idOf(name), doomed.has(name) ? state : 'up']))
  for (let round = 0; round < 2; round++) {
    const { answer, elapsedMs, lagMs } = await soak.desk.searchAll({ limit: 100 })
    soak.elapsedMs.push(elapsedMs)
    checkTime(soak, elapsedMs, lagMs)
    soak.wrong.push(...findWrong(answer, known('down')))
    say(
      `  ${doomed.size} killed ${round === 0 ? 'in the middle of it' : 'before'}: ${elapsedMs.toFixed(0)} ms`,
    )
  }
  report('1,000 hosts, a third killed mid-query', soak)
  await soak.desk[Symbol.asyncDispose]()
  return soak.wrong.length
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
  },
})
const program = join(import.meta.dirname, 'soak-hosts.mjs')
const random = seededRandom(Number(values.seed))
const wrong =
  (await soakTwoHundred(program, Number(values.seconds), random)) + (await killAThird(program, random))
say(wrong === 0 ? 'The soak found nothing wrong.' : `The soak found ${wrong} things wrong.`)
process.exitCode = wrong === 0 ? 0 : 1
