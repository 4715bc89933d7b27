/** What both drivers have in common: statements cached by their text, transactions, and closing once. */
import type { SqlDatabase, SqlStatement } from './driver.ts'

/** The part of a native connection that differs between drivers. */
export interface NativeConnection {
  exec(sql: string): void
  prepare(sql: string): SqlStatement
  close(): void
}

export function createConnection(native: NativeConnection): SqlDatabase {
  const statements = new Map<string, SqlStatement>()
  let open = true

  function prepare(sql: string): SqlStatement {
    const cached = statements.get(sql)
    if (cached !== undefined) return cached
    const statement = native.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function inside<T>(begin: string, work: () => T): T {
    prepare(begin).run()
    try {
      const result = work()
      prepare('COMMIT').run()
      return result
    } catch (error) {
      rollBack()
      throw error
    }
  }

  function rollBack(): void {
    try {
      native.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself (a full disk does that); the first error is the one that counts.
    }
  }

  function close(): void {
    if (!open) return
    open = false
    statements.clear()
    native.close()
  }

  return {
    exec: (sql) => native.exec(sql),
    prepare,
    transaction: (work) => inside('BEGIN IMMEDIATE', work),
    snapshot: (work) => inside('BEGIN', work),
    close,
    [Symbol.dispose]: close,
  }
}
