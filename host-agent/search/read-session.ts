/** `aiVault.readSession` on one host: a page of a transcript as the index holds it, both ways from anywhere. */
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { ReadSessionRequest, ReadSessionResponse } from '../../protocol/session-search/read-session.ts'
import type { SqlDatabase, SqlRow } from '../index/driver/driver.ts'
import { numberIn, numberOrNull, readFence, roleOfCode, textIn } from '../index/read.ts'
import { isoTime } from './hit.ts'

type Page = Extract<ReadSessionResponse, { kind: 'messages' }>

interface Transcript {
  readonly fileId: number
  readonly title: string
  readonly messageCount: number
  /** Another value when the messages have been thrown away and read anew. */
  readonly version: string
}

/** @throws TrawlError `not_found` for a session this index does not hold. */
export function readSession(db: SqlDatabase, request: ReadSessionRequest): ReadSessionResponse {
  return db.snapshot(() => {
    const transcript = findTranscript(db, request)
    if (transcript === null) throw new TrawlError('not_found', 'No such session on this host')
    const start = startOf(request, transcript)
    return typeof start === 'number' ? pageFrom(db, start, request, transcript) : start
  })
}

function findTranscript(db: SqlDatabase, { agent, sessionId }: ReadSessionRequest): Transcript | null {
  const row = db
    .prepare(
      `SELECT s.title, f.id, f.message_count, f.rewrites FROM sessions s JOIN files f ON f.session_row_id = s.id
       WHERE s.agent = ? AND s.session_id = ? AND f.kind = 'session' AND f.state <> 'shadowed'
       ORDER BY f.id LIMIT 1`,
    )
    .get(agent, sessionId)
  if (row === undefined) return null
  const fileId = numberIn(row, 'id')
  return {
    fileId,
    title: textIn(row, 'title'),
    messageCount: numberIn(row, 'message_count'),
    version: `${readFence(db).indexId}/${fileId}/${numberIn(row, 'rewrites')}`,
  }
}

function startOf(
  { around, cursor, limit }: ReadSessionRequest,
  transcript: Transcript,
): number | Exclude<ReadSessionResponse, Page> {
  if (cursor !== undefined) {
    const place = decodeCursor(cursor)
    if (place === null) return { kind: 'malformed-cursor' }
    return place.version === transcript.version ? place.start : { kind: 'stale-cursor' }
  }
  const last = Math.max(0, transcript.messageCount - limit)
  return around === undefined ? 0 : Math.min(last, Math.max(0, around - Math.floor(limit / 2)))
}

function pageFrom(db: SqlDatabase, start: number, request: ReadSessionRequest, transcript: Transcript): Page {
  const { version, messageCount, title, fileId } = transcript
  const end = start + request.limit
  const rows = db
    .prepare(
      `SELECT position, role, timestamp_ms, text FROM messages
       WHERE file_id = ? AND position >= ? AND position < ? ORDER BY position, id`,
    )
    .all(fileId, start, end)
  const hasMore = end < messageCount
  return {
    kind: 'messages',
    messages: joinChunks(rows),
    page: {
      cursor: hasMore ? encodeCursor({ version, start: end }) : null,
      hasMore,
      startCursor: encodeCursor({ version, start }),
      previousCursor:
        start === 0 ? null : encodeCursor({ version, start: Math.max(0, start - request.limit) }),
    },
    session: { agent: request.agent, sessionId: request.sessionId, title, messageCount },
  }
}

/** The chunks of a long message follow each other under one position, and make it up again. */
function joinChunks(rows: readonly SqlRow[]): Page['messages'] {
  const messages: Page['messages'] = []
  for (const row of rows) {
    const index = numberIn(row, 'position')
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
  readonly start: number
}

function encodeCursor({ version, start }: CursorPlace): string {
  return Buffer.from(JSON.stringify([version, start])).toString('base64url')
}

function decodeCursor(text: string): CursorPlace | null {
  if (text.length > 1024 || !/^[A-Za-z0-9_-]+$/.test(text)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (!Array.isArray(value) || value.length !== 2) return null
    const [version, start] = value
    if (typeof version !== 'string' || !Number.isSafeInteger(start) || start < 0) return null
    return { version, start }
  } catch {
    return null
  }
}
