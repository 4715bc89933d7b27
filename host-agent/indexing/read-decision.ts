/** Decides, from what the index knows of a file and how the file looks now, whether and from where it is read. */
import type { FileStamp, KnownFile } from '../index/file-rows.ts'
import { maxFailures } from '../index/file-writes.ts'
import type { TranscriptFormat } from '../transcripts/reader.ts'

/**
 * `covered`: nothing to read. `held-out`: failed too often as it is now. `too-old`: not to be kept. `append`: go on from the row's offset, if the
 * bytes before it are still the same. `whole`: from the first byte.
 */
export type ReadDecision = 'covered' | 'held-out' | 'too-old' | 'append' | 'whole'

/** @param keptSinceMs sessions whose last message is older are not wanted; null: all are. */
export function decideRead(
  row: KnownFile | null,
  stamp: FileStamp,
  format: TranscriptFormat['kind'],
  keptSinceMs: number | null,
): ReadDecision {
  // What nobody has written to since cannot hold a message from since.
  if (row === null) return isTooOld(stamp.mtimeMs, keptSinceMs) ? 'too-old' : 'whole'
  if (row.state === 'purged') {
    const lastMs = isSameVersion(row, stamp) ? (row.purgedMs ?? stamp.mtimeMs) : stamp.mtimeMs
    return isTooOld(lastMs, keptSinceMs) ? 'too-old' : 'whole'
  }
  if (row.state === 'failed') {
    if (!isSameVersion(row, stamp)) return 'whole'
    return row.failCount >= maxFailures ? 'held-out' : 'whole'
  }
  if (row.state !== 'due' && isSameVersion(row, stamp)) return 'covered'
  if (row.state === 'shadowed' || row.byteOffset === 0) return 'whole'
  // What is read whole finds for itself what of it is new (read-whole.ts).
  if (format !== 'lines') return 'append'
  if (row.device !== stamp.device || row.inode !== stamp.inode) return 'whole'
  if (row.state === 'due') return stamp.sizeBytes >= row.byteOffset ? 'append' : 'whole'
  // Only what lies beside it has changed: its facts are made anew, and nothing is read.
  if (row.sizeBytes === stamp.sizeBytes && row.mtimeMs === stamp.mtimeMs) return 'append'
  // The same size at another time: written over in place.
  return stamp.sizeBytes > row.sizeBytes ? 'append' : 'whole'
}

function isTooOld(ms: number, keptSinceMs: number | null): boolean {
  return keptSinceMs !== null && ms < keptSinceMs
}

function isSameVersion(row: FileStamp, stamp: FileStamp): boolean {
  return (
    row.sizeBytes === stamp.sizeBytes &&
    row.mtimeMs === stamp.mtimeMs &&
    row.inode === stamp.inode &&
    row.device === stamp.device &&
    row.beside === stamp.beside
  )
}
