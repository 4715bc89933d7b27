/** Reads a session that comes whole – a document, or one of a database – and finds what of it is new. */
import { createHash, type Hash } from 'node:crypto'
import type { FileBatch } from '../index/file-batch.ts'
import { messageRows } from '../index/message-rows.ts'
import { RowPacker } from '../index/packed-rows.ts'
import type {
  DatabaseFormat,
  DocumentFormat,
  TranscriptMessage,
  TranscriptReader,
  WholeTranscript,
} from '../transcripts/reader.ts'
import { databasePathOf } from './database-session.ts'
import type { ReadLimits, ReadRequest } from './read-request.ts'
import { readBytes, type TranscriptAccess } from './transcript-access.ts'

/** A document is held in memory several times over while it is read. */
const maxDocumentBytes = 64 * 1024 * 1024

/**
 * What the index holds of the session is an untouched beginning of it (the messages' hash says so): the rest is
 * appended. Anything else replaces it. Batches as in `readTranscript`; a batch's `byteOffset` counts text units.
 * @throws where the session cannot be read as a whole.
 */
export function* readWhole(
  access: TranscriptAccess,
  reader: TranscriptReader,
  format: DocumentFormat | DatabaseFormat,
  request: ReadRequest,
  limits: ReadLimits,
): Generator<FileBatch, void, undefined> {
  const { transcript, stamp } =
    format.kind === 'document' ? readDocument(access, format, request) : readSession(access, format, request)
  const messages = transcript.kind === 'none' ? [] : transcript.messages
  const known = beginning(messages, request.resume?.fold)
  const progress = known ?? new Beginning()
  let mode: FileBatch['mode'] = known === null ? 'replace' : 'append'
  const rows = new RowPacker(Math.min(stamp.sizeBytes >> 1, limits.batchBytes))
  const batch = (complete: boolean): FileBatch => ({
    agent: reader.agent,
    root: request.file.root.path,
    path: request.file.path,
    stamp,
    expected: request.expected,
    mode,
    complete,
    kind: transcript.kind,
    facts: transcript.facts,
    rows: rows.take(),
    messageCount: progress.count,
    byteOffset: progress.units,
    tailHash: '',
    fold: JSON.stringify(progress.saved()),
    unread: transcript.unread,
  })
  for (const message of messages.slice(progress.count)) {
    for (const row of messageRows(message, progress.count)) rows.add(row)
    progress.add(message)
    if (rows.bytes < limits.batchBytes) continue
    yield batch(false)
    mode = 'append'
  }
  yield batch(true)
}

function readDocument(
  { fileSystem, beside }: TranscriptAccess,
  format: DocumentFormat,
  request: ReadRequest,
) {
  const open = fileSystem.open(request.file.path)
  try {
    const stamp = { ...open.stamp(), beside: request.found.beside }
    if (stamp.sizeBytes > maxDocumentBytes)
      throw new Error(`larger than ${maxDocumentBytes / 2 ** 20} MiB, which is the most that is read at once`)
    const file = { ...request.file, writtenAtMs: Math.round(stamp.mtimeMs) }
    return { stamp, transcript: format.read(file, beside, readBytes(open, stamp.sizeBytes)) }
  } finally {
    open.close()
  }
}

/** The stamp is discovery's: a session that has changed since then has another at the next pass. */
function readSession(
  { openDatabase, beside }: TranscriptAccess,
  format: DatabaseFormat,
  { file, found }: ReadRequest,
): { stamp: ReadRequest['found']; transcript: WholeTranscript } {
  using database = openDatabase(databasePathOf(file))
  return { stamp: found, transcript: format.read(file, beside, database) }
}

/** @returns the messages the index holds, where they are still the first ones; null where it holds others. */
function beginning(messages: readonly TranscriptMessage[], fold: string | undefined): Beginning | null {
  const saved = fold === undefined ? null : savedIn(fold)
  if (saved === null || saved.count > messages.length) return null
  const now = new Beginning()
  for (const message of messages.slice(0, saved.count)) now.add(message)
  return now.saved().hash === saved.hash ? now : null
}

function savedIn(fold: string): { count: number; hash: string } | null {
  const value: unknown = JSON.parse(fold)
  if (typeof value !== 'object' || value === null || !('count' in value) || !('hash' in value)) return null
  const { count, hash } = value
  return typeof count === 'number' && typeof hash === 'string' ? { count, hash } : null
}

/** The messages so far, as one hash. */
class Beginning {
  count = 0
  units = 0
  readonly #hash: Hash = createHash('sha256')

  add({ role, text, timestampMs }: TranscriptMessage): void {
    this.#hash.update(`${role} ${timestampMs} ${text.length} ${text}`)
    this.count++
    this.units += text.length
  }

  saved(): { count: number; hash: string } {
    return { count: this.count, hash: this.#hash.copy().digest('base64url').slice(0, 22) }
  }
}
