/** A child process of the benchmark that says one line when it is ready and is ended when its row is done. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface ChildProgram extends AsyncDisposable {
  readonly pid: number
  /** The line that said the program is ready. */
  readonly readyLine: string
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where the ready line comes. */
  readonly readyOn?: 'stdout' | 'stderr'
  isReady?(line: string): boolean
}

/** @throws Error, with what the program wrote, when it ends before it is ready. */
export async function startProgram(
  args: readonly string[],
  options: ChildOptions = {},
): Promise<ChildProgram> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const readyOn = options.readyOn ?? 'stdout'
  const other = readyOn === 'stdout' ? child.stderr : child.stdout
  other.pipe(process.stderr)
  const readyLine = await firstLine(child, child[readyOn], options.isReady ?? (() => true))
  const { pid } = child
  if (pid === undefined) throw new Error('the program has no process id')
  return {
    pid,
    readyLine,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function firstLine(
  child: ChildProcess,
  stream: Readable,
  isReady: (line: string) => boolean,
): Promise<string> {
  const lines = createInterface({ input: stream })
  const seen: string[] = []
  return await new Promise((resolve, reject) => {
    child.once('error', reject)
    lines.on('line', (line) => {
      if (isReady(line)) resolve(line)
      else if (seen.length < 20) seen.push(line)
    })
    lines.once('close', () => reject(new Error(`the program ended before it was ready: ${seen.join('\n')}`)))
  })
}

/**
 * Resident memory of a process, in megabytes of 10^6 bytes: now, or the most it has been.
 * @throws Error where there is no `/proc`.
 */
export function residentMB(pid: number, when: 'now' | 'at-most' = 'now'): number {
  const pattern = when === 'now' ? /^VmRSS:\s+(\d+) kB$/m : /^VmHWM:\s+(\d+) kB$/m
  const found = pattern.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  if (found?.[1] === undefined) throw new Error('the resident memory of a process can be read on Linux only')
  return (Number(found[1]) * 1024) / 1e6
}

/** Processor time a process has used so far, all its threads together. @throws Error where there is no `/proc`. */
export function processorMs(pid: number): number {
  // After the name, which may hold anything and ends with the last parenthesis; ticks are 10 ms on every Linux there is.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
