import { appendFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import {
  closeAll,
  createIndexingDesk,
  diskWith,
  fakeReader,
  found,
  type IndexingDesk,
  linesOf,
  nodeError,
} from '../../test/helpers/indexing-desk.ts'
import type { SqlDatabase, SqlDriver } from '../index/driver/driver.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { allFileRows } from '../index/file-rows.ts'
import { nodeFileSystem } from './file-system.ts'
import type { Indexer } from './indexer.ts'

let desk: IndexingDesk
let opened: (Disposable | AsyncDisposable)[]

beforeEach(() => {
  desk = createIndexingDesk()
  opened = []
})
afterEach(async () => {
  await closeAll(opened)
  desk[Symbol.dispose]()
})

type Options = Parameters<IndexingDesk['indexer']>[0]

async function started(options?: Options): Promise<Indexer> {
  const indexer = desk.indexer(options)
  opened.push(indexer)
  await indexer.start()
  await indexer.reconcile({ full: true })
  return indexer
}

/** A second connection, as a search has one. */
function index(): SqlDatabase {
  const db = desk.openIndex()
  opened.push(db)
  return db
}

describe('createIndexer', () => {
  it('indexes what is there at the start, and says so', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'needle one' }))
    desk.write('sessions/b.jsonl', `${linesOf({ say: 'needle two' })}not json\n`)
    desk.write('sessions/c.jsonl.zst', 'packed')
    const indexer = await started()
    expect(found(index(), 'needle')).toHaveLength(2)
    expect(indexer.status()).toMatchObject({
      enabled: true,
      phase: 'current',
      filesIndexed: 2,
      filesDue: 0,
      filesFailed: 1,
      degradedRoots: [],
      lastReconcileAt: desk.clock.now(),
      lastSweepCompletedAt: desk.clock.now(),
      generation: 2,
      unreadLines: 1,
    })
  })

  it('[status.fields] [status.phases] says every field of the contract in each of its phases', async () => {
    const indexer = desk.indexer()
    const phases: string[] = []
    const note = () => phases.push(searchStatusSchema.parse(indexer.status()).phase)
    note()
    expect(indexer.status()).toMatchObject({ lastReconcileAt: null, lastSweepCompletedAt: null })
    desk.write('sessions/a.jsonl', linesOf({ say: 'x' }))
    indexer.onStatus(note)
    await indexer.start()
    await indexer.reconcile({ full: true })
    note()
    rmSync(desk.root, { recursive: true })
    await indexer.reconcile({ full: false })
    await indexer[Symbol.asyncDispose]()
    expect(phases.filter((phase, at) => phase !== phases[at - 1])).toEqual([
      'idle',
      'indexing',
      'current',
      'degraded',
      'closed',
    ])
  })

  it('finds an appended message after a bounded pass, and reads no more than what was appended', async () => {
    const first = linesOf({ say: 'first' })
    const path = desk.write('sessions/a.jsonl', first)
    const positions: number[] = []
    const watching = diskWith({
      open: (asked) => {
        const open = nodeFileSystem.open(asked)
        return {
          ...open,
          read(into, position) {
            positions.push(position)
            return open.read(into, position)
          },
        }
      },
    })
    const indexer = await started({ fileSystem: watching })
    appendFileSync(path, linesOf({ say: 'appended' }))
    positions.length = 0
    await indexer.reconcile({ full: false })
    expect(found(index(), 'first OR appended')).toEqual(['a: first', 'a: appended'])
    // The tail before the offset, what was appended, and the tail before the new offset.
    expect(positions.filter((position) => position === first.length)).toHaveLength(1)
  })

  it('reads an unterminated last line when it ends, once', async () => {
    const path = desk.write('sessions/a.jsonl', `${linesOf({ say: 'whole' })}{"say":"half`)
    const indexer = await started()
    expect(found(index(), 'half')).toEqual([])
    appendFileSync(path, ' done"}\n')
    await indexer.reconcile({ full: false })
    await indexer.reconcile({ full: false })
    expect(found(index(), 'half')).toEqual(['a: half done'])
  })

  it('reads a file again that was rewritten at the same size and time', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'before' }), 1000)
    const indexer = await started()
    writeFileSync(`${path}.new`, linesOf({ say: 'AFTER1' }))
    renameSync(`${path}.new`, path)
    utimesSync(path, 1000, 1000)
    await indexer.reconcile({ full: false })
    expect(found(index(), 'before OR AFTER1')).toEqual(['a: AFTER1'])
  })

  it('reads the newest files first', async () => {
    for (const at of [1, 2, 3])
      desk.write(`sessions/${at}.jsonl`, linesOf({ say: `message ${at}` }), at * 1000)
    await started()
    expect(found(index(), 'message').map((line) => line[0])).toEqual(['3', '2', '1'])
  })

  it('writes the sessions that an append moves to another name, or to none', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'words', session: 's1' }))
    const indexer = await started()
    appendFileSync(path, linesOf({ say: 'more words', session: 's2' }))
    await indexer.reconcile({ full: false })
    expect(found(index(), 'words')).toEqual(['s2: words', 's2: more words'])
    appendFileSync(path, linesOf({ kind: 'none' }))
    await indexer.reconcile({ full: false })
    expect(found(index(), 'words')).toEqual([])
    appendFileSync(path, linesOf({ kind: 'session' }))
    await indexer.reconcile({ full: false })
    expect(found(index(), 'words')).toHaveLength(2)
  })

  it('writes a large file in stretches, each of which is found before the next is read', async () => {
    const says = Array.from({ length: 40 }, (_, at) => ({ say: `needle ${at}` }))
    desk.write('sessions/big.jsonl', linesOf(...says))
    await started({ limits: { batchBytes: 60, sliceBytes: 100 } })
    expect(found(index(), 'needle')).toEqual(says.map(({ say }) => `big: ${say}`))
    expect(allFileRows(index())).toMatchObject([{ state: 'current', messageCount: 40, rewrites: 0 }])
  })

  it('takes the copy for the session’s source when the source is deleted', async () => {
    const source = desk.write('sessions/new.jsonl', linesOf({ say: 'words', session: 's1' }), 2000)
    desk.write('sessions/old.jsonl', linesOf({ say: 'old words', session: 's1' }), 1000)
    const indexer = await started()
    expect(found(index(), 'words')).toEqual(['s1: words'])
    rmSync(source)
    await indexer.reconcile({ full: true })
    expect(found(index(), 'words')).toEqual(['s1: old words'])
  })

  it('takes a deleted file out with the next sweep', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    desk.write('sessions/b.jsonl', linesOf({ say: 'other' }))
    const indexer = await started()
    rmSync(path)
    await indexer.reconcile({ full: true })
    expect(found(index(), 'words OR other')).toEqual(['b: other'])
    expect(indexer.status().filesIndexed).toBe(1)
  })

  it('leaves a file alone that has failed three times, until it changes', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ crash: true }), 1000)
    desk.write('sessions/b.jsonl', linesOf({ say: 'fine' }))
    let opens = 0
    const counting = diskWith({
      open: (asked) => {
        if (asked === path) opens++
        return nodeFileSystem.open(asked)
      },
    })
    const indexer = await started({ fileSystem: counting })
    for (let pass = 0; pass < 5; pass++) await indexer.reconcile({ full: pass % 2 === 0 })
    expect(opens).toBe(3)
    expect(indexer.status()).toMatchObject({ filesFailed: 1, filesIndexed: 1, filesDue: 0, phase: 'current' })
    expect(found(index(), 'fine')).toHaveLength(1)
    writeFileSync(path, linesOf({ say: 'mended' }))
    await indexer.reconcile({ full: false })
    expect(found(index(), 'mended')).toHaveLength(1)
    expect(indexer.status().filesFailed).toBe(0)
  })

  it('does not let one file that the index cannot hold keep the others out', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'needle a' }), 1000)
    desk.write('sessions/bad.jsonl', linesOf({ say: 'needle bad', noTitle: true }), 2000)
    desk.write('sessions/c.jsonl', linesOf({ say: 'needle c' }), 3000)
    const indexer = await started()
    expect(found(index(), 'needle')).toEqual(['c: needle c', 'a: needle a'])
    expect(indexer.status()).toMatchObject({ filesFailed: 1, filesIndexed: 2 })
  })

  it('goes on where it was when it is started again, and reads nothing twice', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    const first = desk.indexer()
    await first.start()
    await first.reconcile({ full: true })
    await first[Symbol.asyncDispose]()
    const opens: string[] = []
    const counting = diskWith({
      open: (asked) => {
        opens.push(asked)
        return nodeFileSystem.open(asked)
      },
    })
    const indexer = await started({ fileSystem: counting })
    expect(opens).toEqual([])
    expect(indexer.status()).toMatchObject({ filesIndexed: 1, generation: 1 })
  })

  it('reads the roots a person has set, and takes out what an agent that was switched off had', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    desk.write('elsewhere/b.jsonl', linesOf({ say: 'other words' }))
    await (await started())[Symbol.asyncDispose]()
    const moved = await started({ sources: { fake: [{ path: join(desk.home, 'elsewhere') }] } })
    expect(found(index(), 'words')).toEqual(['b: other words'])
    await moved[Symbol.asyncDispose]()
    await started({ sources: { fake: [] } })
    expect(found(index(), 'words')).toEqual([])
  })

  it('stops with an error for whoever waits, and answers no more', async () => {
    const indexer = await started()
    const waiting = indexer.reconcile({ full: true })
    await indexer[Symbol.asyncDispose]()
    await waiting.catch((error) => expect(error).toMatchObject({ name: 'AbortError' }))
    await expect(indexer.reconcile({ full: false })).rejects.toMatchObject({ name: 'AbortError' })
    expect(indexer.status().phase).toBe('closed')
    expect(desk.clock.pending).toBe(0)
  })

  it('refuses to be asked before it is started, and to be started twice', async () => {
    const indexer = desk.indexer()
    opened.push(indexer)
    await expect(indexer.reconcile({ full: false })).rejects.toThrow('not started')
    await indexer.start()
    await expect(indexer.start()).rejects.toThrow('before')
  })
})

