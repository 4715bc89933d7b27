/** What the answering thread and the indexing thread say to each other. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import type { TranscriptRoot } from '../transcripts/reader.ts'

/** In place of a job: the thread is to read for one that indexes (reading-thread.ts). */
export const readingRole = 'reading'

/** In place of a job: it comes as the first message, for the thread was started before anybody could know it. */
export const waitingRole = 'waiting'

/** Everything the indexing thread is told at its start. */
export interface IndexingJob {
  readonly indexPath: string
  readonly homeDir: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly sources: Readonly<Record<string, readonly TranscriptRoot[]>>
  /** Sessions whose last message is older are not kept; null: all are. */
  readonly historyDays: number | null
  /** Absolute paths, as `createExclusion` takes them. */
  readonly exclude: readonly string[]
}

export type IndexingOrder =
  | { readonly kind: 'start'; readonly id: number }
  | { readonly kind: 'reconcile'; readonly id: number; readonly full: boolean }
  | { readonly kind: 'close'; readonly id: number }

export type IndexingNews =
  | { readonly kind: 'status'; readonly status: SearchStatus }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly name: string; readonly message: string }
