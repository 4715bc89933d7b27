/** Where a pass gets its batches from: a port, because reading may happen on another thread than writing. */
import type { FileBatch } from '../index/file-batch.ts'
import type { TranscriptReader } from '../transcripts/reader.ts'
import type { FileSystem } from './file-system.ts'
import { type ReadLimits, type ReadRequest, readTranscript } from './read-transcript.ts'

export interface ReadJob extends ReadRequest {
  /** The contract's agent name. */
  readonly agent: string
  /** As discovery found it; how far a source reads ahead is measured by it. */
  readonly sizeBytes: number
}

/** A job's batches come in order and one after the other; `last` says that the job is through. */
export type ReadItem<Job extends ReadJob> = ReadStep & {
  readonly job: Job
  /** The next item is not there yet: a good time to write. */
  readonly isWaiting: boolean
}

export interface TranscriptSource extends AsyncDisposable {
  /** Takes the next job only when it has room for it. Leaving the iteration early drops what was read ahead. */
  readAll<Job extends ReadJob>(jobs: Iterator<Job>): AsyncIterable<ReadItem<Job>>
}

/** Reads on the thread that asks. */
export function createInlineSource(
  fileSystem: FileSystem,
  readers: readonly TranscriptReader[],
  limits?: ReadLimits,
): TranscriptSource {
  return {
    async *readAll(jobs) {
      for (let next = jobs.next(); next.done !== true; next = jobs.next()) {
        const job = next.value
        for (const item of readJob(fileSystem, readers, job, limits)) yield { job, isWaiting: false, ...item }
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export type ReadStep =
  | { readonly batch: FileBatch; readonly last: boolean }
  | { readonly failure: string; readonly last: true }

/** Runs one job to its end. Never throws: what goes wrong with a file is that file's failure. */
export function* readJob(
  fileSystem: FileSystem,
  readers: readonly TranscriptReader[],
  job: ReadJob,
  limits?: ReadLimits,
): Generator<ReadStep, void, undefined> {
  try {
    const reader = readers.find(({ agent }) => agent === job.agent)
    if (reader === undefined) throw new Error(`no reader for ${job.agent}`)
    for (const batch of readTranscript(fileSystem, reader, job, limits)) yield { batch, last: batch.complete }
  } catch (error) {
    yield { failure: error instanceof Error ? error.message : String(error), last: true }
  }
}
