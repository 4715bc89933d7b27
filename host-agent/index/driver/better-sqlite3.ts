/** `better-sqlite3`, an optional dependency: the driver where Node has no SQLite of its own. */
import { createRequire } from 'node:module'
import { createConnection } from './connection.ts'
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from './driver.ts'

interface NativeStatement {
  readonly reader: boolean
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number | bigint }
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
  iterate(...values: SqlValue[]): IterableIterator<unknown>
}
interface NativeDatabase {
  exec(sql: string): void
  prepare(sql: string): NativeStatement
  close(): void
}
type OpenDatabase = new (path: string, options: { readonly: boolean; timeout: number }) => NativeDatabase

/** Loads a package from where this one is installed; passed in so that a test can have it missing. */
export type RequirePackage = (name: string) => unknown

/**
 * Loads the package and its native part.
 * @throws whatever loading it throws: not installed, not built, built for another Node.
 */
export function betterSqlite3Driver(
  requirePackage: RequirePackage = createRequire(import.meta.url),
): SqlDriver {
  const Database = requirePackage('better-sqlite3') as OpenDatabase
  // The native part is only loaded by the first connection; a build that is missing shall show here.
  new Database(':memory:', { readonly: false, timeout: 0 }).close()
  return {
    name: 'better-sqlite3',
    open(path, { readOnly }) {
      const native = new Database(path, { readonly: readOnly, timeout: 5000 })
      return createConnection({
        exec: (sql) => native.exec(sql),
        prepare: (sql) => wrap(native.prepare(sql)),
        close: () => native.close(),
      })
    },
  }
}

function wrap(statement: NativeStatement): SqlStatement {
  return {
    run(...values) {
      if (statement.reader) {
        // A pragma that answers may not be `run` in this driver.
        statement.all(...values)
        return { changes: 0, lastInsertRowid: 0 }
      }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { changes, lastInsertRowid: Number(lastInsertRowid) }
    },
    get: (...values) => statement.get(...values) as SqlRow | undefined,
    all: (...values) => statement.all(...values) as SqlRow[],
    iterate: (...values) => statement.iterate(...values) as IterableIterator<SqlRow>,
  }
}
