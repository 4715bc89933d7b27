/** The index as the indexer writes it: opened, held while it is written, opened anew where it was put aside or replaced. */
import { statSync } from 'node:fs'
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDatabase, SqlDriver } from '../index/driver/driver.ts'
import { type IndexAgent, leaveFellows, meetFellows } from '../index/fellow-agents.ts'
import { countFiles } from '../index/file-rows.ts'
import { condemnIndex, IndexError, isCondemned, openIndex, toIndexError } from '../index/open-index.ts'
import { readFence } from '../index/read.ts'
import type { Interlude } from './pass.ts'
import type { ProcessTable } from './process-table.ts'
import type { Progress } from './progress.ts'
import { WriterLease } from './writer-lease.ts'

export interface WriteAccessOptions {
  readonly driver: SqlDriver
  readonly indexPath: string
  readonly randomId: () => string
  readonly clock: Clock
  readonly progress: Progress
  readonly processes: ProcessTable
  /** What this agent reads and keeps. */
  readonly wishes: Pick<IndexAgent, 'config' | 'historyDays'>
}

/** How often an agent that waits for another looks how far that one is. */
const lookIntervalMs = 1_000
/** Two agents that heard of the same change wait for each other for a moment; that is not worth telling. */
const shortWaitMs = 250

export class WriteAccess implements Disposable {
  readonly #options: WriteAccessOptions
  readonly #lease: WriterLease
  readonly #self: IndexAgent
  #db: SqlDatabase | null = null
  #file: string | null = null
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(options: WriteAccessOptions) {
    this.#options = options
    const { driver, indexPath, clock, randomId, processes, wishes } = options
    this.#lease = new WriterLease(driver, indexPath, clock)
    this.#self = { id: randomId(), pid: processes.pid, ...wishes }
  }

  /** Whether this agent's pass is on. */
  get isHeld(): boolean {
    return this.#lease.isHeld
  }

  /** @throws IndexError, which is in the status too. */
  open(): SqlDatabase {
    const { indexPath, progress } = this.#options
    try {
      const { db } = openIndex({ ...this.#options, path: indexPath })
      this.#db = db
      this.#file = fileIdentity(indexPath)
      progress.opened(countFiles(db), readFence(db).generation)
      return db
    } catch (error) {
      throw this.noted(error)
    }
  }

  /**
   * Waits until no other agent writes. @param urgent somebody waits for the pass. @param interlude what is more urgent
   * than this wait. @throws the signal's reason.
   */
  async take(urgent: boolean, signal: AbortSignal, interlude: Interlude): Promise<void> {
    const startedMs = this.#options.clock.monotonicMs()
    await this.#lease.take(urgent, signal, {
      refused: async () => {
        this.#lookAtOther(startedMs)
        if (interlude.isWanted()) await interlude.run()
      },
    })
    this.#options.progress.writing()
  }

  release(): void {
    this.#lease.release()
  }

  /** Between two files of a pass: other agents' urgent passes first, then what else there is. */
  sharing(interlude: Interlude, signal: AbortSignal): Interlude {
    const lease = this.#lease
    let isWanted = false
    return {
      isWanted() {
        isWanted = lease.isWanted()
        return isWanted || interlude.isWanted()
      },
      async run() {
        if (isWanted) await lease.letIn(signal)
        if (interlude.isWanted()) await interlude.run()
      },
    }
  }

  /**
   * The index to write to; only while it is held. @returns whether it is another one than before.
   * An index that was found damaged, by a pass or by a search, is let go of and begun anew, but not inside a pass.
   */
  current(isInside: boolean): { db: SqlDatabase; isAnother: boolean } {
    const { indexPath } = this.#options
    const isStale = !isInside && (isCondemned(indexPath) || this.#file !== fileIdentity(indexPath))
    if (this.#db !== null && !isStale) return { db: this.#db, isAnother: false }
    const isAnother = this.#db !== null
    this.#db?.close()
    this.#db = null
    return { db: this.open(), isAnother }
  }

  /** Other agents at this index, and this one. */
  agents(db: SqlDatabase): { self: IndexAgent; fellows: readonly IndexAgent[] } {
    const self = this.#self
    return { self, fellows: meetFellows(db, self, (pid) => this.#options.processes.isAlive(pid)) }
  }

  /** Puts what is wrong with the index file into the status. @returns the error as callers shall see it. */
  noted(thrown: unknown): unknown {
    const { indexPath, progress } = this.#options
    const error = toIndexError(indexPath, thrown)
    const reason = error instanceof Error ? error.message : String(error)
    progress.storage({ root: indexPath, reason })
    if (!(error instanceof IndexError)) return error
    if (error.reason === 'corrupt' || error.reason === 'not-a-database') condemnIndex(indexPath)
    return error
  }

  [Symbol.dispose](): void {
    if (this.#db !== null) {
      try {
        leaveFellows(this.#db, this.#self.id)
      } catch {
        // An index that cannot be written: the others will find that this process has ended.
      }
      this.#db.close()
      this.#db = null
    }
    this.#lease[Symbol.dispose]()
  }

  #lookAtOther(startedMs: number): void {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - startedMs < shortWaitMs) return
    if (this.#db === null || nowMs - this.#lookedMs < lookIntervalMs) return
    this.#lookedMs = nowMs
    try {
      this.#options.progress.waiting(countFiles(this.#db), readFence(this.#db).generation)
    } catch {
      // The other one may be putting it aside; the pass will find out.
    }
  }
}

/** Tells a file from another one that was put in its place. */
function fileIdentity(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}/${stats.ino}`
}
