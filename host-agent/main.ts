/** The `trawl-agent` command: one machine's transcripts, indexed and searchable, for whoever asks over its carrier. */
import { randomUUID } from 'node:crypto'
import { homedir, hostname } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../protocol/clock.ts'
import { configFilePath, dataDirPath } from '../protocol/places.ts'
import type { RpcMethods } from '../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../protocol/rpc/errors.ts'
import type { ExposureClass } from '../protocol/session-search/exposure.ts'
import { agentMethods } from './agent.ts'
import { type AgentArguments, helpText, readArguments } from './command/arguments.ts'
import type { AgentProgram } from './command/bridge.ts'
import type { ConnectContext } from './command/connect.ts'
import { ensurePrivateDir, graceMs, type Machine } from './command/machine.ts'
import { createMachineIndexer, type IndexingThread } from './command/machine-indexer.ts'
import { openAgent } from './command/open-agent.ts'
import type { PairContext } from './command/pair.ts'
import { keepLogBounded, runResident } from './command/resident.ts'
import { stopResidents } from './command/resident-words.ts'
import { sayProgress, sayStatus } from './command/say-status.ts'
import {
  disableSearch,
  enableSearch,
  isSearchDisabled,
  openSwitchedAgent,
  type SwitchedAgent,
  switchedOff,
} from './command/search-switch.ts'
import { statusText } from './command/status-text.ts'
import { loadSqlDriver } from './index/driver/load-driver.ts'
import { residentPlace, residentSockets } from './serve/resident-place.ts'
import { watchSilence } from './serve/silent-side.ts'
import { serveStdio } from './serve/stdio.ts'
import { transcriptReaders } from './transcripts/readers.ts'

/** Put in by the build. */
declare const TRAWL_VERSION: string

const machine: Machine = { env: process.env, homeDir: homedir(), platform: process.platform }
const dataDir = dataDirPath(machine)
const indexPath = join(dataDir, 'index.sqlite')
const readers = transcriptReaders()

const leaving = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (leaving.signal.aborted) process.exit(130)
    leaving.abort()
  })
}
// The other side of stdout may be gone before we are; that is how a link ends.
process.stdout.on('error', () => leaving.abort())

/** Runs the command of this process to its end and sets the exit code. */
export async function main(program: AgentProgram, thread: IndexingThread): Promise<void> {
  try {
    process.exitCode = await run(readArguments(process.argv.slice(2)), program, thread)
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
    process.exitCode = 2
  }
}

async function run(given: AgentArguments, program: AgentProgram, thread: IndexingThread): Promise<number> {
  if (given.version) return print(`trawl-agent ${TRAWL_VERSION}\n`)
  if (given.help) return print(helpText)
  switch (given.word) {
    case 'stdio':
      return await serveOnStdio(given, thread)
    case 'listen':
      return await serveOnPort(given, thread)
    case 'connect':
      return await dialGateways(given, thread)
    case 'pair':
      return await (await pairing()).makeOffer(pairContext(), given.url)
    case 'pairs':
      return await (await pairing()).showPairs(pairContext(), given.json)
    case 'unpair':
      if (given.operand === undefined) throw new Error('Which one? trawl-agent unpair NAME')
      return await (await pairing()).unpair(pairContext(), given.operand)
    case 'enable':
    case 'disable':
      return await switchSearch(given.word)
    case 'index':
      return await bringUpToDate(thread)
    case 'status':
      return print(
        await statusText(given.json, {
          dataDir,
          indexPath,
          residents: residentSockets(machine, hostname()),
          build: program,
          driver: loadSqlDriver(),
          clock: systemClock,
        }),
      )
    case 'resident':
      return await stayResident(program, thread)
    case 'stop':
      complain(await stopResidents(residentSockets(machine, hostname()), program, systemClock))
      return 0
    default:
      complain(
        given.word === undefined
          ? helpText.trimEnd()
          : `There is no command ${given.word}. See: trawl-agent --help`,
      )
      return 64
  }
}

/** Never wider than it was told: whoever starts it over a network says nothing, and gets `relay`. */
function exposureOf(text = 'relay'): ExposureClass {
  if (text === 'relay' || text === 'ipc') return text
  throw new Error(`--exposure takes relay or ipc, not ${text}.`)
}

/** In a resident agent's place, a gateway that is gone unnoticed keeps it no longer than it would keep that. */
async function serveOnStdio(given: AgentArguments, thread: IndexingThread): Promise<number> {
  const exposure = exposureOf(given.exposure)
  await using agent = await startAgent(thread)
  const served = serveStdio({
    input: process.stdin,
    output: process.stdout,
    methods: methodsOf(agent, exposure),
    version: TRAWL_VERSION,
    createId: randomUUID,
    onFault: exposure === 'relay' ? onFaultBriefly : onFault,
  })
  let stopWatching = () => {}
  const silent = new Promise<void>((resolve) => {
    if (given.resident) stopWatching = watchSilence(process.stdin, systemClock, resolve)
  })
  await Promise.race([served, left(), silent])
  stopWatching()
  return 0
}

