/** Counts what indexing does, and says it in the contract's words. No look at the disk happens here. */
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { type FileCounts, nothingCounted, type UnreadFile } from '../index/file-rows.ts'
import type { Watching } from './disk-watch.ts'
import { WorkRate } from './work-rate.ts'

/** Files named in the status, of all that were not read. */
export const maxUnreadFiles = 20

export interface DegradedRoot {
  readonly root: string
  readonly reason: string
}

/** What a look at one agent's root has found. */
export interface RootNote {
  readonly root: string
  readonly agent: string
  /** Why it could not be looked at in full; null where it could. */
  readonly reason: string | null
  /** Files that the agent's reader cannot read. */
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[]
}

/** What a pass is about to do. */
export interface PassPlan {
  readonly files: number
  readonly bytes: number
}

/** The indexer's observations, from which the status is made. */
export class Progress {
  #life: 'idle' | 'open' | 'closed' = 'idle'
  #counts: FileCounts = nothingCounted
  #plan: PassPlan = { files: 0, bytes: 0 }
  #done = { files: 0, bytes: 0, added: 0 }
  /** Bytes done of files that are not through. */
  #part = 0
  #working = false
  /** By agent and root. */
  readonly #notes = new Map<string, RootNote>()
  #unread: readonly UnreadFile[] = []
  #storage: DegradedRoot | null = null
  #generation = 0
  #lastReconcileAt: number | null = null
  #lastSweepCompletedAt: number | null = null
  #isWaiting = false
  #watching: Watching | null = null
  readonly #rate: WorkRate
  readonly #changed: () => void

  /**
   * @param monotonicMs a clock that only goes forward.
   * @param changed is called after every change.
   */
  constructor(monotonicMs: () => number, changed: () => void) {
    this.#rate = new WorkRate(monotonicMs)
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

  /** Another agent writes the index, and has come this far; this one waits for its turn. */
  waiting(counts: FileCounts, generation: number): void {
    this.#isWaiting = true
    this.opened(counts, generation)
  }

  /** It is this agent's turn. */
  writing(): void {
    if (!this.#isWaiting) return
    this.#isWaiting = false
    this.#changed()
  }

  watching(watching: Watching): void {
    if (this.#watching?.mode === watching.mode && this.#watching.reason === watching.reason) return
    this.#watching = watching
    this.#changed()
  }

  /** Whole roots were looked at. @param everything no other is there any more. */
  lookedAtAll(notes: readonly RootNote[], everything: boolean): void {
    if (everything) this.#notes.clear()
    for (const note of notes) this.#notes.set(keyOf(note), note)
    this.#changed()
  }

  /** Some paths in roots were looked at; what is wrong elsewhere in them stays. */
  lookedAtSome(notes: readonly RootNote[]): void {
    for (const note of notes) {
      const before = this.#notes.get(keyOf(note))
      const unreadable = new Map(
        [...(before?.unreadable ?? []), ...note.unreadable].map((each) => [each.path, each]),
      )
      this.#notes.set(keyOf(note), {
        ...note,
        reason: note.reason ?? before?.reason ?? null,
        unreadable: Array.from(unreadable.values()),
      })
    }
    if (notes.length > 0) this.#changed()
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
    this.#part = 0
    this.#working = plan.files > 0
    this.#rate.begin(plan.bytes)
    this.#changed()
  }

  /** @param added whether the index did not cover the file before. */
  fileDone(bytes: number, added: boolean): void {
    this.#done.files++
    this.#done.bytes += bytes
    if (added) this.#done.added++
    this.#rate.done(this.#done.bytes + this.#part)
  }

  /** Some of a large file is written. @param bytes of all that was done of unfinished files. */
  partDone(bytes: number): void {
    this.#part = bytes
    this.#rate.done(this.#done.bytes + bytes)
  }

  committed(generation: number): void {
    this.#generation = generation
    this.#changed()
  }

  /** @param left files that the pass did not get to. @param unread what was not read, of all files. */
  ended(
    counts: FileCounts,
    unread: readonly UnreadFile[],
    left: PassPlan,
    atMs: number,
    wasSweep: boolean,
  ): void {
    this.#counts = counts
    this.#unread = unread
    this.#plan = left
    this.#done = { files: 0, bytes: 0, added: 0 }
    this.#part = 0
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
    const notes = Array.from(this.#notes.values())
    const degradedRoots = degradedIn(notes)
    if (this.#storage !== null) degradedRoots.push(this.#storage)
    const unreadable = notes.flatMap(({ agent, unreadable: files }) =>
      files.map(({ path, reason }) => ({ path, agent, reason, lines: 0 })),
    )
    const unread = this.#unread.map(({ failure, ...file }) => ({
      ...file,
      ...(failure === null ? {} : { reason: failure }),
    }))
    const bytesDone = Math.min(this.#plan.bytes, this.#done.bytes + this.#part)
    return {
      enabled: true,
      phase: this.#phase(degradedRoots.length > 0),
      filesIndexed: this.#counts.indexed + this.#done.added,
      filesDue: Math.max(0, this.#plan.files - this.#done.files),
      filesFailed: this.#counts.failed + unreadable.length,
      degradedRoots,
      lastReconcileAt: this.#lastReconcileAt,
      lastSweepCompletedAt: this.#lastSweepCompletedAt,
      generation: this.#generation,
      sessions: this.#counts.sessions,
      messages: this.#counts.messages,
      progress: {
        filesDone: this.#done.files,
        filesTotal: this.#plan.files,
        bytesDone,
        bytesTotal: this.#plan.bytes,
        bytesPerSec: this.#working ? this.#rate.bytesPerSec() : null,
        msLeft: this.#working ? this.#rate.msFor(this.#plan.bytes - bytesDone) : null,
      },
      unreadLines: this.#counts.unreadLines,
      unreadFiles: [...unread, ...unreadable]
        .sort((a, b) => Number('reason' in b) - Number('reason' in a))
        .slice(0, maxUnreadFiles),
      writer: this.#isWaiting ? 'another-agent' : 'this-agent',
      ...(this.#watching === null ? {} : { watching: { ...this.#watching } }),
    }
  }

  #phase(isDegraded: boolean): SearchStatus['phase'] {
    if (this.#life !== 'open') return this.#life
    if (this.#working || this.#isWaiting) return 'indexing'
    if (isDegraded) return 'degraded'
    // Opened, and nothing was compared with the disk yet.
    return this.#lastReconcileAt === null ? 'indexing' : 'current'
  }
}

function keyOf({ root, agent }: RootNote): string {
  return `${agent} ${root}`
}

/** Two agents may look into one folder: what is wrong with it is said once. */
function degradedIn(notes: readonly RootNote[]): DegradedRoot[] {
  const reasons = new Map<string, string>()
  for (const { root, reason } of notes) if (reason !== null && !reasons.has(root)) reasons.set(root, reason)
  return Array.from(reasons, ([root, reason]) => ({ root, reason }))
}