describe('the indexer’s clock', () => {
  it('runs a pass every 20 s and a sweep every 15 passes', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    desk.write('sessions/b.jsonl', linesOf({ say: 'stays' }))
    const indexer = await started()
    appendFileSync(path, linesOf({ say: 'appended' }))
    await passes(1)
    expect(found(index(), 'appended')).toHaveLength(1)
    rmSync(path)
    await passes(13)
    expect(found(index(), 'appended')).toHaveLength(1)
    await passes(2)
    expect(found(index(), 'appended')).toEqual([])
    expect(indexer.status().lastSweepCompletedAt).toBe(desk.clock.now())
  })

  it('shows the end of a bounded pass that ran out of time as files due, and reads them with the next', async () => {
    for (const at of [1, 2, 3])
      desk.write(`sessions/${at}.jsonl`, linesOf({ say: `needle ${at}` }), at * 1000)
    const indexer = await started({ sources: { fake: [] } })
    await indexer[Symbol.asyncDispose]()
    // Reading one file takes longer than a whole bounded pass may.
    const slow = diskWith({
      open: (asked) => {
        desk.clock.advance(6000)
        return nodeFileSystem.open(asked)
      },
    })
    const second = desk.indexer({ fileSystem: slow })
    opened.push(second)
    const seen: { indexed: number; due: number }[] = []
    second.onStatus(({ filesIndexed, filesDue }) => seen.push({ indexed: filesIndexed, due: filesDue }))
    await second.start()
    // Asked in the same turn as the first sweep, the bounded pass comes before it.
    await second.reconcile({ full: false })
    expect(seen).toContainEqual({ indexed: 1, due: 2 })
    await second.reconcile({ full: true })
    expect(found(index(), 'needle')).toHaveLength(3)
    expect(second.status().filesDue).toBe(0)
  })

  async function passes(count: number): Promise<void> {
    for (let pass = 0; pass < count; pass++) {
      const before = desk.clock.pending
      expect(before).toBe(1)
      await desk.clock.pass(20_000)
      await until(() => desk.clock.pending === 1)
    }
  }
})

