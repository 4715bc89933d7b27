/** Runs the rows asked for, one after another, and prints the table. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { append } from './append.bench.ts'
import { coldIndex, coldIndexHuge, indexRate, indexSize } from './cold-index.bench.ts'
import { createCorpora } from './corpora.ts'
import { fanOutOver100, fanOutOver1000 } from './fan-out.bench.ts'
import { helpStart } from './help-start.bench.ts'
import { idleHosts } from './idle-hosts.bench.ts'
import { deadHosts, halfOpenLink, killedHosts } from './lost-hosts.bench.ts'
import { busyShare, machineLine } from './machine.ts'
import { mcpSearch } from './mcp-search.bench.ts'
import { plantedBytesRow } from './planted-bytes.bench.ts'
import {
  eightCommonWords,
  prefixQueries,
  rareBesideGrep,
  rareQueries,
  twoCommonWords,
} from './queries.bench.ts'
import { relevance } from './relevance.bench.ts'
import { type Finished, isMissed, renderTable } from './report.ts'
import type { BenchContext, BenchRow } from './row.ts'
import { idleProcessor, memoryIdle, memoryIndexing, queriesWhileIndexing, restart } from './serving.bench.ts'
import { sshFirstUse, sshNextUse, sshSecondQuery } from './ssh-host.bench.ts'
import { threeHosts } from './three-hosts.bench.ts'
import { unknownWords } from './unknown-words.bench.ts'

const rows: readonly BenchRow[] = [
  fanOutOver100,
  fanOutOver1000,
  idleHosts,
  coldIndex,
  coldIndexHuge,
  indexRate,
  indexSize,
  rareQueries,
  rareBesideGrep,
  twoCommonWords,
  eightCommonWords,
  prefixQueries,
  queriesWhileIndexing,
  memoryIndexing,
  memoryIdle,
  idleProcessor,
  restart,
  append,
  unknownWords,
  relevance,
  threeHosts,
  mcpSearch,
  sshSecondQuery,
  sshFirstUse,
  sshNextUse,
  deadHosts,
  halfOpenLink,
  killedHosts,
  plantedBytesRow,
  helpStart,
]

export interface BenchPlaces {
  readonly repositoryRoot: string
  readonly workDir: string
  readonly programsDir: string
}

/** @returns the exit code: 0; 1 with `--strict` where a bar was missed; 2 where a row failed or was not known. */
export async function runBenchmark(args: readonly string[], places: BenchPlaces): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, strict: { type: 'boolean' }, keep: { type: 'boolean' } },
  })
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name))
  if (unknown.length > 0) {
    process.stderr.write(
      `No row is called ${unknown.join(', ')}. Rows: ${rows.map((row) => row.name).join(' ')}\n`,
    )
    return 2
  }
  const asked = new Map<string, Promise<unknown>>()
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`)
  const context: BenchContext = {
    quick: values.quick ?? false,
    workDir: places.workDir,
    programsDir: places.programsDir,
    binDir: join(places.repositoryRoot, 'bin'),
    corpora: createCorpora({
      packagesDir: join(places.repositoryRoot, 'node_modules'),
      workDir: places.workDir,
      say,
    }),
    say,
    async once<T>(name: string, make: () => Promise<T>) {
      const making = (asked.get(name) as Promise<T> | undefined) ?? make()
      asked.set(name, making)
      return await making
    },
  }
  const wanted = positionals.length === 0 ? rows : rows.filter((row) => positionals.includes(row.name))
  const busy = `${Math.round((await busyShare(1000)) * 100)} % busy before the run`
  const finished: Finished[] = []
  const failed: string[] = []
  for (const row of wanted) {
    say(`${row.name} …`)
    try {
      finished.push({ row, measured: await row.measure(context) })
    } catch (error) {
      failed.push(row.name)
      say(`${row.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }
  }
  process.stdout.write(`${machineLine()}, ${busy}${context.quick ? ' (--quick: not the figures)' : ''}\n\n`)
  process.stdout.write(`${renderTable(finished)}\n`)
  if (failed.length > 0) return 2
  return values.strict === true && finished.some(isMissed) ? 1 : 0
}
