/** Reads the files that are due and writes what they hold. */
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { fileRowAt, savedFold } from '../index/file-rows.ts'
import { readFence } from '../index/read.ts'
import { noteFailure } from '../index/write.ts'
import { BatchWriter } from './batch-writer.ts'
import type { FoundFile } from './discover.ts'
import type { PassContext, PassOptions } from './pass.ts'
import { decideRead } from './read-decision.ts'
import type { ReadJob } from './transcript-source.ts'

export interface DueFile extends FoundFile {
  /** The index did not cover the file before. */
  readonly isNew: boolean
}

interface DueJob extends ReadJob {
  readonly due: DueFile
}

/**
 * @param due in the order they are to be read.
 * @param startedMs when the pass began, by the monotonic clock.
 * @returns those that there was no time for.
 */
export async function readDue(
  context: PassContext,
  options: PassOptions,
  due: readonly DueFile[],
  startedMs: number,
): Promise<readonly DueFile[]> {
  const { db, clock, progress, platform, signal } = context
  const byPath = new Map(due.map((file) => [file.file.path, file]))
  const readAgain: DueFile[] = []
  let begun = 0

  const through = (path: string, bytes: number): void => {
    if (!options.nested) progress.fileDone(bytes, byPath.get(path)?.isNew ?? false)
  }
  const writer = new BatchWriter({
    db,
    platform,
    clock,
    written: (batch, { outcome }) => {
      const file = byPath.get(batch.path)
      if (outcome === 'reread' && file !== undefined) readAgain.push(file)
      else if (batch.complete) through(batch.path, batch.stamp.sizeBytes)
    },
    refused: (batch, error) => {
      noteFailure(db, batch, error instanceof Error ? error.message : String(error))
      through(batch.path, 0)
    },
    committed: () => progress.committed(readFence(db).generation),
  })

  function* jobs(): Generator<DueJob, void, undefined> {
    for (const file of due) {
      const isOutOfTime = options.readingMs !== null && clock.monotonicMs() - startedMs >= options.readingMs
      if (begun > 0 && isOutOfTime) return
      begun++
      const job = jobFor(context, file, false)
      if (job === null) through(file.file.path, file.stamp.sizeBytes)
      else yield job
    }
  }

  async function readAll(bytes: number, work: Iterator<DueJob>): Promise<void> {
    const transcripts = context.openTranscripts(bytes)
    try {
      for await (const item of transcripts.readAll(work)) {
        signal.throwIfAborted()
        if ('failure' in item) {
          writer.flush()
          noteFailure(db, failedFile(item.job), item.failure)
          through(item.job.file.path, 0)
        } else if (!writer.add(item.batch) && item.last) through(item.job.file.path, 0)
        if (item.isWaiting) writer.flushIfWorthwhile()
        if (!item.last) continue
        writer.forget(item.job.file.path)
        if (options.interlude.isWanted()) {
          writer.flush()
          await options.interlude.run()
        }
        await eventLoopTurn()
      }
      writer.flush()
    } finally {
      await transcripts[Symbol.asyncDispose]()
    }
  }

  await readAll(bytesOf(due), jobs())
  const again = readAgain.splice(0)
  const fromStart = again.map((file) => jobFor(context, file, true)).filter((job) => job !== null)
  if (fromStart.length > 0) await readAll(bytesOf(again), fromStart.values())
  return due.slice(begun)
}

/** Decides once more, by the row as it stands now. @returns null where nothing is to be read any more. */
function jobFor({ db }: PassContext, due: DueFile, fromStart: boolean): DueJob | null {
  const row = fileRowAt(db, due.file.path)
  const decision = fromStart ? 'whole' : decideRead(row, due.stamp, due.format)
  if (decision === 'covered' || decision === 'held-out') return null
  const fold = decision === 'append' && row !== null ? savedFold(db, row.id) : null
  return {
    due,
    agent: due.source.reader.agent,
    file: due.file,
    found: due.stamp,
    expected: row === null ? null : { byteOffset: row.byteOffset, rewrites: row.rewrites },
    resume:
      row === null || fold === null
        ? null
        : { byteOffset: row.byteOffset, tailHash: row.tailHash, messageCount: row.messageCount, fold },
  }
}

function failedFile({ agent, file, due }: DueJob) {
  return { agent, root: file.root.path, path: file.path, stamp: due.stamp }
}

function bytesOf(files: readonly DueFile[]): number {
  return files.reduce((sum, { stamp }) => sum + stamp.sizeBytes, 0)
}