describe('an indexer over roots that cannot be trusted', () => {
  const reasonOf = (indexer: Indexer) => indexer.status().degradedRoots

  it('has nothing to say of an agent that is not installed', async () => {
    const indexer = await started()
    expect(indexer.status()).toMatchObject({ phase: 'current', degradedRoots: [], filesIndexed: 0 })
  })

  it('keeps what it has of a root that is gone, degraded, and recovers', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    const indexer = await started()
    renameSync(desk.root, `${desk.root}-unmounted`)
    for (const full of [true, false, true]) {
      await indexer.reconcile({ full })
      expect(indexer.status().phase).toBe('degraded')
      expect(reasonOf(indexer)).toHaveLength(1)
      expect(reasonOf(indexer)[0]?.root).toBe(desk.root)
      expect(found(index(), 'words')).toHaveLength(1)
    }
    renameSync(`${desk.root}-unmounted`, desk.root)
    await indexer.reconcile({ full: false })
    expect(indexer.status()).toMatchObject({ phase: 'current', degradedRoots: [] })
  })

  it('takes out what a root held that is empty for a second sweep', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    const indexer = await started()
    rmSync(path)
    await indexer.reconcile({ full: true })
    expect(reasonOf(indexer)[0]?.reason).toContain('empty')
    await indexer.reconcile({ full: false })
    expect(reasonOf(indexer)).toHaveLength(1)
    expect(found(index(), 'words')).toHaveLength(1)
    await indexer.reconcile({ full: true })
    expect(found(index(), 'words')).toEqual([])
    expect(indexer.status()).toMatchObject({ phase: 'current', degradedRoots: [] })
  })

  it('reads the other root when one is a file', async () => {
    desk.write('sessions', 'a file')
    desk.write('more/a.jsonl', linesOf({ say: 'words' }))
    const indexer = await started({ readers: [fakeReader(['sessions', 'more'])] })
    expect(found(index(), 'words')).toHaveLength(1)
    expect(reasonOf(indexer)).toEqual([{ root: desk.root, reason: `${desk.root} is not a folder` }])
  })

  it('keeps what it has below a folder that may not be read any more', async () => {
    desk.write('sessions/p/a.jsonl', linesOf({ say: 'words' }))
    let isLocked = false
    const locking = diskWith({
      list: async (folder) => {
        if (isLocked && folder.endsWith('/p')) throw nodeError('EACCES', folder)
        return await nodeFileSystem.list(folder)
      },
    })
    const indexer = await started({ fileSystem: locking })
    isLocked = true
    await indexer.reconcile({ full: true })
    expect(found(index(), 'words')).toHaveLength(1)
    expect(indexer.status()).toMatchObject({ phase: 'degraded', filesIndexed: 1 })
  })
})

