/** What a pass works with, and how far it is to go. */
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import type { DatabaseCatalogue } from './database-catalogue.ts'
import type { Source } from './discover.ts'
import type { FileSystem } from './file-system.ts'
import type { Progress } from './progress.ts'
import type { TranscriptSource } from './transcript-source.ts'

export interface PassContext {
  readonly db: SqlDatabase
  readonly fileSystem: FileSystem
  readonly databases: DatabaseCatalogue
  readonly sources: readonly Source[]
  /** Agents whose roots were set by a person (deletions.ts). */
  readonly configuredAgents: ReadonlySet<string>
  readonly platform: NodeJS.Platform
  readonly clock: Clock
  readonly progress: Progress
  /** Gives what reads for a pass over this many bytes; the pass disposes of it. */
  readonly openTranscripts: (bytes: number) => TranscriptSource
  readonly signal: AbortSignal
}

export interface PassOptions {
  readonly full: boolean
  /** No file is begun after this long, though one always is. Null: no bound. */
  readonly readingMs: number | null
  /** Runs inside another pass, whose figures it leaves alone. */
  readonly nested: boolean
  /** Roots that the last sweep found empty although they had held transcripts (deletions.ts). */
  readonly emptyRoots: ReadonlySet<string>
  /** Runs what is more urgent, between two files. */
  readonly interlude: Interlude
}

export interface Interlude {
  isWanted(): boolean
  run(): Promise<void>
}
