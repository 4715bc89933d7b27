/** An indexer in a thread of its own, so that indexing never holds up an answer. Same port, orders instead of calls. */
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../protocol/clock.ts'
import { absentServiceStatus, type SearchStatus } from '../../protocol/session-search/status.ts'
import type { Indexer, ReconcileOptions } from './indexer.ts'
import type { IndexingJob, IndexingNews, IndexingOrder } from './indexing-messages.ts'

/** A thread that dies is started anew so often, and then stays down with its reason in the status. */
const maxRestarts = 1

/** A thread that was told to close gets this long for the transaction it is in; a disk that hangs must not hold up more. */
const closingMs = 5_000

export interface IndexerClientOptions {
  /** The bundled worker. */
  readonly workerUrl: URL
  readonly job: IndexingJob
  /** Gives a thread that was started before and waits for its job, once; null where there is none. */
  readonly takeEarly?: () => Worker | null
  readonly clock: Clock
}

export function createIndexerClient(options: IndexerClientOptions): Indexer {
  return new IndexerClient(options)
}

interface Waiting {
  resolve(): void
  reject(error: Error): void
}

class IndexerClient implements Indexer {
  readonly #options: IndexerClientOptions
  readonly #waiting = new Map<number, Waiting>()
  readonly #listeners = new Set<(status: SearchStatus) => void>()
  #worker: Worker | null = null
  #status: SearchStatus = { ...absentServiceStatus, enabled: true, degradedRoots: [] }
  #nextId = 1
  #restarts = 0
  #isClosing = false

  constructor(options: IndexerClientOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    if (this.#worker !== null) throw new Error('the indexer was started before')
    this.#launch()
    await this.#order({ kind: 'start', id: this.#nextId++ })
  }

  async reconcile({ full }: ReconcileOptions): Promise<void> {
    await this.#order({ kind: 'reconcile', id: this.#nextId++, full })
  }

  status(): SearchStatus {
    return this.#status
  }

  onStatus(listener: (status: SearchStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    const worker = this.#worker
    if (worker === null) {
      this.#say({ ...this.#status, phase: 'closed' })
      return
    }
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    const callOff = this.#options.clock.after(closingMs, () => void worker.terminate())
    await this.#order({ kind: 'close', id: this.#nextId++ }).catch(() => {})
    await exited
    callOff()
  }

  #launch(): void {
    const { workerUrl, job, takeEarly } = this.#options
    const early = takeEarly?.() ?? null
    const worker = early ?? new Worker(workerUrl, { workerData: job })
    early?.ref()
    early?.postMessage(job)
    let failure: Error | null = null
    worker.on('message', (news: IndexingNews) => this.#hear(news))
    worker.on('error', (error) => {
      failure = error
    })
    worker.on('exit', (code) =>
      this.#exited(failure ?? new Error(`the indexing thread ended with code ${code}`)),
    )
    this.#worker = worker
  }

  #order(order: IndexingOrder): Promise<void> {
    const worker = this.#worker
    if (worker === null) return Promise.reject(new Error('the indexer is not running'))
    return new Promise((resolve, reject) => {
      this.#waiting.set(order.id, { resolve, reject })
      worker.postMessage(order)
    })
  }

  #hear(news: IndexingNews): void {
    if (news.kind === 'status') {
      this.#say(news.status)
      return
    }
    const waiting = this.#waiting.get(news.id)
    this.#waiting.delete(news.id)
    if (news.kind === 'done') waiting?.resolve()
    else waiting?.reject(Object.assign(new Error(news.message), { name: news.name }))
  }

  #exited(cause: Error): void {
    this.#worker = null
    for (const waiting of this.#waiting.values()) waiting.reject(cause)
    this.#waiting.clear()
    if (this.#isClosing) {
      this.#say({ ...this.#status, phase: 'closed' })
      return
    }
    const degraded = { root: this.#options.job.indexPath, reason: `Indexing stopped: ${cause.message}` }
    this.#say({
      ...this.#status,
      phase: 'degraded',
      degradedRoots: [...this.#status.degradedRoots, degraded],
    })
    if (this.#restarts++ >= maxRestarts) return
    this.#launch()
    this.#order({ kind: 'start', id: this.#nextId++ }).catch(() => {})
  }

  #say(status: SearchStatus): void {
    this.#status = status
    for (const listener of this.#listeners) listener(status)
  }
}
