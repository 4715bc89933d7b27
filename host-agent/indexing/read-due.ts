/** Reads the files that are due and writes what they hold. */
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { type FileBatch, leftOut } from '../index/file-batch.ts'
import { fileRowAt, savedFold } from '../index/file-rows.ts'
import { readFence } from '../index/read.ts'
import { noteFailure } from '../index/write.ts'
import { BatchWriter } from './batch-writer.ts'
import type { DueFile, PassContext, PassOptions } from './pass.ts'
import { decideRead } from './read-decision.ts'
import type { ReadJob } from './transcript-source.ts'

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

  /** Of large files that are not through: how far they are. */
  const parts = new Map<string, number>()

  const through = (path: string, bytes: number): void => {
    parts.delete(path)
    if (options.nested) return
    progress.partDone(sumOf(parts.values()))
    progress.fileDone(bytes, byPath.get(path)?.isNew ?? false)
  }
  const inPart = (path: string, bytes: number): void => {
    parts.set(path, bytes)
    if (!options.nested) progress.partDone(sumOf(parts.values()))
  }
  /** Files whose session turned out to be of an excluded place; read from the start again, all of it is left out. */
  const excluded = new Set<string>()
  const admitted = (batch: FileBatch): FileBatch => {
    if (context.exclusion.covers(batch.facts.cwd)) excluded.add(batch.path)
    return excluded.has(batch.path) ? leftOut(batch) : batch
  }
  const writer = new BatchWriter({
    db,
    platform,
    clock,
    written: (batch, { outcome }) => {
      const file = byPath.get(batch.path)
      if (outcome === 'reread' && file !== undefined) readAgain.push(file)
      else if (batch.complete) through(batch.path, batch.stamp.sizeBytes)
      else inPart(batch.path, Math.min(batch.byteOffset, batch.stamp.sizeBytes))
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
        } else if (!writer.add(admitted(item.batch)) && item.last) through(item.job.file.path, 0)
        if (item.isWaiting) writer.flushIfWorthwhile()
        if (!item.last) {
          if (options.amid.isWanted()) await amid(item.job.file.path)
          continue
        }
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

  async function amid(path: string): Promise<void> {
    const { backlog } = context
    const before = backlog.reading
    backlog.reading = path
    try {
      writer.flush()
      await options.amid.run()
    } finally {
      backlog.reading = before
    }
  }

  await readAll(bytesOf(due), jobs())
  const again = readAgain.splice(0)
  const fromStart = again.map((file) => jobFor(context, file, true)).filter((job) => job !== null)
  if (fromStart.length > 0) await readAll(bytesOf(again), fromStart.values())
  return due.slice(begun)
}

/** Decides once more, by the row as it stands now. @returns null where nothing is to be read any more. */
function jobFor(
  { db, keptSinceMs, exclusion }: PassContext,
  due: DueFile,
  fromStart: boolean,
): DueJob | null {
  if (exclusion.covers(due.file.path)) return null
  const row = fileRowAt(db, due.file.path)
  const decision = fromStart ? 'whole' : decideRead(row, due.stamp, due.format, keptSinceMs)
  if (decision !== 'append' && decision !== 'whole') return null
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
  return sumOf(files.map(({ stamp }) => stamp.sizeBytes))
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}
