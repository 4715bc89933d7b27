/** The indexer in its thread, as the commands run it. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { openIndex, openIndexForReading } from '../../host-agent/index/open-index.ts'
import type { Indexer } from '../../host-agent/indexing/indexer.ts'
import { createIndexerClient } from '../../host-agent/indexing/indexer-client.ts'
import { systemClock } from '../../protocol/clock.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { whyNoBuild } from '../helpers/real-hosts.ts'

let home: string
let indexPath: string
const open: AsyncDisposable[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-thread-'))
  indexPath = join(home, 'data', 'index.sqlite')
})
afterEach(async () => {
  for (const each of open.splice(0)) await each[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

const bundledWorker = pathToFileURL(join(repositoryRoot, 'dist', 'indexing-worker.js'))

function client(workerUrl = bundledWorker): Indexer {
  const indexer = createIndexerClient({
    workerUrl,
    clock: systemClock,
    job: {
      indexPath,
      homeDir: home,
      platform: 'linux',
      env: {},
      sources: {},
      historyDays: null,
      exclude: [],
    },
  })
  open.push(indexer)
  return indexer
}

function write(name: string, ...texts: string[]): string {
  const folder = join(home, '.claude', 'projects', '-work-p')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.jsonl`)
  writeFileSync(path, texts.map((text) => line(name, text)).join(''))
  return path
}

function line(sessionId: string, content: string): string {
  const record = {
    type: 'user',
    sessionId,
    uuid: content,
    cwd: '/work/p',
    message: { role: 'user', content },
  }
  return `${JSON.stringify(record)}\n`
}

function count(word: string): number {
  using db = openIndexForReading({ driver: loadSqlDriver(), path: indexPath })
  return db.prepare('SELECT rowid FROM messages_fts WHERE messages_fts MATCH ?').all(word).length
}

function statusWhere(indexer: Indexer, holds: (status: SearchStatus) => boolean): Promise<SearchStatus> {
  return new Promise((resolve) => {
    if (holds(indexer.status())) return resolve(indexer.status())
    const stop = indexer.onStatus((status) => {
      if (!holds(status)) return
      stop()
      resolve(status)
    })
  })
}

describe.skipIf(whyNoBuild() !== null)('createIndexerClient', () => {
  it('has an index that can be read when it has started, and its first sweep in the status', async () => {
    write('s1', 'needle')
    const indexer = client()
    expect(indexer.status()).toMatchObject({ enabled: true, phase: 'idle' })
    await indexer.start()
    expect(() => count('needle')).not.toThrow()
    const swept = await statusWhere(indexer, ({ lastSweepCompletedAt }) => lastSweepCompletedAt !== null)
    expect(swept).toMatchObject({ filesIndexed: 1, generation: 1 })
    expect(count('needle')).toBe(1)
  })

  it('reconciles, and its status is that of the pass when it says so', async () => {
    const path = write('s1', 'first')
    const indexer = client()
    await indexer.start()
    await indexer.reconcile({ full: true })
    appendFileSync(path, line('s1', 'appended'))
    await indexer.reconcile({ full: false })
    expect(count('appended')).toBe(1)
    expect(indexer.status()).toMatchObject({ phase: 'current', generation: 2 })
  })

  it('carries what went wrong in the thread', async () => {
    const { db } = openIndex({ driver: loadSqlDriver(), path: indexPath, randomId: () => 'x' })
    db.exec("UPDATE meta SET value = 99 WHERE key = 'schema_version'")
    db.close()
    const indexer = client()
    await indexer.start()
    await expect(indexer.reconcile({ full: false })).rejects.toMatchObject({
      name: 'IndexError',
      message: expect.stringContaining('open a newer trawl'),
    })
    expect(indexer.status().phase).toBe('degraded')
  })

  it('starts its thread again once when it dies, and says what happened', async () => {
    write('s1', 'needle')
    const indexer = client(workerThatDiesOfSweeps())
    await indexer.start()
    await statusWhere(indexer, ({ lastSweepCompletedAt }) => lastSweepCompletedAt !== null)
    const degraded = statusWhere(indexer, ({ phase }) => phase === 'degraded')
    await expect(indexer.reconcile({ full: true })).rejects.toThrow('it died of this')
    expect((await degraded).degradedRoots).toMatchObject([
      { root: indexPath, reason: expect.stringContaining('it died of this') },
    ])
    await statusWhere(indexer, ({ phase }) => phase === 'current')
    await indexer.reconcile({ full: false })

    await expect(indexer.reconcile({ full: true })).rejects.toThrow('it died of this')
    expect(indexer.status().phase).toBe('degraded')
    await expect(indexer.reconcile({ full: false })).rejects.toThrow('not running')
  })

  it('closes its thread, and answers no more', async () => {
    const indexer = client()
    await indexer.start()
    await indexer[Symbol.asyncDispose]()
    expect(indexer.status().phase).toBe('closed')
    await expect(indexer.reconcile({ full: false })).rejects.toThrow('not running')
  })

  function workerThatDiesOfSweeps(): URL {
    const path = join(home, 'mortal-worker.mjs')
    writeFileSync(
      path,
      // Its own listener comes last: the first one takes what was sent before there was any.
      `import { parentPort } from 'node:worker_threads'
      await import(${JSON.stringify(bundledWorker.href)})
      parentPort.on('message', (order) => {
        if (order.kind === 'reconcile' && order.full) throw new Error('it died of this')
      })`,
    )
    return pathToFileURL(path)
  }
})
