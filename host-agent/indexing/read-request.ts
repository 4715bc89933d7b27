/** What reading one transcript is asked, and how much it may take at a time. */
import type { FilePosition, FileStamp } from '../index/file-rows.ts'
import type { TranscriptFile } from '../transcripts/reader.ts'

/** What the index knows of the file, where it is to be read on from there. */
export interface ResumePoint {
  readonly byteOffset: number
  readonly tailHash: string
  readonly messageCount: number
  /** JSON text, as `FileBatch.fold`. */
  readonly fold: string
}

export interface ReadRequest {
  readonly file: TranscriptFile
  /** As discovery found the file. */
  readonly found: FileStamp
  /** The row's position, which the first batch carries as its fence. */
  readonly expected: FilePosition | null
  /** Null: from the first byte. */
  readonly resume: ResumePoint | null
}

export interface ReadLimits {
  /** A batch is closed when it holds this much text. */
  readonly batchBytes: number
  /** Bytes asked for at one time. */
  readonly sliceBytes: number
}

export const defaultReadLimits: ReadLimits = { batchBytes: 16 * 1024 * 1024, sliceBytes: 1024 * 1024 }
