import { appendFileSync, utimesSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  closeAll,
  createIndexingDesk,
  type DeskOptions,
  diskWith,
  found,
  type IndexingDesk,
  linesOf,
} from '../../test/helpers/indexing-desk.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { allFileRows } from '../index/file-rows.ts'
import { deletePurged, hideOldSessions } from '../index/purge.ts'
import { readFence } from '../index/read.ts'
import { nodeFileSystem } from './file-system.ts'
import type { Indexer } from './indexer.ts'
import { keptSince } from './retention.ts'

const dayMs = 86_400_000
let desk: IndexingDesk
let opened: (Disposable | AsyncDisposable)[]
/** Files that were opened, from the home. */
let read: string[]
beforeEach(() => {
  desk = createIndexingDesk()
  desk.clock.advance(1000 * dayMs)
  opened = []
  read = []
})
afterEach(async () => {
  await closeAll(opened)
  desk[Symbol.dispose]()
})

function index(): SqlDatabase {
  const db = desk.openIndex()
  opened.push(db)
  return db
}

async function started(historyDays: number | null, options: DeskOptions = {}): Promise<Indexer> {
  const fileSystem = diskWith({
    open(path) {
      read.push(path.slice(desk.home.length + 1))
      return nodeFileSystem.open(path)
    },
  })
  const indexer = desk.indexer({ fileSystem, historyDays, ...options })
  opened.push(indexer)
  await indexer.start()
  await indexer.reconcile({ full: true })
  return indexer
}

/** A session whose messages are as old as its file, unless told otherwise. */
function write(name: string, daysAgo: number, messages = 1, fileDaysAgo = daysAgo): string {
  const atMs = desk.clock.now() - daysAgo * dayMs
  const lines = Array.from({ length: messages }, (_, at) => ({ say: `needle ${name} ${at}`, atMs }))
  const mtimeSec = (desk.clock.now() - fileDaysAgo * dayMs) / 1000
  return desk.write(`sessions/${name}.jsonl`, linesOf(...lines), mtimeSec)
}

const sessions = (db: SqlDatabase) =>
  db
    .prepare('SELECT session_id FROM sessions ORDER BY 1')
    .all()
    .map((row) => row.session_id)

describe('an indexer that keeps the sessions of the last days', () => {
  it('reads nothing of files that were not written to since, and is current without them', async () => {
    write('old', 40)
    write('new', 5)
    const indexer = await started(30)
    expect(read).toEqual(['sessions/new.jsonl'])
    expect(sessions(index())).toEqual(['new'])
    expect(indexer.status()).toMatchObject({ phase: 'current', filesIndexed: 1, filesDue: 0 })
  })

  it('takes out what grows too old, with all its messages, and moves what cursors are held against', async () => {
    write('old', 29, 600)
    write('new', 5)
    const indexer = await started(30)
    const db = index()
    const before = readFence(db)
    await indexer.reconcile({ full: false })
    expect(readFence(db)).toEqual(before)
    desk.clock.advance(2 * dayMs)
    await indexer.reconcile({ full: false })
    expect(sessions(db)).toEqual(['new'])
    expect(db.prepare('SELECT count(*) AS n FROM messages').get()?.n).toBe(1)
    expect(found(db, 'needle')).toEqual(['new: needle new 0'])
    expect(db.prepare('SELECT 1 FROM purges').all()).toEqual([])
    db.exec("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')")
    const after = readFence(db)
    expect(after.generation).toBeGreaterThan(before.generation)
    expect(after.removals).toBeGreaterThan(before.removals)
    // Once: nothing moves after that.
    await indexer.reconcile({ full: true })
    expect(readFence(db)).toEqual(after)
    expect(indexer.status()).toMatchObject({ phase: 'current', filesIndexed: 1, filesFailed: 0 })
  })

  it('does not read again what it took out, until it is written to', async () => {
    // A copy from a backup: new to the disk, with old words.
    const path = write('copied', 100, 1, 1)
    const indexer = await started(30)
    expect(sessions(index())).toEqual([])
    read = []
    for (let pass = 0; pass < 3; pass++) await indexer.reconcile({ full: pass === 1 })
    expect(read).toEqual([])
    appendFileSync(path, linesOf({ say: 'needle again', atMs: desk.clock.now() }))
    utimesSync(path, desk.clock.now() / 1000, desk.clock.now() / 1000)
    await indexer.reconcile({ full: false })
    expect(found(index(), 'again')).toEqual(['copied: needle again'])
  })

  it('brings back what it took out when more is to be kept', async () => {
    write('old', 40)
    write('older', 200)
    write('new', 5)
    await (await started(null))[Symbol.asyncDispose]()
    await (await started(30))[Symbol.asyncDispose]()
    expect(sessions(index())).toEqual(['new'])
    await (await started(90))[Symbol.asyncDispose]()
    expect(sessions(index())).toEqual(['new', 'old'])
    await (await started(null))[Symbol.asyncDispose]()
    expect(sessions(index())).toEqual(['new', 'old', 'older'])
    expect(found(index(), 'needle')).toHaveLength(3)
  })

  it('judges a session none of whose messages has a time by its file', async () => {
    desk.write('sessions/undated.jsonl', linesOf({ say: 'needle' }), (desk.clock.now() - 10 * dayMs) / 1000)
    const indexer = await started(30)
    expect(sessions(index())).toEqual(['undated'])
    desk.clock.advance(21 * dayMs)
    await indexer.reconcile({ full: false })
    expect(sessions(index())).toEqual([])
    expect(allFileRows(index())).toMatchObject([{ state: 'purged', sessionRowId: null }])
  })
})

describe('hideOldSessions and deletePurged', () => {
  it('work in transactions of a few hundred rows, and go on where a killed process left off', async () => {
    write('old', 40, 700)
    await (await started(null))[Symbol.asyncDispose]()
    const db = index()
    const rows = () => Number(db.prepare('SELECT count(*) AS n FROM messages').get()?.n)
    expect(hideOldSessions(db, keptSince(30, desk.clock.now()) ?? 0)).toBe(1)
    // Nothing of it is found any more, though all of it is still there.
    expect(found(db, 'needle')).toEqual([])
    expect(rows()).toBe(700)
    const steps: number[] = []
    expect(deletePurged(db)).toBe(true)
    steps.push(rows())
    await (await started(30))[Symbol.asyncDispose]()
    expect(rows()).toBe(0)
    expect(steps).toEqual([700 - 256])
    expect(hideOldSessions(db, keptSince(30, desk.clock.now()) ?? 0)).toBe(0)
    expect(deletePurged(db)).toBe(false)
  })
})
