/** Collects batches of many small files into one transaction: a commit for each would be most of the time of a cold index. */
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { sqlFailure } from '../index/driver/sql-failure.ts'
import type { FileBatch } from '../index/file-batch.ts'
import type { FilePosition } from '../index/file-rows.ts'
import { type BatchOutcome, writeBatches } from '../index/write.ts'

export interface BatchWriterOptions {
  readonly db: SqlDatabase
  readonly platform: NodeJS.Platform
  readonly clock: Clock
  /** Called for each batch once its transaction is through. */
  readonly written: (batch: FileBatch, outcome: BatchOutcome) => void
  /** Called for a batch that the index will not take, whatever else is written. */
  readonly refused: (batch: FileBatch, error: unknown) => void
  /** Called once after each transaction. */
  readonly committed: () => void
}

/**
 * Text held before it is written. About what fills FTS5's term buffer (schema.ts), so that a commit writes no smaller
 * segments than it would anyway, and little enough that reading on another thread never waits for a long write.
 */
const maxPendingBytes = 8 * 1024 * 1024
/** Less is not worth a transaction while nothing else is to be done. */
const worthwhileBytes = 1024 * 1024
/** What was read is to be found after this long at the latest. */
const maxPendingMs = 1500

export class BatchWriter {
  readonly #options: BatchWriterOptions
  #pending: FileBatch[] = []
  #bytes = 0
  #oldestMs = 0
  /** Of files that come in several batches: where the last one left the row, or null when the rest is to be dropped. */
  readonly #unfinished = new Map<string, FilePosition | null>()

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  /** @returns false where an earlier batch of the file was refused, so that this one is void. */
  add(batch: FileBatch): boolean {
    const continued = this.#unfinished.get(batch.path)
    if (continued === null) return false
    if (this.#pending.length === 0) this.#oldestMs = this.#options.clock.monotonicMs()
    this.#pending.push(continued === undefined ? batch : { ...batch, expected: continued })
    this.#bytes += batch.rows.bytes.length
    const isLate = this.#options.clock.monotonicMs() - this.#oldestMs >= maxPendingMs
    // The next batch of the same file is fenced by what this one leaves.
    if (!batch.complete || this.#bytes >= maxPendingBytes || isLate) this.flush()
    return true
  }

  /** To be called when a file is through or has failed. */
  forget(path: string): void {
    this.#unfinished.delete(path)
  }

  /** For moments in which there is nothing to do but wait. */
  flushIfWorthwhile(): void {
    if (this.#bytes >= worthwhileBytes) this.flush()
  }

  /** @throws whatever SQLite throws; nothing of what was pending is written then. */
  flush(): void {
    if (this.#pending.length === 0) return
    const batches = this.#pending
    this.#pending = []
    this.#bytes = 0
    this.#write(batches)
    this.#options.committed()
  }

  #write(batches: readonly FileBatch[]): void {
    const outcomes = this.#attempt(batches)
    for (const [index, batch] of batches.entries()) {
      const outcome = outcomes?.[index]
      if (outcome === undefined) continue
      if (!batch.complete)
        this.#unfinished.set(batch.path, outcome.outcome === 'written' ? outcome.position : null)
      this.#options.written(batch, outcome)
    }
  }

  /** One file that the index cannot hold must not keep the others out: they are then written one by one. */
  #attempt(batches: readonly FileBatch[]): BatchOutcome[] | null {
    const { db, platform, refused } = this.#options
    try {
      return writeBatches(db, batches, platform)
    } catch (error) {
      if (sqlFailure(error) !== null) throw error
      const [only] = batches
      if (batches.length > 1) for (const batch of batches) this.#write([batch])
      else if (only !== undefined) {
        this.#unfinished.set(only.path, null)
        refused(only, error)
      }
      return null
    }
  }
}
