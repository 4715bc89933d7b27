/** `node:sqlite`, built into Node from 22.13 on: nothing to install, nothing to compile. */
import { createConnection } from './connection.ts'
import type { SqlDriver, SqlRow, SqlStatement, SqlValue } from './driver.ts'

// The types of the oldest supported Node know no `node:sqlite`; this is the part of it that is used here.
interface NativeStatement {
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: SqlValue[]): SqlRow | undefined
  all(...values: SqlValue[]): SqlRow[]
  iterate(...values: SqlValue[]): IterableIterator<SqlRow>
}
interface NativeDatabase {
  exec(sql: string): void
  prepare(sql: string): NativeStatement
  close(): void
}
interface NodeSqlite {
  DatabaseSync: new (path: string, options: { readOnly: boolean; timeout: number }) => NativeDatabase
}

/** The process as far as it matters here; passed in so that a test can be an older Node. */
export interface BuiltinModules {
  getBuiltinModule?: (id: string) => unknown
  emitWarning: typeof process.emitWarning
}

/** @returns null where this Node has no `node:sqlite`. */
export function nodeSqliteDriver(host: BuiltinModules): SqlDriver | null {
  const sqlite = withoutItsWarning(host, () => host.getBuiltinModule?.('node:sqlite'))
  if (!isNodeSqlite(sqlite)) return null
  return {
    name: 'node:sqlite',
    open(path, { readOnly }) {
      const native = new sqlite.DatabaseSync(path, { readOnly, timeout: 5000 })
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
      const { changes, lastInsertRowid } = statement.run(...values)
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
    },
    get: (...values) => statement.get(...values),
    all: (...values) => statement.all(...values),
    iterate: (...values) => statement.iterate(...values),
  }
}

function isNodeSqlite(module: unknown): module is NodeSqlite {
  return typeof module === 'object' && module !== null && 'DatabaseSync' in module
}

/** Loading the module prints one ExperimentalWarning on Node 22; every other warning stays. */
function withoutItsWarning<T>(host: BuiltinModules, load: () => T): T {
  const emitWarning = host.emitWarning
  const filtered = (warning: string | Error, ...rest: unknown[]): void => {
    const text = typeof warning === 'string' ? warning : warning.message
    if (text.includes('SQLite is an experimental feature')) return
    Reflect.apply(emitWarning, host, [warning, ...rest])
  }
  host.emitWarning = filtered
  try {
    return load()
  } finally {
    host.emitWarning = emitWarning
  }
}
