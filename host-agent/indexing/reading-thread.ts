/**
 * Reads on another thread than the one that writes: on a cold index parsing and full-text indexing take about as long,
 * and there are two cores. Both ends of the conversation are here.
 */
import type { ReadItem, ReadJob, ReadStep, TranscriptSource } from './transcript-source.ts'

/** The part of a `worker_threads` Worker or port that is needed here. */
export interface ThreadPort {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

export interface ReadingThread extends ThreadPort {
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'error', listener: (error: unknown) => void): unknown
  terminate(): Promise<unknown>
}

/** `job` begins one; `next` lets a job of several batches go on to the next, so that a huge file does not pile up. */
type ToThread = { readonly kind: 'job'; readonly job: ReadJob } | { readonly kind: 'next' }

/**
 * Jobs sent ahead: enough that the thread reads on through a long write, few enough that memory is bounded and little is
 * lost when the pass ends early.
 */
const bytesAhead = 32 * 1024 * 1024
const maxJobsAhead = 256
const minJobsAhead = 2

/** @param startThread starts a thread that runs `serveReading`. */
export function createThreadedSource(startThread: () => ReadingThread): TranscriptSource {
  let thread: ReadingThread | null = null

  async function stop(): Promise<void> {
    const ending = thread
    thread = null
    await ending?.terminate()
  }

  async function* readAll<Job extends ReadJob>(jobs: Iterator<Job>): AsyncGenerator<ReadItem<Job>> {
    const outstanding: Job[] = []
    const inbox = new Inbox()
    let hasMore = true
    const fill = (into: ReadingThread): void => {
      while (hasMore && hasRoom(outstanding)) {
        const next = jobs.next()
        if (next.done === true) {
          hasMore = false
          return
        }
        outstanding.push(next.value)
        send(into, { kind: 'job', job: plainJob(next.value) })
      }
    }
    try {
      thread = listen(startThread(), inbox)
      fill(thread)
      for (let job = outstanding[0]; job !== undefined; job = outstanding[0]) {
        const step = await inbox.next()
        const last = step === null || step.last
        if (last) outstanding.shift()
        if (step === null) {
          // The thread died of the file it was reading; the others were only waiting.
          yield { job, failure: 'reading it ended the reading thread', last: true, isWaiting: true }
          await stop()
          thread = listen(startThread(), inbox)
          for (const waiting of outstanding) send(thread, { kind: 'job', job: plainJob(waiting) })
        } else {
          if (!last) send(thread, { kind: 'next' })
          yield { job, isWaiting: inbox.isEmpty, ...step }
        }
        if (last) fill(thread)
      }
    } finally {
      await stop()
    }
  }

  return { readAll, [Symbol.asyncDispose]: stop }
}

/** Runs inside the thread. @param readJob as in transcript-source.ts, bound to the readers and the disk. */
export function serveReading(port: ThreadPort, readJob: (job: ReadJob) => Iterable<ReadStep>): void {
  const waiting: ReadJob[] = []
  let current: Iterator<ReadStep> | null = null

  /** Sends steps until a job wants its next one asked for. */
  function advance(): void {
    for (;;) {
      if (current === null) {
        const job = waiting.shift()
        if (job === undefined) return
        current = readJob(job)[Symbol.iterator]()
      }
      const step = current.next()
      if (step.done === true) {
        current = null
        continue
      }
      port.postMessage(step.value, buffersOf(step.value))
      if (!step.value.last) return
      // Lets go of what it holds: it stands behind its last step, with the file still open.
      current.return?.()
      current = null
    }
  }

  port.on('message', (message) => {
    const told = message as ToThread
    if (told.kind === 'job') {
      waiting.push(told.job)
      if (current === null) advance()
    } else advance()
  })
}

function hasRoom(outstanding: readonly ReadJob[]): boolean {
  if (outstanding.length < minJobsAhead) return true
  const bytes = outstanding.reduce((sum, { found }) => sum + found.sizeBytes, 0)
  return outstanding.length < maxJobsAhead && bytes < bytesAhead
}

/** A batch's rows change hands instead of being copied. */
function buffersOf(step: ReadStep): ArrayBuffer[] {
  if (!('batch' in step)) return []
  return [step.batch.rows.bytes.buffer, step.batch.rows.table.buffer].filter(
    (buffer) => buffer instanceof ArrayBuffer,
  )
}

/** What may cross to a thread: a job may carry more than this. */
function plainJob({ agent, file, found, expected, resume }: ReadJob): ReadJob {
  return { agent, file, found, expected, resume }
}

function send(thread: ThreadPort, message: ToThread): void {
  thread.postMessage(message)
}

function listen(thread: ReadingThread, inbox: Inbox): ReadingThread {
  thread.on('message', (message) => inbox.put(message as ReadStep))
  thread.on('error', () => inbox.put(null))
  return thread
}

/** What has come from the thread and was not taken yet; null stands for its death. */
class Inbox {
  readonly #items: (ReadStep | null)[] = []
  #wake: () => void = () => undefined

  put(item: ReadStep | null): void {
    this.#items.push(item)
    this.#wake()
  }

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  async next(): Promise<ReadStep | null> {
    for (;;) {
      const item = this.#items.shift()
      if (item !== undefined) return item
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}
