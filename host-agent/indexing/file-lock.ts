/** A lock on an empty SQLite file, so that the system itself gives it back when its holder is killed. */
import type { SqlDatabase, SqlDriver } from '../index/driver/driver.ts'
import { sqlFailure } from '../index/driver/sql-failure.ts'

/**
 * A disk that knows no locks, or a folder that takes no file, gives no lease: then everybody writes, and the fences of
 * each write (write.ts) keep the index whole.
 */
export class FileLock implements Disposable {
  readonly #driver: SqlDriver
  readonly #path: string
  #db: SqlDatabase | null = null
  #isHeld = false

  constructor(driver: SqlDriver, path: string) {
    this.#driver = driver
    this.#path = path
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  take(): boolean {
    if (this.#isHeld) return true
    try {
      this.#db ??= this.#open()
      this.#db.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      if (sqlFailure(error) === 'busy') return false
      this.#close()
    }
    this.#isHeld = true
    return true
  }

  release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    try {
      this.#db?.exec('ROLLBACK')
    } catch {
      this.#close()
    }
  }

  [Symbol.dispose](): void {
    this.#isHeld = false
    this.#close()
  }

  #open(): SqlDatabase {
    const db = this.#driver.open(this.#path, { readOnly: false })
    db.exec('PRAGMA busy_timeout = 0')
    return db
  }

  /** Closing gives a lock back as well. */
  #close(): void {
    this.#db?.close()
    this.#db = null
  }
}
