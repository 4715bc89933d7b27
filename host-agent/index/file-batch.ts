/** What reading hands to writing: one file, or one stretch of a large one. */
import type { SessionFacts, TranscriptKind, UnreadCounts } from '../transcripts/reader.ts'
import type { FilePosition, FileStamp } from './file-rows.ts'
import type { PackedRows } from './packed-rows.ts'

/** What was read of one file in one go: all of it, what was appended, or one stretch of a large one. */
export interface FileBatch {
  readonly agent: string
  readonly root: string
  readonly path: string
  /** Of the file as it was opened. */
  readonly stamp: FileStamp
  /** Where the row stood when the read began; null where there was none. */
  readonly expected: FilePosition | null
  /** `replace`: what the index held of the file goes in the same transaction. */
  readonly mode: 'replace' | 'append'
  /** False while more of the file is to come. */
  readonly complete: boolean
  readonly kind: TranscriptKind
  readonly facts: SessionFacts
  readonly rows: PackedRows
  readonly messageCount: number
  readonly byteOffset: number
  readonly tailHash: string
  /** JSON text. */
  readonly fold: string
  readonly unread: UnreadCounts
}
