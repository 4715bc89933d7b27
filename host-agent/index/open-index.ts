/** Opens `index.sqlite`, or makes it. What cannot be trusted is rebuilt; what a newer version made is left alone. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SqlDatabase, SqlDriver } from './driver/driver.ts'
import { type SqlFailure, sqlFailure } from './driver/sql-failure.ts'
import { restoreTriggers } from './generation.ts'
import { createSchema, pragmas, readingPragmas, schemaVersion } from './schema.ts'

/**
 * Why an index cannot be used. `message` is for people and names the file, so it is no text for a relay client.
 * `newer`: made by a newer version. `absent`: nothing there yet to read. Others as SQLite names them.
 */
export class IndexError extends Error {
  override readonly name = 'IndexError'
  readonly reason: 'newer' | 'absent' | SqlFailure

  constructor(reason: IndexError['reason'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}

export interface OpenIndexOptions {
  readonly driver: SqlDriver
  readonly path: string
  /** A new random text at each call; names a new index. */
  readonly randomId: () => string
}

export interface OpenIndex {
  readonly db: SqlDatabase
  /** Why an index that stood there was given up and a new one begun; null where that did not happen. */
  readonly rebuilt: string | null
}

/**
 * Opens for writing. An older index is deleted and a damaged one moved aside to `<path>.damaged`, once; then a new one is made.
 * @throws IndexError `newer` (the file is not touched), `read-only`, `full`, `busy`, `cannot-open`, `input-output`.
 */
export function openIndex(options: OpenIndexOptions): OpenIndex {
  makeFolder(dirname(options.path))
  const condemned = `${options.path}${condemnedSuffix}`
  if (existsSync(condemned)) {
    if (existsSync(options.path)) giveUp(options.path, 'damaged')
    rmSync(condemned)
    const anew = attempt(options)
    if ('db' in anew) return { db: anew.db, rebuilt: 'found damaged while in use' }
  }
  const first = attempt(options)
  if ('db' in first) return { db: first.db, rebuilt: null }
  giveUp(options.path, first.state)
  const second = attempt(options)
  if ('db' in second) return { db: second.db, rebuilt: first.why }
  throw new IndexError('corrupt', `${options.path} could not be made anew: ${second.why}`)
}

function makeFolder(folder: string): void {
  try {
    // Transcripts hold what nobody else on the machine shall read.
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new IndexError('cannot-open', `${folder} cannot be made: ${why}`, error)
  }
}

const condemnedSuffix = '.rebuild'

/**
 * Has the next `openIndex` begin anew: damage deep inside a file shows when it is used and not when it is opened.
 * A folder that takes no mark is passed over; the damage will then be found again.
 */
export function condemnIndex(path: string): void {
  try {
    writeFileSync(`${path}${condemnedSuffix}`, '', { mode: 0o600 })
  } catch {
    // As the docstring says.
  }
}

/** Whether the next `openIndex` begins anew. */
export function isCondemned(path: string): boolean {
  return existsSync(`${path}${condemnedSuffix}`)
}

/**
 * Opens for searching only, beside a writer in another thread or process.
 * @throws IndexError `absent` before a writer has made the index; `newer`, `corrupt` and SQLite's own failures.
 */
export function openIndexForReading(options: Pick<OpenIndexOptions, 'driver' | 'path'>): SqlDatabase {
  if (!existsSync(options.path)) throw new IndexError('absent', `${options.path} is not there yet`)
  return reported(options.path, () => {
    const db = options.driver.open(options.path, { readOnly: true })
    try {
      const state = stateOf(db, options.path)
      if (state === 'current') {
        db.exec(readingPragmas)
        return db
      }
      throw new IndexError('absent', `${options.path} holds no index that this version can read yet`)
    } catch (error) {
      db.close()
      throw error
    }
  })
}

type IndexState = 'current' | 'empty' | 'older' | 'damaged'

function attempt({
  driver,
  path,
  randomId,
}: OpenIndexOptions): { db: SqlDatabase } | { state: 'older' | 'damaged'; why: string } {
  let db: SqlDatabase | undefined
  try {
    db = driver.open(path, { readOnly: false })
    const state = stateOf(db, path)
    if (state === 'older' || state === 'damaged') {
      db.close()
      return { state, why: state === 'older' ? 'made by an older version' : 'not an index of this program' }
    }
    db.exec(pragmas)
    if (state === 'empty') createSchema(db, randomId())
    // Proves now, not at the first message, that the file can be written.
    db.exec("UPDATE meta SET value = value WHERE key = 'schema_version'")
    restoreTriggers(db)
    return { db }
  } catch (error) {
    db?.close()
    const failure = sqlFailure(error)
    if (failure === 'corrupt' || failure === 'not-a-database')
      return { state: 'damaged', why: error instanceof Error ? error.message : failure }
    throw toIndexError(path, error)
  }
}

/** @throws IndexError `newer`; whatever SQLite throws. */
function stateOf(db: SqlDatabase, path: string): IndexState {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  if (tables.length === 0) return 'empty'
  if (!tables.some((row) => row.name === 'meta')) return 'damaged'
  let version: unknown
  try {
    version = db.prepare("SELECT value FROM meta WHERE key = 'schema_version'").get()?.value
  } catch (error) {
    // Another program's table of that name.
    if (sqlFailure(error) === null) return 'damaged'
    throw error
  }
  if (typeof version !== 'number') return 'damaged'
  if (version > schemaVersion)
    throw new IndexError(
      'newer',
      `${path} was made by a newer version (index ${version}, this one knows ${schemaVersion}): open a newer trawl, or remove ${path}`,
    )
  return version < schemaVersion ? 'older' : 'current'
}

function giveUp(path: string, state: 'older' | 'damaged'): void {
  // An older index is only a copy of the transcripts. A damaged file may be something else that was put there.
  if (state === 'damaged') renameSync(path, `${path}.damaged`)
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

function reported<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw toIndexError(path, error)
  }
}

/** Says for people what SQLite said for programmers; anything else is returned as it is. */
export function toIndexError(path: string, error: unknown): unknown {
  const failure = sqlFailure(error)
  if (failure === null) return error
  return new IndexError(failure, sentences[failure](path), error)
}

const sentences: Record<SqlFailure, (path: string) => string> = {
  corrupt: (path) => `${path} is damaged; remove it and it is built again`,
  'not-a-database': (path) => `${path} is not an index`,
  'read-only': (path) => `${path} may not be written; search goes on with what it holds`,
  full: (path) => `the disk that holds ${path} is full; search goes on with what it holds`,
  busy: (path) => `${path} is being written by another process`,
  'cannot-open': (path) =>
    `${path} cannot be opened; the file and its folder must be readable and writable by this user`,
  'input-output': (path) => `the disk that holds ${path} reports an error`,
}
