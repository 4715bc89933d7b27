/**
 * `trawl-agent resident`: the one agent of an account that answers all gateways that come over SSH. Started by a bridge,
 * and ends by itself: after its grace time without a connection, on a word, for a newer build, and when what it was
 * started from or told is not there any more as it was.
 */
import { fstatSync, ftruncateSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../../protocol/clock.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import type { SqlDriver } from '../index/driver/driver.ts'
import { FileLock } from '../indexing/file-lock.ts'
import { openResidentDoor } from '../serve/resident-door.ts'
import type { ResidentPlace } from '../serve/resident-place.ts'
import type { AgentProgram } from './bridge.ts'

/** An older agent that ends has finished its calls and closed its index by then. */
const lockMs = 8_000
const lockPollMs = 20
const lookEveryMs = 1_000
export const maxLogBytes = 256 * 1024

export interface ResidentOptions {
  readonly place: ResidentPlace
  readonly program: AgentProgram
  readonly configFile: string
  readonly graceMs: number
  readonly driver: SqlDriver
  readonly clock: Clock
  /** Ends it at once. */
  readonly signal: AbortSignal
  openAgent(): Promise<AsyncDisposable & { readonly methods: RpcMethods }>
  createId(): string
  onFault(error: TrawlError, method: string): void
}

/** Resolves when it has ended with nothing left behind; at once where another one runs. */
export async function runResident(options: ResidentOptions): Promise<void> {
  const { place, program, clock, signal } = options
  using lock = new FileLock(options.driver, place.lockPath)
  if (!(await take(lock, clock, signal))) return
  dropUnnamedSockets(place.socketPath)
  const told = stampOf(options.configFile)
  await using agent = await options.openAgent()
  await using door = await openResidentDoor({
    socketPath: place.socketPath,
    build: program,
    pid: process.pid,
    graceMs: options.graceMs,
    clock,
    methods: agent.methods,
    createId: options.createId,
    onFault: options.onFault,
  })
  const socket = stampOf(place.socketPath)
  const isStillSo = () =>
    stampOf(program.file) !== null &&
    stampOf(place.dataDir) !== null &&
    // Bridges would find another one, or none.
    stampOf(place.socketPath) === socket &&
    // The next one reads what the owner says now.
    stampOf(options.configFile) === told
  await Promise.race([door.over, aborted(signal), changed(isStillSo, clock, signal, door.over)])
}

async function take(lock: FileLock, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + lockMs
  while (!lock.take()) {
    if (signal.aborted || clock.monotonicMs() >= deadlineMs) return false
    await new Promise<void>((resolve) => clock.after(lockPollMs, resolve))
  }
  return true
}

function changed(
  isStillSo: () => boolean,
  clock: Clock,
  signal: AbortSignal,
  over: Promise<void>,
): Promise<void> {
  return new Promise((resolve) => {
    let callOff = () => {}
    const look = () => {
      if (!isStillSo()) return resolve()
      callOff = clock.after(lookEveryMs, look)
    }
    callOff = clock.after(lookEveryMs, look)
    signal.addEventListener('abort', () => callOff(), { once: true })
    void over.then(() => callOff())
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** One that was killed before its socket had its name has left it under its process id. */
function dropUnnamedSockets(socketPath: string): void {
  const dir = dirname(socketPath)
  const begin = `${basename(socketPath)}.`
  for (const name of readdirSync(dir)) if (name.startsWith(begin)) rmSync(join(dir, name), { force: true })
}

/** Tells a file from another one in its place and from itself before a change; null where there is none. */
function stampOf(path: string): string | null {
  try {
    const { dev, ino, size, mtimeMs } = statSync(path)
    return `${dev}/${ino}/${size}/${mtimeMs}`
  } catch {
    return null
  }
}

/** Stderr of a resident agent is a file that is begun anew when it has grown. */
export function keepLogBounded(fd: number): void {
  const stats = fstatSync(fd)
  if (stats.isFile() && stats.size > maxLogBytes) ftruncateSync(fd, 0)
}
