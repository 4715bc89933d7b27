/** `aiVault.readSession` on one host: a page of a transcript as the index holds it, both ways from anywhere. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { ReadSessionRequest, ReadSessionResponse } from '../../protocol/session-search/read-session.ts'
import type { SqlDatabase, SqlRow } from '../index/driver/driver.ts'
import {
  numberIn,
  numberOrNull,
  readFence,
  readSessions,
  roleOfCode,
  type SessionRecord,
  textIn,
} from '../index/read.ts'
import { hitOf, isoTime } from './hit.ts'
import { type TranscriptBlock, transcriptBlocks } from './transcript-blocks.ts'

type Page = Extract<ReadSessionResponse, { kind: 'messages' }>

interface Transcript {
  readonly record: SessionRecord
  /** Its own messages first, then each subagent's (transcript-blocks.ts). */
  readonly blocks: readonly TranscriptBlock[]
  /** Another value when messages have been thrown away and read anew, or a file of the session has gone. */
  readonly version: string
}

/** @throws TrawlError `not_found` for a session this index does not hold. */
export function readSession(db: SqlDatabase, request: ReadSessionRequest): ReadSessionResponse {
  return db.snapshot(() => {
    const transcript = findTranscript(db, request)
    if (transcript === null) throw new TrawlError('not_found', 'No such session on this host')
    const stretch = stretchOf(request, transcript)
    return 'kind' in stretch ? stretch : pageFrom(db, stretch, request, transcript)
  })
}

function findTranscript(db: SqlDatabase, { agent, sessionId }: ReadSessionRequest): Transcript | null {
  const row = db.prepare('SELECT id FROM sessions WHERE agent = ? AND session_id = ?').get(agent, sessionId)
  const [record] = row === undefined ? [] : readSessions(db, [numberIn(row, 'id')])
  if (record === undefined) return null
  const blocks = transcriptBlocks(db, record.rowId)
  if (blocks.length === 0) return null
  // What is added behind, a message or a subagent, moves nothing.
  const [first] = blocks
  const rewrites = blocks.reduce((sum, block) => sum + block.rewrites, 0)
  const version = `${readFence(db).indexId}/${first?.fileId}/${rewrites}`
  return { record, blocks, version }
}

/** Ordinals: all messages counted through, without the gaps between blocks. `end` is the first that is left out. */
interface Stretch {
  readonly start: number
  readonly end: number
}

function stretchOf(
  { around, cursor, limit }: ReadSessionRequest,
  { blocks, version }: Transcript,
): Stretch | Exclude<ReadSessionResponse, Page> {
  const total = countOf(blocks)
  if (cursor !== undefined) {
    const place = decodeCursor(cursor)
    if (place === null) return { kind: 'malformed-cursor' }
    if (place.version !== version) return { kind: 'stale-cursor' }
    const start = ordinalOf(blocks, place.start)
    const end = place.end === null ? total : ordinalOf(blocks, place.end)
    return { start, end: Math.min(start + limit, end) }
  }
  const middle = around === undefined ? 0 : ordinalOf(blocks, around)
  const start = Math.max(0, Math.min(total - limit, middle - Math.floor(limit / 2)))
  return { start, end: Math.min(start + limit, total) }
}

function pageFrom(
  db: SqlDatabase,
  { start, end }: Stretch,
  request: ReadSessionRequest,
  { version, record, blocks }: Transcript,
): Page {
  const total = countOf(blocks)
  const at = (ordinal: number) => indexOf(blocks, ordinal)
  return {
    kind: 'messages',
    messages: messagesBetween(db, blocks, start, end),
    page: {
      cursor: end < total ? encodeCursor({ version, start: at(end), end: null }) : null,
      hasMore: end < total,
      startCursor: encodeCursor({ version, start: at(start), end: null }),
      previousCursor:
        start === 0
          ? null
          : encodeCursor({ version, start: at(Math.max(0, start - request.limit)), end: at(start) }),
    },
    session: { ...factsOf(record), messageCount: total },
  }
}

/** What a hit says of it; what a connection may not see is removed later. */
function factsOf(record: SessionRecord): Omit<Page['session'], 'messageCount'> {
  const { agent, sessionId, title, cwd, branch, updatedAt, resumeCommand } = hitOf(record, unfound)
  const facts = { agent, sessionId, title, cwd, branch, updatedAt }
  return resumeCommand === undefined ? facts : { ...facts, resumeCommand }
}

const unfound = { score: 0, evidence: null, duplicateCount: 0 } as const

function messagesBetween(
  db: SqlDatabase,
  blocks: readonly TranscriptBlock[],
  start: number,
  end: number,
): Page['messages'] {
  const statement = db.prepare(
    `SELECT position + ? AS message_index, role, timestamp_ms, text FROM messages
     WHERE file_id = ? AND position >= ? AND position < ? ORDER BY position, id`,
  )
  const messages: Page['messages'] = []
  let before = 0
  for (const block of blocks) {
    const [from, to] = [Math.max(0, start - before), Math.min(block.messageCount, end - before)]
    if (from < to) messages.push(...joinChunks(statement.all(block.start, block.fileId, from, to)))
    before += block.messageCount
  }
  return messages
}

function countOf(blocks: readonly TranscriptBlock[]): number {
  return blocks.reduce((sum, { messageCount }) => sum + messageCount, 0)
}

/** How many messages stand before that one; an index in the gap behind a block is the next block's first. */
function ordinalOf(blocks: readonly TranscriptBlock[], index: number): number {
  return blocks.reduce(
    (sum, { start, messageCount }) => sum + Math.min(messageCount, Math.max(0, index - start)),
    0,
  )
}

function indexOf(blocks: readonly TranscriptBlock[], ordinal: number): number {
  let before = 0
  for (const { start, messageCount } of blocks) {
    if (ordinal < before + messageCount) return start + ordinal - before
    before += messageCount
  }
  const last = blocks.at(-1)
  return last === undefined ? 0 : last.start + last.messageCount
}

/** The chunks of a long message follow each other under one position, and make it up again. */
function joinChunks(rows: readonly SqlRow[]): Page['messages'] {
  const messages: Page['messages'] = []
  for (const row of rows) {
    const index = numberIn(row, 'message_index')
    const last = messages.at(-1)
    if (last?.index === index) last.text += textIn(row, 'text')
    else
      messages.push({
        index,
        role: roleOfCode(numberIn(row, 'role')),
        text: textIn(row, 'text'),
        timestamp: isoTime(numberOrNull(row, 'timestamp_ms')),
      })
  }
  return messages
}

interface CursorPlace {
  readonly version: string
  /** Of the page's first message. */
  readonly start: number
  /** Of the first message behind a page that leads up to another one; null where only the limit ends it. */
  readonly end: number | null
}

function encodeCursor({ version, start, end }: CursorPlace): string {
  const fields = end === null ? [version, start] : [version, start, end]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

function decodeCursor(text: string): CursorPlace | null {
  if (text.length > 1024 || !/^[A-Za-z0-9_-]+$/.test(text)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(value) || value.length < 2 || value.length > 3) return null
    const [version, start, end = null] = value
    if (typeof version !== 'string' || !isIndex(start) || !(end === null || isIndex(end))) return null
    return { version, start, end }
  } catch {
    return null
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
