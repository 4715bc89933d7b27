/**
 * Which agent of this machine writes the index: one at a time, for one pass at a time. The lease is a lock on an empty
 * SQLite file beside the index, so that the system itself gives it back when its holder is killed.
 */
import type { Clock } from '../../protocol/clock.ts'
import type { SqlDriver } from '../index/driver/driver.ts'
import { FileLock } from './file-lock.ts'

/** A pass that somebody waits for asks again this soon, one in the background less often. */
const urgentPollMs = 5
const patientPollMs = 25
/** How often a holder looks whether another agent waits. */
const lookIntervalMs = 20
/** A holder that has let others in does not wait longer than this for them to begin. */
const maxLetInMs = 2_000

export interface Waiting {
  /** Called at each attempt that failed. */
  readonly refused: () => Promise<void> | void
}

export class WriterLease implements Disposable {
  readonly #clock: Clock
  readonly #lease: FileLock
  /** Held by an agent whose pass is urgent while it waits for the lease. */
  readonly #queue: FileLock
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(driver: SqlDriver, indexPath: string, clock: Clock) {
    this.#clock = clock
    this.#lease = new FileLock(driver, `${indexPath}.writer`)
    this.#queue = new FileLock(driver, `${indexPath}.waiting`)
  }

  get isHeld(): boolean {
    return this.#lease.isHeld
  }

  /** @param urgent has the holder let this agent in between two files. @throws the signal's reason. */
  async take(urgent: boolean, signal: AbortSignal, waiting: Waiting): Promise<void> {
    try {
      while (!this.#lease.take()) {
        await waiting.refused()
        if (this.#lease.take()) return
        if (urgent) this.#queue.take()
        await this.#pause(urgent ? urgentPollMs : patientPollMs)
        signal.throwIfAborted()
      }
    } finally {
      this.#queue.release()
    }
  }

  release(): void {
    this.#lease.release()
  }

  /** Whether another agent waits for this one's lease. */
  isWanted(): boolean {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#lookedMs < lookIntervalMs) return false
    this.#lookedMs = nowMs
    return this.#isQueued()
  }

  /** Lets waiting agents have their passes, and takes the lease again. @throws the signal's reason. */
  async letIn(signal: AbortSignal): Promise<void> {
    this.#lease.release()
    const startedMs = this.#clock.monotonicMs()
    while (this.#isQueued() && this.#clock.monotonicMs() - startedMs < maxLetInMs)
      await this.#pause(urgentPollMs)
    await this.take(false, signal, { refused: () => undefined })
  }

  [Symbol.dispose](): void {
    this.#lease[Symbol.dispose]()
    this.#queue[Symbol.dispose]()
  }

  #isQueued(): boolean {
    if (!this.#queue.take()) return true
    this.#queue.release()
    return false
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve))
  }
}
