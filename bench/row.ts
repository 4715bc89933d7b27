/** What one row of the benchmark is, and what a row is given to work with. */
import type { Corpora } from './corpora.ts'

export interface BenchContext {
  /** Fewer rounds and smaller corpora: shows that every row works, not what the figures are. */
  readonly quick: boolean
  /** A folder of this run's own, removed afterwards. */
  readonly workDir: string
  /** Where the benchmark's own programs were bundled to. */
  readonly programsDir: string
  /** Where the product's commands lie. */
  readonly binDir: string
  readonly corpora: Corpora
  /** Does `make` when it is first asked for in this run; what came of it is handed to all who ask under that name. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>
  /** Says what is being done, on stderr. */
  say(sentence: string): void
}

/** The last three are counted. */
export type Unit = 'ratio' | 'ms' | 'MB' | 'MB/s' | '%' | 'bars' | 'hosts' | 'bytes'

export interface Measured {
  readonly value: number
  /** The absolute figures behind the value, for the table's last column. */
  readonly detail: string
}

/** What is to be reached. */
export type Bar = { readonly atMost: number } | { readonly atLeast: number }

export type BenchRow = Bar & {
  /** How the row is asked for on the command line. */
  readonly name: string
  readonly what: string
  readonly unit: Unit
  measure(context: BenchContext): Promise<Measured>
}
