/** Other programs' SQLite files: read-only, one short read at a time, so that nobody who writes there ever waits for us. */
import type { SqlDriver } from '../index/driver/driver.ts'
import { type SqlFailure, sqlFailure } from '../index/driver/sql-failure.ts'
import type { JsonRecord } from '../transcripts/json-record.ts'
import type { SourceDatabase } from '../transcripts/reader.ts'
import { reasonOf } from './file-system.ts'

export interface OpenSourceDatabase extends SourceDatabase, Disposable {}

export type OpenSource = (path: string) => OpenSourceDatabase

/** A writer that holds the file for longer is asked again at the next pass. */
const busyTimeoutMs = 250

/**
 * Each read is its own transaction and ends before its rows are handed out: an open one would keep the owner's
 * write-ahead log from being folded back, or its writes from happening at all.
 * @throws what SQLite says of a file that cannot be opened.
 */
export function sourceDatabases(driver: () => SqlDriver): OpenSource {
  return (path) => {
    const db = driver().open(path, { readOnly: true })
    try {
      db.exec(`PRAGMA query_only = 1; PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA mmap_size = 0;`)
    } catch (error) {
      db.close()
      throw error
    }
    const columns = new Map<string, ReadonlySet<string>>()
    return {
      rows: (sql, ...values) => db.prepare(sql).all(...values) as readonly JsonRecord[],
      columns(table) {
        const known = columns.get(table)
        if (known !== undefined) return known
        const found = new Set(
          db
            .prepare('SELECT name FROM pragma_table_info(?)')
            .all(table)
            .map(({ name }) => String(name)),
        )
        columns.set(table, found)
        return found
      },
      [Symbol.dispose]: () => db.close(),
    }
  }
}

/** What to tell people about an agent's database that could not be looked into. */
export function databaseProblem(error: unknown): string {
  const failure = sqlFailure(error)
  return failure === null ? reasonOf(error) : sentences[failure]
}

const sentences: Readonly<Record<SqlFailure, string>> = {
  corrupt: 'is damaged',
  'not-a-database': 'is not a database',
  'read-only': 'may not be read',
  full: 'could not be read: the disk is full',
  busy: 'is in use; it is looked at again at the next pass',
  'cannot-open': 'could not be opened',
  'input-output': 'could not be read: the disk reports an error',
}
