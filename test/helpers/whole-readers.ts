/** Made-up agents whose sessions come whole: one writes JSON documents with a manifest beside, one a database. */
import { join } from 'node:path'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import type {
  DatabaseFormat,
  DocumentFormat,
  SessionFacts,
  TranscriptMessage,
  TranscriptReader,
} from '../../host-agent/transcripts/reader.ts'

const notes = { evidence: 'documentation', variables: [], resume: null, remark: '' } as const
const unread = { badLines: 0, unknownRecords: 0 }

function factsOf(sessionId: string, title: string, says: readonly string[]): SessionFacts {
  return {
    sessionId,
    title,
    cwd: null,
    branch: null,
    createdAtMs: null,
    updatedAtMs: null,
    messageCount: says.length,
    resumeCommand: null,
  }
}

const messagesOf = (says: readonly string[]): TranscriptMessage[] =>
  says.map((text) => ({ role: 'user', text, timestampMs: null }))

const document: DocumentFormat = {
  kind: 'document',
  read({ path }, beside, bytes) {
    const { id, says } = JSON.parse(bytes.toString()) as { id: string; says: string[] }
    const title = beside.text(path.replace('.json', '.title')) ?? 'untitled'
    return { kind: 'session', facts: factsOf(id, title, says), messages: messagesOf(says), unread }
  },
}

/** Reads `papers/*.json`: `{id, says}`; the title stands in `*.title` beside it. */
export const documentReader: TranscriptReader = {
  agent: 'papers',
  label: 'Papers',
  notes,
  roots: ({ homeDir }) => [{ path: join(homeDir, 'papers') }],
  formatOf: (relativePath) => (relativePath.endsWith('.json') ? document : null),
  companions: ({ path }) => [path.replace('.json', '.title')],
}

const database: DatabaseFormat = {
  kind: 'database',
  sessions: (db) =>
    db
      .rows(
        'SELECT id, at, (SELECT count(*) FROM message WHERE session = id) AS size FROM session ORDER BY id',
      )
      .map(({ id, at, size }) => ({ key: String(id), updatedAtMs: Number(at), size: Number(size) })),
  read({ sessionKey = '' }, _beside, db) {
    const says = db
      .rows('SELECT text FROM message WHERE session = ? ORDER BY id', sessionKey)
      .map(({ text }) => String(text))
    return {
      kind: 'session',
      facts: factsOf(sessionKey, sessionKey, says),
      messages: messagesOf(says),
      unread,
    }
  },
}

/** Reads `shelf/store.db`. */
export const databaseReader: TranscriptReader = {
  agent: 'shelf',
  label: 'Shelf',
  notes,
  roots: ({ homeDir }) => [{ path: join(homeDir, 'shelf') }],
  formatOf: (relativePath) => (relativePath === 'store.db' ? database : null),
}

export const shelfTables = `
CREATE TABLE session (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE message (id INTEGER PRIMARY KEY, session TEXT NOT NULL, text TEXT NOT NULL);
`

export function say(db: SqlDatabase, session: string, atMs: number, ...texts: readonly string[]): void {
  db.prepare('INSERT INTO session VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at').run(
    session,
    atMs,
  )
  for (const text of texts) db.prepare('INSERT INTO message (session, text) VALUES (?, ?)').run(session, text)
}
