/**
 * The SQLite port: the least that the index asks of a driver. Adapters beside it wrap `node:sqlite` and `better-sqlite3`.
 * Texts hold no U+0000 (message-rows.ts): Node 22's driver ends them there when it reads them.
 * All calls are synchronous; whoever must not block runs them in a worker.
 */

export type SqlValue = string | number | bigint | null | Uint8Array
export type SqlRow = Record<string, SqlValue>

export interface SqlStatement {
  run(...values: SqlValue[]): { changes: number; lastInsertRowid: number }
  get(...values: SqlValue[]): SqlRow | undefined
  all(...values: SqlValue[]): SqlRow[]
  iterate(...values: SqlValue[]): IterableIterator<SqlRow>
}

export interface SqlDatabase extends Disposable {
  exec(sql: string): void
  /** Statements are cached by their text for the life of the connection. */
  prepare(sql: string): SqlStatement
  /** Runs `work` inside `BEGIN IMMEDIATE` … `COMMIT`; rolls back and rethrows when it throws. */
  transaction<T>(work: () => T): T
  /** Runs `work` inside a read transaction: every query in it sees one state of the database. */
  snapshot<T>(work: () => T): T
  close(): void
}

export interface SqlDriver {
  readonly name: 'node:sqlite' | 'better-sqlite3'
  open(path: string, options: { readonly readOnly: boolean }): SqlDatabase
}
