/** The index file: its tables, its version, and the triggers that keep the generation inside the writing transaction. */
import type { SqlDatabase } from './driver/driver.ts'

export const schemaVersion = 2

/** Tool text beyond this many UTF-16 units of a row is neither indexed nor found (contract, first bullet). */
export const maxToolTextUnits = 3072
/** Longer user and assistant messages are cut into rows of at most this many units, at white space where there is some. */
export const chunkUnits = 8000

/** `messages.role` as stored. */
export const roleCodes = { user: 0, assistant: 1, tool: 2 } as const

/**
 * A message's row id says whose it is: `session_row_id * rowsPerSession + n`, n counting from 0 in the session, all
 * its files together. Search maps 200,000 matching rows to their sessions by a shift instead of 200,000 look-ups, and
 * asks FTS5 for one session's rows by a range. A writer takes the greatest id of the session's range plus one, and
 * leaves off (honestly: as a failed file) past the last.
 */
export const sessionShift = 20
export const rowsPerSession = 2 ** sessionShift

/**
 * Set before the first table is made. Larger pages than SQLite's own 4 KiB halve what a cold index costs beside the full
 * text, and 32 KiB cost a twelfth less than 16 in all. Whoever writes needs no large cache: what is written goes to
 * the end of the tables and to the log. With better-sqlite3's own 16 MB of it the process took 90 MB more.
 */
export const pragmas = `
PRAGMA page_size = 32768;
PRAGMA cache_size = -2000;
PRAGMA busy_timeout = 5000;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA journal_size_limit = 67108864;
`

/** What a search needs is in the system's file cache anyway; a large cache of SQLite's own would hold it twice. */
export const readingPragmas = 'PRAGMA cache_size = -4000;'

/**
 * - `meta`: schema_version, index_id (random; tells an index rebuilt from nothing from the old one),
 *   generation (moves with every change of what a search can see), removals (moves only when something was
 *   taken away or rewritten: a keyset walk survives appends), sweep_digest (sweep-digest.ts), exclusion (excluded.ts).
 * - `sessions`: `file_path` is the transcript the session's facts come from; `cwd_key` is made by cwd-key.ts.
 * - `files`: one row a transcript file. `session_row_id` is null for a file that holds no session.
 *   `kind`: session | part | none. `state`: current | due (read in part) | failed (the last read failed; what was
 *   read before it still stands) | shadowed (another file is the source of the same session; no messages here) |
 *   purged (its session's last message, at `purged_ms`, is older than what is kept; no messages here).
 *   excluded (its session is not to be searched; nothing of it is here).
 *   `rewrites` counts how often the file's messages were thrown away and read anew.
 *   `device`, `inode` and times are REAL: they may pass what the drivers take for an integer.
 * - `purges`: sessions that were taken out and whose messages are still to be deleted (purge.ts).
 * - `agents`: who is at work on this index (fellow-agents.ts).
 * - `messages`: one row a message, tool rows cut, long ones in chunks; `id` is the row id in `messages_fts`
 *   and holds the session's (`rowsPerSession`).
 *   `position` counts the messages of one file from 0; chunks of one message share it.
 * - `sessions.lineage`: the same for sessions that begin with the same message at the same time, null where that is
 *   not known (lineage.ts). Copies of one conversation share it.
 * - `messages_fts`: contentless; each row fills the one column of its role, and `identifiers`.
 * - `titles_fts`: contentless; one row a session, under the session's row id.
 */
export const tables = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  agent TEXT NOT NULL,
  session_id TEXT NOT NULL,
  title TEXT NOT NULL,
  cwd TEXT,
  cwd_key TEXT,
  branch TEXT,
  created_at_ms INTEGER,
  updated_at_ms INTEGER,
  message_count INTEGER NOT NULL,
  resume_command TEXT,
  codex_home TEXT,
  file_path TEXT NOT NULL,
  lineage TEXT,
  UNIQUE (agent, session_id)
);
CREATE INDEX sessions_by_lineage ON sessions (lineage) WHERE lineage IS NOT NULL;
CREATE INDEX sessions_by_recency ON sessions (updated_at_ms DESC, session_id, agent);

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  root TEXT NOT NULL,
  session_row_id INTEGER REFERENCES sessions (id),
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  device REAL NOT NULL,
  inode REAL NOT NULL,
  size_bytes INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  beside TEXT NOT NULL,
  byte_offset INTEGER NOT NULL,
  tail_hash TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  rewrites INTEGER NOT NULL DEFAULT 0,
  fold TEXT,
  bad_lines INTEGER NOT NULL,
  unknown_records INTEGER NOT NULL,
  fail_count INTEGER NOT NULL,
  failure TEXT,
  purged_ms INTEGER
);
CREATE INDEX files_by_session ON files (session_row_id);
CREATE INDEX files_by_state ON files (state, bad_lines, unknown_records);

