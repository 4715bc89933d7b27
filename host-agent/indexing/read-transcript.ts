/** Reads one transcript into batches for the index: all of it, or what was appended since. */
import { createHash } from 'node:crypto'
import type { FileBatch } from '../index/file-batch.ts'
import { messageRows } from '../index/message-rows.ts'
import { RowPacker } from '../index/packed-rows.ts'
import {
  type TranscriptFold,
  type TranscriptMessage,
  type TranscriptReader,
  UnknownFoldState,
} from '../transcripts/reader.ts'
import { lineSplitter } from '../transcripts/transcript-lines.ts'
import type { OpenFile } from './file-system.ts'
import { defaultReadLimits, type ReadLimits, type ReadRequest, type ResumePoint } from './read-request.ts'
import { readWhole } from './read-whole.ts'
import type { TranscriptAccess } from './transcript-access.ts'

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
  access: TranscriptAccess,
  reader: TranscriptReader,
  request: ReadRequest,
  limits: ReadLimits = defaultReadLimits,
): Generator<FileBatch, void, undefined> {
  const format = reader.formatOf(request.file.relativePath)
  if (format === null) throw new Error(`no transcript of ${reader.label}`)
  if (format.kind !== 'lines') {
    yield* readWhole(access, reader, format, request, limits)
    return
  }
  const open = access.fileSystem.open(request.file.path)
  try {
    const stamp = { ...open.stamp(), beside: request.found.beside }
    const file = { ...request.file, writtenAtMs: Math.round(stamp.mtimeMs) }
    const openFold = (saved?: unknown) => format.open(file, access.beside, saved)
    yield* readLines(open, stamp, openFold, reader.agent, request, limits)
  } finally {
    open.close()
  }
}

type OpenFold = (saved?: unknown) => TranscriptFold

function* readLines(
  open: OpenFile,
  stamp: FileBatch['stamp'],
  openFold: OpenFold,
  agent: string,
  request: ReadRequest,
  limits: ReadLimits,
): Generator<FileBatch, void, undefined> {
  const resumed = resume(open, openFold, request, stamp.sizeBytes)
  const fold = resumed?.fold ?? openFold()
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
      agent,
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
  openFold: OpenFold,
  { resume: from }: ReadRequest,
  sizeBytes: number,
): { fold: TranscriptFold; from: ResumePoint } | null {
  if (from === null || from.byteOffset > sizeBytes) return null
  if (hashTail(open, from.byteOffset) !== from.tailHash) return null
  try {
    return { fold: openFold(JSON.parse(from.fold)), from }
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
