/** Keeps the index of one machine current: a sweep at the start, a bounded pass every 20 s, a sweep now and then. */
import type { Clock } from '../../protocol/clock.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import type { SqlDatabase, SqlDriver } from '../index/driver/driver.ts'
import { countFiles } from '../index/file-rows.ts'
import { condemnIndex, IndexError, isCondemned, openIndex, toIndexError } from '../index/open-index.ts'
import { readFence } from '../index/read.ts'
import type { AgentEnvironment, TranscriptReader, TranscriptRoot } from '../transcripts/reader.ts'
import { DatabaseCatalogue } from './database-catalogue.ts'
import type { Source } from './discover.ts'
import type { FileSystem } from './file-system.ts'
import type { Interlude, PassContext } from './pass.ts'
import { PassQueue } from './pass-queue.ts'
import { Progress } from './progress.ts'
import { runPass } from './reconcile.ts'
import { sourceDatabases } from './source-database.ts'
import type { TranscriptSource } from './transcript-source.ts'

export interface ReconcileOptions {
  /** True: a sweep of everything. False: a bounded pass, newest files first. */
  readonly full: boolean
}

/** What keeps an index current, wherever it runs. */
export interface Indexer extends AsyncDisposable {
  /** Opens the index and begins the first sweep. Resolves when the index can be read, or is known not to be writable. */
  start(): Promise<void>
  /**
   * Resolves when a pass that began after this call is through; callers share it. The bounded pass gets in between two
   * files of a sweep.
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
  readonly fileSystem: FileSystem
  readonly openTranscripts: (bytes: number) => TranscriptSource
  readonly clock: Clock
}

const passIntervalMs = 20_000
const passesPerSweep = 15
const boundedReadingMs = 5_000
/** A pass over very many files may not take more than a twentieth of the time. */
const restFactor = 20

export function createIndexer(options: IndexerOptions): Indexer {
  return new IndexerLoop(options)
}

class IndexerLoop implements Indexer {
  readonly #options: IndexerOptions
  readonly #listeners = new Set<(status: SearchStatus) => void>()
  readonly #progress = new Progress(() => this.#tell())
  readonly #queue: PassQueue
  readonly #stopping = new AbortController()
  readonly #sources: readonly Source[]
  readonly #databases: DatabaseCatalogue
  #db: SqlDatabase | null = null
  #emptyRoots: ReadonlySet<string> = new Set()
  #passesSinceSweep = 0
  #disarm: () => void = () => undefined
  #isStarted = false

  constructor(options: IndexerOptions) {
    this.#options = options
    this.#sources = sourcesOf(options)
    this.#databases = new DatabaseCatalogue(
      options.fileSystem,
      sourceDatabases(() => options.driver),
    )
    this.#queue = new PassQueue({
      bounded: async (nested) => await this.#pass(false, nested),
      sweep: async (interlude) => await this.#pass(true, false, interlude),
    })
  }

  async start(): Promise<void> {
    if (this.#isStarted) throw new Error('the indexer was started before')
    this.#isStarted = true
    try {
      this.#open()
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
    }
    this.#inBackground(true)
    this.#arm(passIntervalMs)
  }

  async reconcile({ full }: ReconcileOptions): Promise<void> {
    if (!this.#isStarted) throw new Error('the indexer was not started')
    this.#stopping.signal.throwIfAborted()
    await this.#queue.request(full)
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
    this.#stopping.abort(new DOMException('the indexer is closed', 'AbortError'))
    await this.#queue.idle()
    this.#db?.close()
    this.#db = null
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
    const startedMs = this.#options.clock.monotonicMs()
    const isSweepDue = this.#passesSinceSweep >= passesPerSweep
    await this.#queue.request(isSweepDue).catch(() => undefined)
    const tookMs = this.#options.clock.monotonicMs() - startedMs
    this.#arm(Math.max(passIntervalMs, tookMs * restFactor))
  }

  /** What goes wrong in the background stands in the status. */
  #inBackground(full: boolean): void {
    void this.#queue.request(full).catch(() => undefined)
  }

  async #pass(full: boolean, nested: boolean, interlude: Interlude = noInterlude): Promise<void> {
    this.#passesSinceSweep++
    try {
      const context = this.#context(this.#index(nested))
      const result = await runPass(context, {
        full,
        nested,
        interlude,
        readingMs: full ? null : boundedReadingMs,
        emptyRoots: this.#emptyRoots,
      })
      this.#emptyRoots = result.emptyRoots
      if (full && result.isComplete) this.#passesSinceSweep = 0
      this.#progress.storage(null)
    } catch (error) {
      throw this.#noted(error)
    }
  }

  /** An index that was found damaged, by a pass or by a search, is let go of between two passes and begun anew. */
  #index(nested: boolean): SqlDatabase {
    if (this.#db !== null && !nested && isCondemned(this.#options.indexPath)) {
      this.#db.close()
      this.#db = null
      this.#passesSinceSweep = passesPerSweep
    }
    return this.#db ?? this.#open()
  }

  #open(): SqlDatabase {
    try {
      const { db } = openIndex({ ...this.#options, path: this.#options.indexPath })
      this.#db = db
      this.#progress.opened(countFiles(db), readFence(db).generation)
      return db
    } catch (error) {
      throw this.#noted(error)
    }
  }

  /** Puts what is wrong with the index file into the status. @returns the error as callers shall see it. */
  #noted(thrown: unknown): unknown {
    const { indexPath } = this.#options
    const error = toIndexError(indexPath, thrown)
    this.#progress.failed()
    if (this.#stopping.signal.aborted) return error
    const reason = error instanceof Error ? error.message : String(error)
    this.#progress.storage({ root: indexPath, reason })
    if (!(error instanceof IndexError)) return error
    if (error.reason === 'corrupt' || error.reason === 'not-a-database') condemnIndex(indexPath)
    return error
  }

  #context(db: SqlDatabase): PassContext {
    const { fileSystem, environment, clock, openTranscripts, sources } = this.#options
    return {
      db,
      fileSystem,
      clock,
      openTranscripts,
      databases: this.#databases,
      sources: this.#sources,
      configuredAgents: new Set(Object.keys(sources ?? {})),
      platform: environment.platform,
      progress: this.#progress,
      signal: this.#stopping.signal,
    }
  }
}

const noInterlude: Interlude = { isWanted: () => false, run: async () => undefined }

function sourcesOf({ readers, environment, sources }: IndexerOptions): Source[] {
  return readers.flatMap((reader) =>
    (sources?.[reader.agent] ?? reader.roots(environment)).map((root) => ({ reader, root })),
  )
}