CREATE TABLE purges (session_row_id INTEGER PRIMARY KEY);

CREATE TABLE agents (id TEXT PRIMARY KEY, pid INTEGER NOT NULL, config TEXT NOT NULL, history_days INTEGER) WITHOUT ROWID;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL,
  session_row_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  role INTEGER NOT NULL,
  timestamp_ms INTEGER,
  text TEXT NOT NULL
);
CREATE INDEX messages_by_file ON messages (file_id, position);

CREATE VIRTUAL TABLE messages_fts USING fts5 (
  user_text, assistant_text, tool_text, identifiers,
  content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE messages_vocab USING fts5vocab (messages_fts, 'row');
CREATE VIRTUAL TABLE titles_fts USING fts5 (
  title, identifiers,
  content = '', contentless_delete = 1,
  tokenize = 'unicode61 remove_diacritics 2'
);
`

/**
 * The generation lives in the same transaction as what moves it, so that no reader can see one without the other.
 * A file row without a session is seen by no search, so neither its coming nor its going moves anything; nor does a
 * touched time stamp or a failed read.
 */
export const triggers = {
  files_inserted: `CREATE TRIGGER files_inserted AFTER INSERT ON files WHEN new.session_row_id IS NOT NULL BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'generation';
END`,
  files_updated: `CREATE TRIGGER files_updated AFTER UPDATE ON files
WHEN (new.session_row_id IS NOT NULL OR old.session_row_id IS NOT NULL) AND (
  new.byte_offset IS NOT old.byte_offset OR new.session_row_id IS NOT old.session_row_id
  OR new.state IS NOT old.state OR new.kind IS NOT old.kind OR new.rewrites IS NOT old.rewrites) BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'generation';
END`,
  files_rewritten: `CREATE TRIGGER files_rewritten AFTER UPDATE ON files
WHEN old.session_row_id IS NOT NULL AND (
  new.rewrites IS NOT old.rewrites OR new.session_row_id IS NOT old.session_row_id
  OR (new.state IS NOT old.state AND 'shadowed' IN (new.state, old.state))) BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'removals';
END`,
  sessions_renamed: `CREATE TRIGGER sessions_renamed AFTER UPDATE ON sessions
WHEN new.title IS NOT old.title OR new.cwd IS NOT old.cwd OR new.branch IS NOT old.branch BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'generation';
END`,
  titles_deleted: `CREATE TRIGGER titles_deleted AFTER DELETE ON sessions BEGIN
  DELETE FROM titles_fts WHERE rowid = old.id;
END`,
  files_deleted: `CREATE TRIGGER files_deleted AFTER DELETE ON files WHEN old.session_row_id IS NOT NULL BEGIN
  UPDATE meta SET value = value + 1 WHERE key IN ('generation', 'removals');
END`,
} as const

/**
 * How FTS5 writes. It collects terms in memory (`hashsize`) and writes a segment when that is full or the transaction ends
 * (batch-writer.ts): 8 MiB hold some four of text, and make 55 segments for transcripts of 957 MB, which are still
 * cheap to search. With 4 MiB it is 109, merging begins on the way, and the whole costs a fifth more; with 16 MiB
 * the terms no longer fit the processor's cache. Its own settings (1 MiB, merging from 4 segments on) take 1.6 times as
 * long. `crisismerge` lies above the 64 that `automerge` waits for, so that no single write merges everything.
 */
const fullTextSettings = { hashsize: 8 * 1024 * 1024, automerge: 64, crisismerge: 128 } as const

/** Makes everything in an empty database, in one transaction. `indexId` is random and told to nobody but cursors. */
export function createSchema(db: SqlDatabase, indexId: string): void {
  db.transaction(() => {
    // Another agent of this machine may have made it between our look and this lock.
    if (db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").get() !== undefined) return
    db.exec(tables)
    const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)')
    insert.run('schema_version', schemaVersion)
    insert.run('index_id', indexId)
    insert.run('generation', 0)
    insert.run('removals', 0)
    for (const trigger of Object.values(triggers)) db.exec(trigger)
    // Written out, not bound: a driver that binds numbers as floating point makes this an error.
    for (const [name, value] of Object.entries(fullTextSettings))
      db.exec(`INSERT INTO messages_fts (messages_fts, rank) VALUES ('${name}', ${value})`)
  })
}