/** Never returns: a gateway that reads nothing must not keep a process that has ended its work. */
async function stayResident(program: AgentProgram, thread: IndexingThread): Promise<number> {
  const place = residentPlace(machine, hostname())
  if (place === null) throw new Error('There can be no resident agent here. Use: trawl-agent stdio')
  await ensurePrivateDir(dataDir)
  keepLogBounded(process.stderr.fd)
  await runResident({
    place,
    program,
    configFile: configFilePath(machine),
    graceMs: graceMs(machine),
    driver: loadSqlDriver(),
    clock: systemClock,
    signal: leaving.signal,
    async openAgent() {
      const agent = await startAgent(thread)
      return {
        methods: methodsOf(agent, 'relay'),
        [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
      }
    },
    createId: randomUUID,
    onFault(error, method) {
      keepLogBounded(process.stderr.fd)
      onFaultBriefly(error, method)
    },
  })
  process.exit(0)
}

async function serveOnPort(given: AgentArguments, thread: IndexingThread): Promise<number> {
  const { openPort } = await import('./command/listen.ts')
  await ensurePrivateDir(dataDir)
  await using agent = await startAgent(thread)
  await using port = await openPort(given, {
    dataDir,
    clock: systemClock,
    methodsFor: (exposure) => methodsOf(agent, exposure, given.hostId),
    onFault,
  })
  complain(port.greeting)
  await left()
  return 0
}

/** The pairing first: an offer that is no good ends the command before the index is opened. */
async function dialGateways(given: AgentArguments, thread: IndexingThread): Promise<number> {
  const { findGateways, stayConnected } = await import('./command/connect.ts')
  await ensurePrivateDir(dataDir)
  const context: ConnectContext = {
    dataDir,
    clock: systemClock,
    signal: leaving.signal,
    random: Math.random,
    onFault,
    complain,
  }
  const gateways = await findGateways(given.operand, given.name, context)
  await using agent = await startAgent(thread)
  const isWell = await stayConnected(gateways, (hostId) => methodsOf(agent, 'relay', hostId), context)
  return isWell ? 0 : 2
}

async function startAgent(thread: IndexingThread): Promise<SwitchedAgent> {
  await ensurePrivateDir(dataDir)
  return openSwitchedAgent({
    dataDir,
    clock: systemClock,
    open: () =>
      openAgent({
        driver: loadSqlDriver(),
        indexPath,
        indexer: createMachineIndexer(machine, indexPath, thread),
        platform: machine.platform,
        clock: systemClock,
      }),
  })
}

/** What only some commands need – TLS, WebSockets – is loaded by those: over SSH every start is waited for. */
async function pairing() {
  return await import('./command/pair.ts')
}

function pairContext(): PairContext {
  return { dataDir, clock: systemClock, print, complain, isTerminal: process.stderr.isTTY === true }
}

async function switchSearch(word: 'enable' | 'disable'): Promise<number> {
  await ensurePrivateDir(dataDir)
  if (word === 'enable') await enableSearch(dataDir)
  else await disableSearch(dataDir, systemClock.now())
  complain(
    word === 'enable'
      ? 'This account is searched again.'
      : 'This account is not searched any more, by whatever way it is asked. The index stays: enable goes on with it.',
  )
  return 0
}

function methodsOf({ sessionSearch }: SwitchedAgent, exposure: ExposureClass, hostId?: string): RpcMethods {
  const id = hostId === undefined ? {} : { hostId }
  return agentMethods(
    {
      sessionSearch,
      readers,
      version: TRAWL_VERSION,
      platform: machine.platform,
      now: () => systemClock.now(),
      ...id,
    },
    exposure,
  )
}

/** Ends when everything was looked at: a bounded pass would leave a first run unfinished. */
async function bringUpToDate(thread: IndexingThread): Promise<number> {
  await ensurePrivateDir(dataDir)
  if (isSearchDisabled(dataDir)) throw new Error(switchedOff)
  await using indexer = createMachineIndexer(machine, indexPath, thread)
  const isTerminal = process.stderr.isTTY === true
  const stopShowing = indexer.onStatus((status) => {
    if (isTerminal) process.stderr.write(`\r\u001b[K${sayProgress(status)}`)
  })
  leaving.signal.addEventListener('abort', () => void indexer[Symbol.asyncDispose]())
  await indexer.start()
  await indexer.reconcile({ full: true })
  stopShowing()
  if (isTerminal) process.stderr.write('\r\u001b[K')
  const status = indexer.status()
  print(`${sayStatus(status, systemClock.now())}\n`)
  return status.filesFailed > 0 || status.degradedRoots.length > 0 ? 1 : 0
}

function onFault(error: TrawlError, method: string): void {
  const cause = error.cause instanceof Error ? error.cause.message : String(error.cause)
  complain(`${method} failed (${error.details.correlationId}): ${cause}`)
}

/** Over SSH stderr is the caller's too, and what a cause says may hold a path of this machine. */
function onFaultBriefly(error: TrawlError, method: string): void {
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? ` ${String(cause.code)}` : ''
  const kind = cause instanceof Error ? `${cause.name}${code}` : 'unknown'
  complain(`${method} failed (${error.details.correlationId}): ${kind}`)
}

function left(): Promise<void> {
  return new Promise((resolve) => {
    if (leaving.signal.aborted) resolve()
    leaving.signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`)
}
