/** What a pass works with, and how far it is to go. */
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import type { DatabaseCatalogue } from './database-catalogue.ts'
import type { FoundFile, Source } from './discovery.ts'
import type { DiskWatch } from './disk-watch.ts'
import type { Exclusion } from './exclusion.ts'
import type { FileSystem } from './file-system.ts'
import type { Progress } from './progress.ts'
import type { TranscriptSource } from './transcript-source.ts'

/** A file that is to be read. */
export interface DueFile extends FoundFile {
  /** The index did not cover the file before. */
  readonly isNew: boolean
}

export interface PassContext {
  readonly db: SqlDatabase
  readonly fileSystem: FileSystem
  readonly databases: DatabaseCatalogue
  readonly sources: readonly Source[]
  readonly watch: DiskWatch
  /** What passes have found due and not read yet; no look will find it again in a root that is watched. */
  readonly backlog: Backlog
  /** Which roots of which agents are read, as one text; null while another agent at the index reads others. */
  readonly config: string | null
  /** Agents whose roots were set by a person (deletions.ts). */
  readonly configuredAgents: ReadonlySet<string>
  readonly platform: NodeJS.Platform
  readonly clock: Clock
  readonly progress: Progress
  /** Sessions whose last message is older, in milliseconds since the epoch, are not wanted; null: all are. */
  readonly keptSinceMs: number | null
  readonly exclusion: Exclusion
  /** No pass has gone by this exclusion before. */
  readonly isNewExclusion: boolean
  /** Gives what reads for a pass over this many bytes; the pass disposes of it. */
  readonly openTranscripts: (bytes: number) => TranscriptSource
  readonly signal: AbortSignal
}

export interface Backlog {
  files: readonly DueFile[]
  /** A large file that another pass is amid: not for an interlude to read. */
  reading: string | null
}

export interface PassOptions {
  readonly full: boolean
  /** No file is begun after this long, though one always is. Null: no bound. */
  readonly readingMs: number | null
  /** Runs inside another pass, whose figures it leaves alone. */
  readonly nested: boolean
  /** Somebody waits for it. One in the background inside another pass leaves to that one what that one has to read. */
  readonly asked: boolean
  /** Roots that the last sweep found empty although they had held transcripts (deletions.ts). */
  readonly emptyRoots: ReadonlySet<string>
  /** Runs what is more urgent, between two files. */
  readonly interlude: Interlude
  /** The same between two stretches of a large file: nobody may be let in who would go on with that file. */
  readonly amid: Interlude
}

export interface Interlude {
  isWanted(): boolean
  run(): Promise<void>
}
