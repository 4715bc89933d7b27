/** The indexing thread: its own connection, its own indexer, orders in and news out. Entry of dist/indexing-worker.js. */
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../protocol/clock.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { transcriptReaders } from '../transcripts/readers.ts'
import { nodeFileSystem } from './file-system.ts'
import { createIndexer } from './indexer.ts'
import type { IndexingJob, IndexingNews, IndexingOrder } from './indexing-messages.ts'
import { createInlineSource } from './transcript-source.ts'

/** News of progress is sent no more often; the end of an order always brings the status of that moment. */
const statusIntervalMs = 50

const port = parentPort
if (port === null) throw new Error('this file runs as a worker')
const { indexPath, sources, ...environment } = workerData as IndexingJob
const readers = transcriptReaders()
const indexer = createIndexer({
  driver: loadSqlDriver(),
  indexPath,
  randomId: randomUUID,
  readers,
  environment,
  sources,
  fileSystem: nodeFileSystem,
  openTranscripts: () => createInlineSource(nodeFileSystem, readers),
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
