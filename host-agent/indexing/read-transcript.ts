/** Reads one transcript into batches for the index: all of it, or what was appended since. */
import { createHash } from 'node:crypto'
import type { FileBatch } from '../index/file-batch.ts'
import type { FilePosition } from '../index/file-rows.ts'
import { messageRows } from '../index/message-rows.ts'
import { RowPacker } from '../index/packed-rows.ts'
import {
  type TranscriptFile,
  type TranscriptFold,
  type TranscriptMessage,
  type TranscriptReader,
  UnknownFoldState,
} from '../transcripts/reader.ts'
import { lineSplitter } from '../transcripts/transcript-lines.ts'
import type { FileSystem, OpenFile } from './file-system.ts'

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

/** The bytes before the offset that prove a file was only appended to. */
const tailBytes = 4096

/**
 * Yields one batch for most files; for large ones several, the later of which are appends. Only the first carries the
 * fence that was asked for; the caller puts in the position of the one before. Reads to where the file ended when it
 * was opened; a last line without its newline is left for the next read. Where nothing new stands in full, the one
 * batch has no rows and moves the stamp alone.
 * @throws what the disk says; what a reader throws.
 */
export function* readTranscript(
  fileSystem: FileSystem,
  reader: TranscriptReader,
  request: ReadRequest,
  limits: ReadLimits = defaultReadLimits,
): Generator<FileBatch, void, undefined> {
  const open = fileSystem.open(request.file.path)
  try {
    yield* readOpen(open, reader, request, limits)
  } finally {
    open.close()
  }
}

function* readOpen(
  open: OpenFile,
  reader: TranscriptReader,
  request: ReadRequest,
  limits: ReadLimits,
): Generator<FileBatch, void, undefined> {
  const stamp = open.stamp()
  const resumed = resume(open, reader, request, stamp.sizeBytes)
  const fold = resumed?.fold ?? reader.open(request.file)
  let mode: FileBatch['mode'] = resumed === null ? 'replace' : 'append'
  let messageCount = resumed?.from.messageCount ?? 0
  let byteOffset = resumed?.from.byteOffset ?? 0
  let position = byteOffset
  const left = Math.max(0, stamp.sizeBytes - position)
  // What stands in quotes and braces around the text is rarely less than half.
  const rows = new RowPacker(Math.min(left >> 1, limits.batchBytes))
  let leftOut = false

  const emit = (message: TranscriptMessage): void => {
    for (const row of messageRows(message, messageCount)) rows.add(row)
    messageCount++
  }
  const batch = (complete: boolean): FileBatch => {
    const kind = fold.kind()
    if (kind !== 'none' && leftOut) throw new Error('the session is named too late in the file')
    return {
      agent: reader.agent,
      root: request.file.root.path,
      path: request.file.path,
      stamp,
      expected: request.expected,
      mode,
      complete,
      kind,
      facts: fold.facts(),
      rows: rows.take(),
      messageCount,
      byteOffset,
      tailHash: hashTail(open, byteOffset),
      fold: JSON.stringify(fold.save()),
      unread: fold.unread(),
    }
  }

  const splitter = lineSplitter({ startOffset: byteOffset })
  const slice = Buffer.allocUnsafe(Math.min(limits.sliceBytes, left))
  while (position < stamp.sizeBytes) {
    const wanted = slice.subarray(0, Math.min(slice.length, stamp.sizeBytes - position))
    const got = open.read(wanted, position)
    if (got === 0) break
    position += got
    for (const line of splitter.push(wanted.subarray(0, got))) {
      if (line.text === null) fold.skipLine()
      else fold.line(line.text, emit)
      byteOffset = line.endOffset
      if (rows.bytes < limits.batchBytes) continue
      if (fold.kind() === 'none') {
        // Not to be searched, as far as the file has said; its text must not pile up.
        leftOut = true
        rows.take()
      } else {
        yield batch(false)
        mode = 'append'
      }
    }
  }
  yield batch(true)
}

function resume(
  open: OpenFile,
  reader: TranscriptReader,
  { file, resume: from }: ReadRequest,
  sizeBytes: number,
): { fold: TranscriptFold; from: ResumePoint } | null {
  if (from === null || from.byteOffset > sizeBytes) return null
  if (hashTail(open, from.byteOffset) !== from.tailHash) return null
  try {
    return { fold: reader.open(file, JSON.parse(from.fold)), from }
  } catch (error) {
    if (error instanceof UnknownFoldState) return null
    throw error
  }
}

function hashTail(open: OpenFile, byteOffset: number): string {
  const tail = Buffer.alloc(Math.min(tailBytes, byteOffset))
  let filled = 0
  while (filled < tail.length) {
    const got = open.read(tail.subarray(filled), byteOffset - tail.length + filled)
    if (got === 0) break
    filled += got
  }
  return createHash('sha256').update(tail.subarray(0, filled)).digest('base64url').slice(0, 22)
}
