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
import { createIndexer } from './indexer.ts'
import { type IndexingJob, type IndexingNews, type IndexingOrder, readingRole } from './indexing-messages.ts'
import { createThreadedSource, serveReading } from './reading-thread.ts'
import { createTranscriptAccess } from './transcript-access.ts'
import { createInlineSource, readJob } from './transcript-source.ts'

/** News of progress is sent no more often; the end of an order always brings the status of that moment. */
const statusIntervalMs = 50

/** Below this, starting a thread costs more than it saves. */
const readingThreadFromBytes = 16 * 1024 * 1024

const readers = transcriptReaders()
const access = createTranscriptAccess(nodeFileSystem, loadSqlDriver)
if (parentPort === null) throw new Error('this file runs as a worker')
if (workerData === readingRole) serveReading(parentPort, (job) => readJob(access, readers, job))
else serveIndexer(parentPort, workerData)

function serveIndexer(port: MessagePort, { indexPath, sources, ...environment }: IndexingJob): void {
  const indexer = createIndexer({
    driver: loadSqlDriver(),
    indexPath,
    randomId: randomUUID,
    readers,
    environment,
    sources,
    fileSystem: nodeFileSystem,
    openTranscripts: (bytes) =>
      bytes < readingThreadFromBytes
        ? createInlineSource(access, readers)
        : createThreadedSource(() => new Worker(new URL(import.meta.url), { workerData: readingRole })),
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
