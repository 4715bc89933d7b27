/** Counts what indexing does, and says it in the contract's words. No look at the disk happens here. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import type { FileCounts } from '../index/file-rows.ts'

export interface DegradedRoot {
  readonly root: string
  readonly reason: string
}

/** What a pass is about to do. */
export interface PassPlan {
  readonly files: number
  readonly bytes: number
}

/** The indexer's observations, from which the status is made. */
export class Progress {
  #life: 'idle' | 'open' | 'closed' = 'idle'
  #counts: FileCounts = { indexed: 0, failed: 0, unreadLines: 0 }
  #unreadable = 0
  #plan: PassPlan = { files: 0, bytes: 0 }
  #done = { files: 0, bytes: 0, added: 0 }
  #working = false
  #sources: readonly DegradedRoot[] = []
  #storage: DegradedRoot | null = null
  #generation = 0
  #lastReconcileAt: number | null = null
  #lastSweepCompletedAt: number | null = null
  readonly #changed: () => void

  /** @param changed is called after every change. */
  constructor(changed: () => void) {
    this.#changed = changed
  }

  opened(counts: FileCounts, generation: number): void {
    this.#life = 'open'
    this.#counts = counts
    this.#generation = generation
    this.#changed()
  }

  closed(): void {
    this.#life = 'closed'
    this.#changed()
  }

  /** Roots that could not be verified in the last look at them. */
  degraded(roots: readonly DegradedRoot[], unreadable: number): void {
    this.#sources = roots
    this.#unreadable = unreadable
    this.#changed()
  }

  /** The index itself cannot be written; null when it can again. */
  storage(problem: DegradedRoot | null): void {
    this.#life = this.#life === 'closed' ? 'closed' : 'open'
    this.#storage = problem
    this.#changed()
  }

  begin(plan: PassPlan): void {
    this.#plan = plan
    this.#done = { files: 0, bytes: 0, added: 0 }
    this.#working = plan.files > 0
    this.#changed()
  }

  /** @param added whether the index did not cover the file before. */
  fileDone(bytes: number, added: boolean): void {
    this.#done.files++
    this.#done.bytes += bytes
    if (added) this.#done.added++
  }

  committed(generation: number): void {
    this.#generation = generation
    this.#changed()
  }

  /** @param left files that the pass did not get to. */
  ended(counts: FileCounts, left: PassPlan, atMs: number, wasSweep: boolean): void {
    this.#counts = counts
    this.#plan = left
    this.#done = { files: 0, bytes: 0, added: 0 }
    this.#working = left.files > 0
    this.#lastReconcileAt = atMs
    if (wasSweep) this.#lastSweepCompletedAt = atMs
    this.#changed()
  }

  /** A bounded pass inside a sweep is through; the sweep's own figures go on. */
  reconciled(atMs: number): void {
    this.#lastReconcileAt = atMs
    this.#changed()
  }

  /** A pass was broken off by an error. */
  failed(): void {
    this.#working = false
    this.#changed()
  }

  status(): SearchStatus {
    const degradedRoots = this.#storage === null ? [...this.#sources] : [...this.#sources, this.#storage]
    return {
      enabled: true,
      phase: this.#phase(degradedRoots.length > 0),
      filesIndexed: this.#counts.indexed + this.#done.added,
      filesDue: Math.max(0, this.#plan.files - this.#done.files),
      filesFailed: this.#counts.failed + this.#unreadable,
      degradedRoots,
      lastReconcileAt: this.#lastReconcileAt,
      lastSweepCompletedAt: this.#lastSweepCompletedAt,
      generation: this.#generation,
      progress: {
        filesDone: this.#done.files,
        filesTotal: this.#plan.files,
        bytesDone: this.#done.bytes,
        bytesTotal: this.#plan.bytes,
      },
      unreadLines: this.#counts.unreadLines,
    }
  }

  #phase(isDegraded: boolean): SearchStatus['phase'] {
    if (this.#life !== 'open') return this.#life
    if (this.#working) return 'indexing'
    if (isDegraded) return 'degraded'
    // Opened, and nothing was compared with the disk yet.
    return this.#lastReconcileAt === null ? 'indexing' : 'current'
  }
}
