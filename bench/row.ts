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
  /** Says what is being done, on stderr. */
  say(sentence: string): void
}

export type Unit = 'ratio' | 'ms' | 'MB'

export interface Measured {
  readonly value: number
  /** The absolute figures behind the value, for the table's last column. */
  readonly detail: string
}

export interface BenchRow {
  /** How the row is asked for on the command line. */
  readonly name: string
  readonly what: string
  readonly unit: Unit
  readonly atMost: number
  measure(context: BenchContext): Promise<Measured>
}