describe('an indexer whose index cannot be written', () => {
  const driver = loadSqlDriver()

  it('is degraded with the reason, fails who waits, and goes on when it can', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    let isReadOnly = true
    index()
    const switching: SqlDriver = {
      name: driver.name,
      open: (path, options) => driver.open(path, isReadOnly ? { readOnly: true } : options),
    }
    const indexer = desk.indexer({ driver: switching })
    opened.push(indexer)
    await indexer.start()
    await expect(indexer.reconcile({ full: false })).rejects.toMatchObject({
      name: 'IndexError',
      reason: 'read-only',
    })
    expect(indexer.status()).toMatchObject({ phase: 'degraded', degradedRoots: [{ root: desk.indexPath }] })
    isReadOnly = false
    await indexer.reconcile({ full: false })
    expect(indexer.status()).toMatchObject({ phase: 'current', degradedRoots: [] })
    expect(found(index(), 'words')).toHaveLength(1)
  })

  it('says that the disk is full, loses nothing that was there, and goes on when there is room', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    let db: SqlDatabase | null = null
    const watched: SqlDriver = {
      name: driver.name,
      open: (path, options) => {
        const opened = driver.open(path, options)
        if (path === desk.indexPath) db = opened
        return opened
      },
    }
    const indexer = await started({ driver: watched })
    const pages = Number(index().prepare('PRAGMA page_count').get()?.page_count)
    limitPages(db, pages)
    desk.write('sessions/big.jsonl', linesOf({ say: 'big '.repeat(100_000) }))
    await expect(indexer.reconcile({ full: false })).rejects.toMatchObject({ reason: 'full' })
    expect(indexer.status().phase).toBe('degraded')
    expect(indexer.status().degradedRoots[0]?.reason).toContain('is full')
    expect(found(index(), 'words')).toHaveLength(1)
    limitPages(db, 1_000_000)
    await indexer.reconcile({ full: false })
    expect(indexer.status()).toMatchObject({ phase: 'current', filesIndexed: 2 })
  })

  it('leaves a newer version’s index alone', async () => {
    index().exec("UPDATE meta SET value = 99 WHERE key = 'schema_version'")
    const indexer = desk.indexer()
    opened.push(indexer)
    await indexer.start()
    await expect(indexer.reconcile({ full: true })).rejects.toMatchObject({ reason: 'newer' })
    expect(indexer.status().degradedRoots[0]?.reason).toContain('open a newer trawl')
  })
})

function limitPages(db: SqlDatabase | null, pages: number): void {
  db?.exec(`PRAGMA max_page_count = ${pages}`)
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
