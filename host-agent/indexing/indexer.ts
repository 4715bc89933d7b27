/**
 * Keeps the index of one machine current: a sweep at the start and now and then, a bounded pass when a watcher has named
 * something, and every 20 s one over what no watcher tells of.
 */
import type { Clock } from '../../protocol/clock.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import type { SqlDatabase, SqlDriver } from '../index/driver/driver.ts'
import { putExclusion, readExclusion } from '../index/excluded.ts'
import { longestHistory } from '../index/fellow-agents.ts'
import { IndexError } from '../index/open-index.ts'
import type { AgentEnvironment, TranscriptReader, TranscriptRoot } from '../transcripts/reader.ts'
import { DatabaseCatalogue } from './database-catalogue.ts'
import type { Source } from './discovery.ts'
import { DiskWatch } from './disk-watch.ts'
import { createExclusion, type Exclusion, exclusionOf } from './exclusion.ts'
import type { FileSystem } from './file-system.ts'
import type { FileWatcher } from './file-watcher.ts'
import type { Backlog, Interlude, PassContext } from './pass.ts'
import { type BoundedPass, PassQueue } from './pass-queue.ts'
import { type ProcessTable, systemProcesses } from './process-table.ts'
import { Progress } from './progress.ts'
import { runPass } from './reconcile.ts'
import { keptSince } from './retention.ts'
import { sourceDatabases } from './source-database.ts'
import type { TranscriptSource } from './transcript-source.ts'
import { WriteAccess } from './write-access.ts'

export interface ReconcileOptions {
  /** True: a sweep of everything. False: a bounded pass, newest files first. */
  readonly full: boolean
}

/** What keeps an index current, wherever it runs. */
export interface Indexer extends AsyncDisposable {
  /** Opens the index and begins the first sweep. Resolves when the index can be read, or is known not to be writable. */
  start(): Promise<void>
  /**
   * Resolves when a pass that began after this call is through; callers share it. What stood on the disk at the call,
   * in folders that can be looked at, is then in the index – of a bounded pass, what there was time for, newest first.
   * What has been deleted is for a full pass to find. The bounded pass gets in between two files of a sweep, of this
   * agent or of another one at the same index.
   * @throws Error before `start` and after disposal; IndexError when the index cannot be written; AbortError on closing.
   */
  reconcile(options: ReconcileOptions): Promise<void>
  /** The indexer's observations; asks neither the disk nor the index. */
  status(): SearchStatus
  /** @returns how to stop listening. */
  onStatus(listener: (status: SearchStatus) => void): () => void
}

export interface IndexerOptions {
  readonly driver: SqlDriver
  readonly indexPath: string
  readonly randomId: () => string
  readonly readers: readonly TranscriptReader[]
  readonly environment: AgentEnvironment
  /** In place of the roots a reader knows, by agent; an empty list switches an agent off. */
  readonly sources?: Readonly<Record<string, readonly TranscriptRoot[]>>
  /** Sessions whose last message is older are not kept; null: all are. */
  readonly historyDays?: number | null
  /** Places whose sessions are not indexed, as `createExclusion` takes them. */
  readonly exclude?: readonly string[]
  readonly fileSystem: FileSystem
  /** Null: nothing tells of changes, they are looked for. */
  readonly watcher?: FileWatcher | null
  /** Folders watched at most; for tests. */
  readonly maxWatches?: number
  readonly openTranscripts: (bytes: number) => TranscriptSource
  readonly clock: Clock
  readonly processes?: ProcessTable
}

const passIntervalMs = 20_000
const passesPerSweep = 15
const boundedReadingMs = 5_000
/** Looking at very many files now and then may not take more than four thousandths of the time of a core. */
const restFactor = 250
/** What a watcher names is read this much later, together with what it names meanwhile. */
const namedDelayMs = 500
/** A writer that writes all the time costs no more than a twentieth of a core to follow. */
const namedRestFactor = 20

