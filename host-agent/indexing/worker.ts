/**
 * The indexing thread: its own connection, its own indexer, orders in and news out. Entry of dist/indexing-worker.js.
 * While much is to be read it starts itself once more, to read and parse on another core than the one that writes.
 */
import { randomUUID } from 'node:crypto'
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { systemClock } from '../../protocol/clock.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { transcriptReaders } from '../transcripts/readers.ts'
import { nodeFileSystem } from './file-system.ts'
import { nodeFileWatcher } from './file-watcher.ts'
import { createIndexer } from './indexer.ts'
import {
  type IndexingJob,
  type IndexingNews,
  type IndexingOrder,
  readingRole,
  waitingRole,
} from './indexing-messages.ts'
import { createThreadedSource, serveReading } from './reading-thread.ts'
import { stepBack } from './step-back.ts'
import { createTranscriptAccess } from './transcript-access.ts'
import { createInlineSource, readJob } from './transcript-source.ts'

/** News of progress is sent no more often; the end of an order always brings the status of that moment. */
const statusIntervalMs = 50

/** Below this, starting a thread costs more than it saves. */
const readingThreadFromBytes = 16 * 1024 * 1024

/** Parsed lines are garbage at once: Node's own 48 MB take 35 MB more of memory and are no faster (measured). */
const readingYoungGenerationMb = 16

const readers = transcriptReaders()
const access = createTranscriptAccess(nodeFileSystem, loadSqlDriver)
if (parentPort === null) throw new Error('this file runs as a worker')
if (workerData === readingRole) serveReading(parentPort, (job) => readJob(access, readers, job))
else if (workerData === waitingRole) serveOnceTold(parentPort)
else serveIndexer(parentPort, workerData)

function serveOnceTold(port: MessagePort): void {
  port.once('message', (job: IndexingJob) => serveIndexer(port, job))
}

function startReadingThread(): Worker {
  return new Worker(new URL(import.meta.url), {
    workerData: readingRole,
    resourceLimits: { maxYoungGenerationSizeMb: readingYoungGenerationMb },
  })
}

function serveIndexer(
  port: MessagePort,
  { indexPath, sources, historyDays, exclude, ...environment }: IndexingJob,
): void {
  const indexer = createIndexer({
    driver: loadSqlDriver(),
    indexPath,
    randomId: randomUUID,
    readers,
    environment: { ...environment, textOf: access.beside.text },
    sources,
    historyDays,
    exclude,
    watcher: nodeFileWatcher(process.platform),
    fileSystem: nodeFileSystem,
    openTranscripts(bytes) {
      if (bytes < readingThreadFromBytes) return createInlineSource(access, readers)
      // Not before: there is no way back, and somebody may wait for the short looks at what has changed.
      stepBack(process.platform)
      return createThreadedSource(startReadingThread)
    },
    clock: systemClock,
  })

  const tell = (news: IndexingNews) => port.postMessage(news)
  const tellStatus = () => tell({ kind: 'status', status: indexer.status() })
  let isDue = false
  let saidPhase: string | null = null

  indexer.onStatus((status) => {
    if (status.phase !== saidPhase) {
      saidPhase = status.phase
      tellStatus()
    } else if (!isDue) {
      isDue = true
      systemClock.after(statusIntervalMs, () => {
        isDue = false
        tellStatus()
      })
    }
  })

  port.on('message', (order: IndexingOrder) => {
    obey(order).then(
      () => {
        tellStatus()
        tell({ kind: 'done', id: order.id })
        if (order.kind === 'close') port.close()
      },
      (error: unknown) => {
        tellStatus()
        const { name, message } = error instanceof Error ? error : new Error(String(error))
        tell({ kind: 'failed', id: order.id, name, message })
      },
    )
  })

  async function obey(order: IndexingOrder): Promise<void> {
    switch (order.kind) {
      case 'start':
        return await indexer.start()
      case 'reconcile':
        return await indexer.reconcile({ full: order.full })
      case 'close':
        return await indexer[Symbol.asyncDispose]()
    }
  }
}
