/** Where a pass gets its batches from: a port, because reading may happen on another thread than writing. */
import type { FileBatch } from '../index/file-batch.ts'
import type { TranscriptReader } from '../transcripts/reader.ts'
import type { ReadLimits, ReadRequest } from './read-request.ts'
import { readTranscript } from './read-transcript.ts'
import type { TranscriptAccess } from './transcript-access.ts'

export interface ReadJob extends ReadRequest {
  /** The contract's agent name. */
  readonly agent: string
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
  access: TranscriptAccess,
  readers: readonly TranscriptReader[],
  limits?: ReadLimits,
): TranscriptSource {
  return {
    async *readAll(jobs) {
      for (let next = jobs.next(); next.done !== true; next = jobs.next()) {
        const job = next.value
        for (const item of readJob(access, readers, job, limits)) yield { job, isWaiting: false, ...item }
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
  access: TranscriptAccess,
  readers: readonly TranscriptReader[],
  job: ReadJob,
  limits?: ReadLimits,
): Generator<ReadStep, void, undefined> {
  try {
    const reader = readers.find(({ agent }) => agent === job.agent)
    if (reader === undefined) throw new Error(`no reader for ${job.agent}`)
    for (const batch of readTranscript(access, reader, job, limits)) yield { batch, last: batch.complete }
  } catch (error) {
    yield { failure: error instanceof Error ? error.message : String(error), last: true }
  }
}