export function createIndexer(options: IndexerOptions): Indexer {
  return new IndexerLoop(options)
}

interface WantedPass extends BoundedPass {
  readonly full: boolean
  readonly interlude: Interlude
}

class IndexerLoop implements Indexer {
  readonly #options: IndexerOptions
  readonly #listeners = new Set<(status: SearchStatus) => void>()
  readonly #progress: Progress
  readonly #queue: PassQueue
  readonly #stopping = new AbortController()
  readonly #sources: readonly Source[]
  readonly #databases: DatabaseCatalogue
  readonly #access: WriteAccess
  readonly #watch: DiskWatch
  readonly #backlog: Backlog = { files: [], reading: null }
  #exclusion: Exclusion
  /** The index was told what this agent was told. */
  #hasPutExclusion = false
  #emptyRoots: ReadonlySet<string> = new Set()
  #cyclesSinceSweep = 0
  #isSweepDue = false
  #lookMs = 0
  /** What the last pass took over what was named. */
  #namedMs = 0
  #disarm: () => void = () => undefined
  #disarmNamed: (() => void) | null = null
  #isStarted = false

  constructor(options: IndexerOptions) {
    this.#options = options
    const { fileSystem, clock, historyDays = null, processes = systemProcesses } = options
    this.#progress = new Progress(
      () => clock.monotonicMs(),
      () => this.#tell(),
    )
    this.#sources = sourcesOf(options)
    this.#exclusion = createExclusion(options.exclude ?? [], options.environment.platform)
    this.#databases = new DatabaseCatalogue(
      fileSystem,
      sourceDatabases(() => options.driver),
    )
    const config = JSON.stringify(this.#sources.map(({ reader, root }) => [reader.agent, root.path]))
    this.#access = new WriteAccess({
      ...options,
      processes,
      progress: this.#progress,
      wishes: { config, historyDays },
    })
    this.#watch = new DiskWatch({
      fileSystem,
      sources: this.#sources,
      watcher: options.watcher ?? null,
      ...(options.maxWatches === undefined ? {} : { maxWatches: options.maxWatches }),
      onNamed: () => this.#namedSomething(),
    })
    this.#queue = new PassQueue({
      bounded: async (pass, interlude) => await this.#pass({ full: false, ...pass, interlude }),
      sweep: async (interlude) => await this.#pass({ full: true, asked: false, interlude }),
    })
  }

  async start(): Promise<void> {
    if (this.#isStarted) throw new Error('the indexer was started before')
    this.#isStarted = true
    try {
      this.#access.open()
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
    }
    // What goes wrong in the background stands in the status.
    void this.#queue.request(true, false).catch(() => undefined)
    this.#arm(passIntervalMs)
  }

  async reconcile({ full }: ReconcileOptions): Promise<void> {
    if (!this.#isStarted) throw new Error('the indexer was not started')
    this.#stopping.signal.throwIfAborted()
    await this.#queue.request(full, true)
  }

  status(): SearchStatus {
    return this.#progress.status()
  }

  onStatus(listener: (status: SearchStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disarm()
    this.#disarmNamed?.()
    this.#stopping.abort(new DOMException('the indexer is closed', 'AbortError'))
    this.#watch[Symbol.dispose]()
    await this.#queue.idle()
    this.#access[Symbol.dispose]()
    this.#progress.closed()
  }

  #tell(): void {
    const status = this.#progress.status()
    for (const listener of this.#listeners) listener(status)
  }

  #arm(ms: number): void {
    if (this.#stopping.signal.aborted) return
    this.#disarm = this.#options.clock.after(ms, () => void this.#cycle())
  }

  /** A sweep stays due until one is through. */
  async #cycle(): Promise<void> {
    const isSweepDue = this.#isSweepDue || this.#cyclesSinceSweep >= passesPerSweep
    this.#cyclesSinceSweep++
    await this.#queue.request(isSweepDue, false).catch(() => undefined)
    this.#arm(Math.max(passIntervalMs, this.#lookMs * restFactor))
  }

  #namedSomething(): void {
    if (this.#disarmNamed !== null || this.#stopping.signal.aborted) return
    const delayMs = Math.max(namedDelayMs, this.#namedMs * namedRestFactor)
    this.#disarmNamed = this.#options.clock.after(delayMs, () => {
      this.#disarmNamed = null
      void this.#readNamed()
    })
  }

  async #readNamed(): Promise<void> {
    const { clock } = this.#options
    const startedMs = clock.monotonicMs()
    await this.#queue.request(false, false).catch(() => undefined)
    this.#namedMs = clock.monotonicMs() - startedMs
  }

  /** Holds the index for as long as the pass takes, unless a pass that this one is an interlude of holds it. */
  async #pass(wanted: WantedPass): Promise<void> {
    if (this.#access.isHeld) return await this.#passHeld(wanted, true)
    const { signal } = this.#stopping
    const { asked, interlude } = wanted
    await this.#access.take(asked, signal, interlude)
    try {
      await this.#passHeld(wanted, false)
    } finally {
      this.#access.release()
    }
  }

  /** @param isInside another pass holds the index, and goes on with it. */
  async #passHeld(wanted: WantedPass, isInside: boolean): Promise<void> {
    const { full } = wanted
    try {
      const result = await runPass(this.#context(isInside), {
        ...wanted,
        nested: isInside,
        interlude: isInside
          ? wanted.interlude
          : this.#access.sharing(wanted.interlude, this.#stopping.signal),
        amid: wanted.interlude,
        readingMs: full ? null : boundedReadingMs,
        emptyRoots: this.#emptyRoots,
      })
      this.#emptyRoots = result.emptyRoots
      this.#lookMs = result.lookMs
      if (full && result.isComplete) {
        this.#cyclesSinceSweep = 0
        this.#isSweepDue = false
      }
      if (result.wantsSweep) this.#isSweepDue = true
      this.#progress.storage(null)
    } catch (error) {
      // What was named to this pass is not known to anybody else.
      this.#watch.suspect()
      this.#progress.failed()
      throw this.#stopping.signal.aborted ? error : this.#access.noted(error)
    }
  }

  #context(isInside: boolean): PassContext {
    const { fileSystem, environment, clock, openTranscripts, sources } = this.#options
    const { db, isAnother } = this.#access.current(isInside)
    if (isAnother) {
      this.#watch.suspect()
      this.#isSweepDue = true
    }
    const isNewExclusion = this.#followExclusion(db, isAnother)
    const { self, fellows } = this.#access.agents(db)
    // What this agent does not want may be wanted by another one.
    const isAgreed = fellows.every(({ config }) => config === self.config)
    return {
      db,
      fileSystem,
      clock,
      openTranscripts,
      databases: this.#databases,
      sources: this.#sources,
      watch: this.#watch,
      backlog: this.#backlog,
      config: isAgreed ? self.config : null,
      configuredAgents: new Set(isAgreed ? Object.keys(sources ?? {}) : []),
      platform: environment.platform,
      progress: this.#progress,
      keptSinceMs: keptSince(longestHistory([self, ...fellows]), clock.now()),
      exclusion: this.#exclusion,
      isNewExclusion,
      signal: this.#stopping.signal,
    }
  }

  /** At first by what this agent was told; after that by what the agent that came last was told. */
  #followExclusion(db: SqlDatabase, isAnother: boolean): boolean {
    const { text } = this.#exclusion
    if (!this.#hasPutExclusion || isAnother) {
      this.#hasPutExclusion = true
      return putExclusion(db, text)
    }
    const told = readExclusion(db)
    if (told === text) return false
    this.#exclusion = exclusionOf(told, this.#options.environment.platform)
    return true
  }
}

function sourcesOf({ readers, environment, sources }: IndexerOptions): Source[] {
  return readers.flatMap((reader) =>
    (sources?.[reader.agent] ?? reader.roots(environment)).map((root) => ({ reader, root })),
  )
}
