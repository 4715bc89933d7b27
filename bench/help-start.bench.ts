/** What it costs to ask for help: the whole process, from its start to its end, beside a Node that has nothing to do. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { measureByTurns, median } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

export const helpStart: BenchRow = {
  name: 'help-start',
  what: '`trawl --help` ÷ `node -e 0`, whole processes',
  unit: 'ratio',
  atMost: 1.5,
  measure: measureHelpStart,
}

async function measureHelpStart({ quick, binDir }: BenchContext): Promise<Measured> {
  const rounds = { warmUp: 2, counted: quick ? 5 : 41 }
  const help = async () => await run([join(binDir, 'trawl.js'), '--help'])
  const bare = async () => await run(['-e', '0'])
  const { aMs, bMs } = await measureByTurns(help, bare, rounds)
  return {
    value: median(aMs) / median(bMs),
    detail: `${median(aMs).toFixed(0)} ÷ ${median(bMs).toFixed(0)} ms, medians of ${rounds.counted} by turns`,
  }
}

/** @throws Error for a process that fails. */
async function run(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`)
}
