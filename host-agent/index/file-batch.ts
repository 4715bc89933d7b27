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
  /** Nothing of the file is to be kept but that it was looked at. */
  readonly excluded?: boolean
  readonly facts: SessionFacts
  readonly rows: PackedRows
  readonly messageCount: number
  readonly byteOffset: number
  readonly tailHash: string
  /** JSON text. */
  readonly fold: string
  readonly unread: UnreadCounts
}

const noRows: PackedRows = { count: 0, bytes: new Uint8Array(), table: new Float64Array() }

/** What stays of a batch whose session is not to be indexed: the stamp, so that it is not read again as it is. */
export function leftOut(batch: FileBatch): FileBatch {
  return {
    ...batch,
    kind: 'none',
    excluded: true,
    rows: noRows,
    messageCount: 0,
    byteOffset: 0,
    tailHash: '',
    fold: '{}',
    unread: { badLines: 0, unknownRecords: 0 },
  }
}
