/**
 * `trawl-agent stdio --resident`: what a gateway starts over SSH. Carries stdin and stdout to and from the account's
 * resident agent, which it starts where there is none. Loads as little as it can, for every connection waits for it.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../protocol/clock.ts'
import { askResident, closed } from '../serve/ask-resident.ts'
import type { AgentBuild } from '../serve/resident-greeting.ts'
import { type ResidentPlace, residentPlace } from '../serve/resident-place.ts'
import type { Machine } from './machine.ts'

/** A gateway waits ten seconds for the ready line; what is left of them is for answering in this process. */
const joiningMs = 6_000
const pauseMs = 15
/** A plain failure, which a gateway takes as a crash: it dials again. */
const lostExitCode = 75

/** The program that runs, which a resident agent is started from. */
export interface AgentProgram extends AgentBuild {
  readonly file: string
}

export interface BridgeOptions {
  readonly machine: Machine
  readonly program: AgentProgram
  readonly input: Readable
  readonly output: Writable
  readonly clock: Clock
  complain(text: string): void
}

/** @returns the exit code, or null where the caller is to answer in its own process: nothing was read or written then. */
export async function bridgeToResident(options: BridgeOptions): Promise<number | null> {
  const { machine, complain } = options
  const place = residentPlace(machine, hostname())
  const socket = place === null ? null : await join(place, options)
  if (socket === null) return null
  if ((await carry(socket, options)) === 'left') return 0
  complain('The resident agent of this account has ended. The next connection starts another one.')
  return lostExitCode
}

async function join(place: ResidentPlace, options: BridgeOptions): Promise<Socket | null> {
  const { program, clock } = options
  const deadlineMs = clock.monotonicMs() + joiningMs
  let start: StartedResident | null = null
  while (clock.monotonicMs() < deadlineMs) {
    const answer = await askResident(place.socketPath, 'join', program, clock)
    if (answer === 'unusable') return null
    if (answer !== 'absent') {
      if (answer.reply.word === 'joined') return answer.socket
      await Promise.race([closed(answer.socket), pause(clock, deadlineMs - clock.monotonicMs())])
      answer.socket.destroy()
      continue
    }
    if (start === null) {
      start = await startResident(place, options)
      if (start === null) return null
    } else if (start.failed()) return null
    await pause(clock, pauseMs)
  }
  return null
}

interface StartedResident {
  /** It could not be started, or ended with an error: the same would come of starting it again. */
  failed(): boolean
}

/** @returns null where the account wants none, or its settings cannot be read: answering in process says why. */
async function startResident(
  place: ResidentPlace,
  { machine, program }: BridgeOptions,
): Promise<StartedResident | null> {
  try {
    const { ensurePrivateDir, graceMs } = await import('./machine.ts')
    if (graceMs(machine) === 0) return null
    await ensurePrivateDir(place.dataDir)
    const log = openSync(place.logPath, 'a', 0o600)
    try {
      // A session of its own, and none of the connection's streams: the connection ends without waiting for it.
      const child = spawn(process.execPath, ['--max-semi-space-size=4', program.file, 'resident'], {
        detached: true,
        stdio: ['ignore', 'ignore', log],
        env: { ...machine.env },
      })
      let hasFailed = false
      child.once('error', () => {
        hasFailed = true
      })
      child.once('exit', (code) => {
        hasFailed ||= code !== 0
      })
      child.unref()
      return { failed: () => hasFailed }
    } finally {
      closeSync(log)
    }
  } catch {
    return null
  }
}

/** @returns who ended it: the gateway's side has `left`, or the agent is `lost`. */
function carry(socket: Socket, { input, output }: BridgeOptions): Promise<'left' | 'lost'> {
  return new Promise((resolve) => {
    let hasLeft = false
    const leave = () => {
      hasLeft = true
      socket.end()
    }
    input.once('end', leave)
    input.once('error', leave)
    // Nobody reads any more.
    output.once('error', () => {
      hasLeft = true
      socket.destroy()
    })
    socket.once('close', () => {
      input.destroy()
      resolve(hasLeft ? 'left' : 'lost')
    })
    input.pipe(socket, { end: false })
    socket.pipe(output, { end: false })
  })
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(Math.max(0, ms), resolve))
}
