/** What a look at the disk asks, and what it finds. */
import type { FileStamp } from '../index/file-rows.ts'
import type {
  TranscriptFile,
  TranscriptFormat,
  TranscriptReader,
  TranscriptRoot,
} from '../transcripts/reader.ts'
import type { DatabaseCatalogue } from './database-catalogue.ts'
import type { FileSystem } from './file-system.ts'

/** A folder to look in, and whose it is. */
export interface Source {
  readonly reader: TranscriptReader
  readonly root: TranscriptRoot
}

export interface FoundFile {
  readonly source: Source
  readonly file: TranscriptFile
  readonly format: TranscriptFormat['kind']
  readonly stamp: FileStamp
}

/** What discovery asks. */
export interface DiscoveryAccess {
  readonly fileSystem: FileSystem
  readonly databases: DatabaseCatalogue
  /** Hears of the walk, so that it can watch what is walked. */
  readonly watch?: WalkListener
}

export interface WalkListener {
  /** Before the folder is listed: what comes into it afterwards is for the watch to tell. */
  entering(root: string, folder: string): void
  /** Something in the root can change without any of its folders hearing of it. */
  unseen(root: string, why: string): void
  /** A transcript's stamp covers these too. */
  beside(root: string, file: string, companions: readonly Companion[]): void
}

export interface Companion {
  readonly path: string
  readonly isFolder: boolean
}

/** An agent's database: `problem` says why nothing is known of its sessions. */
export interface FoundDatabase {
  readonly path: string
  readonly problem: string | null
}

/** `absent`: no such folder, as on a machine without that agent. `empty`: it lists, and holds nothing at all. */
export type RootState = 'absent' | 'empty' | 'listed' | 'unlisted'

export interface FoundRoot {
  readonly source: Source
  readonly state: RootState
  /** What could not be looked at, as sentences with paths in them. */
  readonly problems: readonly string[]
  readonly databases: readonly FoundDatabase[]
  /** Files of this agent that its reader cannot read, with the reason. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}

export interface Discovery {
  readonly files: readonly FoundFile[]
  readonly roots: readonly FoundRoot[]
}

export interface NamedDiscovery extends Discovery {
  /** Of the named paths: those that are not there any more. */
  readonly missing: readonly string[]
}
