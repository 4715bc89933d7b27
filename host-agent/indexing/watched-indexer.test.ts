import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeWatcher, type FakeWatcher } from '../../test/helpers/fake-watcher.ts'
import {
  closeAll,
  createIndexingDesk,
  type DeskOptions,
  diskWith,
  fakeReader,
  found,
  type IndexingDesk,
  linesOf,
  nodeError,
} from '../../test/helpers/indexing-desk.ts'
import { databaseReader, documentReader, say, shelfTables } from '../../test/helpers/whole-readers.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { type FileSystem, nodeFileSystem } from './file-system.ts'
import { nodeFileWatcher } from './file-watcher.ts'
import type { Indexer } from './indexer.ts'

let desk: IndexingDesk
let opened: (Disposable | AsyncDisposable)[]
/** Paths that were asked for by `stat` or `list`, from the home. */
let asked: string[]

beforeEach(() => {
  desk = createIndexingDesk()
  opened = []
  asked = []
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

async function started(options: DeskOptions): Promise<Indexer> {
  const note = (path: string) => void asked.push(path.slice(desk.home.length + 1))
  const noting: FileSystem = {
    ...nodeFileSystem,
    ...options.fileSystem,
    async list(path) {
      note(path)
      return await (options.fileSystem ?? nodeFileSystem).list(path)
    },
    async stat(path) {
      note(path)
      return await (options.fileSystem ?? nodeFileSystem).stat(path)
    },
  }
  const indexer = desk.indexer({ ...options, fileSystem: noting })
  opened.push(indexer)
  await indexer.start()
  await indexer.reconcile({ full: true })
  asked = []
  return indexer
}

const bounded = async (indexer: Indexer) => await indexer.reconcile({ full: false })

describe('an indexer that is told of changes', () => {
  let watcher: FakeWatcher
  beforeEach(() => {
    watcher = createFakeWatcher()
  })

  it('watches every folder that it walks, and looks at nothing but what was named', async () => {
    const path = desk.write('sessions/p/a.jsonl', linesOf({ say: 'first' }))
    for (let at = 0; at < 20; at++) desk.write(`sessions/q/${at}.jsonl`, linesOf({ say: 'other' }))
    const indexer = await started({ watcher })
    expect(watcher.folders).toEqual([desk.root, join(desk.root, 'p'), join(desk.root, 'q')])
    expect(indexer.status().watching).toEqual({ mode: 'events' })
    appendFileSync(path, linesOf({ say: 'appended' }))
    watcher.tell(join(desk.root, 'p'), 'content', 'a.jsonl')
    await bounded(indexer)
    expect(found(index(), 'appended')).toEqual(['a: appended'])
    expect(new Set(asked)).toEqual(new Set(['sessions', 'sessions/p/a.jsonl']))
  })

  it('waits until everything was told before it says that it is current', async () => {
    const indexer = await started({ watcher })
    const before = watcher.settled
    await bounded(indexer)
    expect(watcher.settled).toBeGreaterThan(before)
  })

  it('reads what was named without being asked, a moment later, and everything named meanwhile with it', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'first' }))
    await started({ watcher })
    appendFileSync(path, linesOf({ say: 'second' }))
    watcher.tell(desk.root, 'content', 'a.jsonl')
    const armed = desk.clock.pending
    desk.write('sessions/b.jsonl', linesOf({ say: 'new' }))
    watcher.tell(desk.root, 'entry', 'b.jsonl')
    expect(desk.clock.pending).toBe(armed)
    expect(found(index(), 'second')).toEqual([])
    await desk.clock.pass(500)
    await until(() => found(index(), 'second OR new').length === 2)
  })

  it('does not stir for files that are no transcripts', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'first' }))
    await started({ watcher })
    const armed = desk.clock.pending
    watcher.tell(desk.root, 'content', 'debug.log')
    for (let at = 0; at < 5000; at++) watcher.tell(desk.root, 'content', 'debug.log')
    expect(desk.clock.pending).toBe(armed)
  })

  it('walks a new folder, and watches it before it lists it', async () => {
    const indexer = await started({ watcher })
    const folder = join(desk.root, 'new', 'deep')
    mkdirSync(desk.root, { recursive: true })
    await bounded(indexer)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'a.jsonl'), linesOf({ say: 'words' }))
    watcher.tell(desk.root, 'entry', 'new')
    await bounded(indexer)
    expect(found(index(), 'words')).toEqual(['a: words'])
    expect(watcher.folders).toContain(folder)
    appendFileSync(join(folder, 'a.jsonl'), linesOf({ say: 'more' }))
    watcher.tell(folder, 'content', 'a.jsonl')
    await bounded(indexer)
    expect(found(index(), 'more')).toEqual(['a: more'])
  })

  it('follows a folder that was moved, and lets go of its old name', async () => {
    desk.write('sessions/old/a.jsonl', linesOf({ say: 'words' }))
    const indexer = await started({ watcher })
    renameSync(join(desk.root, 'old'), join(desk.root, 'new'))
    watcher.tell(desk.root, 'entry', 'old')
    watcher.tell(desk.root, 'entry', 'new')
    await bounded(indexer)
    expect(watcher.folders).toEqual([desk.root, join(desk.root, 'new')])
    // The copy under the old name is for a sweep to judge, which comes with the next round.
    await desk.clock.pass(20_000)
    await until(() => indexer.status().filesIndexed === 1)
    expect(found(index(), 'words')).toEqual(['a: words'])
  })

  it('knows of roots that lie in one another', async () => {
    const shallow = { ...fakeReader(['.'], 'shallow'), enters: () => false }
    const readers = [shallow, fakeReader(['outer/in/deep'], 'deep')]
    desk.write('outer/in/deep/a.jsonl', linesOf({ say: 'words' }))
    const indexer = await started({ watcher, readers })
    const deep = join(desk.home, 'outer/in/deep')
    expect(watcher.folders).toEqual([desk.home, deep])
    // Moved away and back: the same folder, and the one above is not for the shallow one to enter.
    watcher.tell(desk.home, 'entry', 'outer')
    await bounded(indexer)
    appendFileSync(join(deep, 'a.jsonl'), linesOf({ say: 'more' }))
    watcher.tell(deep, 'content', 'a.jsonl')
    await bounded(indexer)
    expect(found(index(), 'more')).toEqual(['a: more'])
  })

  it('watches anew what lies in a folder that was moved away and back', async () => {
    const readers = [fakeReader(['outer'], 'outer'), fakeReader(['outer/in/deep'], 'deep')]
    desk.write('outer/in/deep/a.jsonl', linesOf({ say: 'words' }))
    const indexer = await started({ watcher, readers })
    const deep = join(desk.home, 'outer/in/deep')
    watcher.tell(join(desk.home, 'outer'), 'entry', 'in')
    await bounded(indexer)
    await bounded(indexer)
    expect(watcher.folders).toContain(deep)
    desk.write('outer/in/deep/b.jsonl', linesOf({ say: 'more' }))
    watcher.tell(deep, 'entry', 'b.jsonl')
    await bounded(indexer)
    expect(found(index(), 'more')).toEqual(['b: more'])
  })

  it('finds a root that was not there, and one that was put in the place of another, without being told', async () => {
    const indexer = await started({ watcher })
    desk.write('sessions/a.jsonl', linesOf({ say: 'one' }))
    await bounded(indexer)
    expect(found(index(), 'one')).toEqual(['a: one'])
    renameSync(desk.root, `${desk.root}-aside`)
    desk.write('sessions/b.jsonl', linesOf({ say: 'two' }))
    await bounded(indexer)
    expect(found(index(), 'two')).toEqual(['b: two'])
  })

  it('takes out what was deleted with the next round after it was named', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'gone' }))
    desk.write('sessions/b.jsonl', linesOf({ say: 'stays' }))
    const indexer = await started({ watcher })
    rmSync(path)
    watcher.tell(desk.root, 'entry', 'a.jsonl')
    await bounded(indexer)
    await desk.clock.pass(20_000)
    await until(() => found(index(), 'gone').length === 0)
    expect(found(index(), 'stays')).toHaveLength(1)
  })

  it('walks everything once more when the system cannot say what has changed, or too much has', async () => {
    const indexer = await started({ watcher })
    desk.write('sessions/a.jsonl', linesOf({ say: 'one' }))
    await bounded(indexer)
    desk.write('sessions/b.jsonl', linesOf({ say: 'two' }))
    watcher.tell(desk.root, 'entry', null)
    await bounded(indexer)
    expect(found(index(), 'two')).toEqual(['b: two'])
    desk.write('sessions/c.jsonl', linesOf({ say: 'three' }))
    for (let at = 0; at < 9000; at++) watcher.tell(desk.root, 'content', 'a.jsonl')
    await bounded(indexer)
    expect(found(index(), 'three')).toEqual(['c: three'])
  })

  it('does not lose what was named to a pass that failed', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'one' }))
    let isFull = false
    const driver = loadSqlDriver()
    const filling = {
      name: driver.name,
      open(path: string, options: { readOnly: boolean }) {
        const db = driver.open(path, options)
        if (path !== desk.indexPath) return db
        return {
          ...db,
          transaction<T>(work: () => T): T {
            if (isFull) throw Object.assign(new Error('full'), { errcode: 13, code: 'SQLITE_FULL' })
            return db.transaction(work)
          },
        }
      },
    }
    const indexer = await started({ watcher, driver: filling })
    desk.write('sessions/b.jsonl', linesOf({ say: 'two' }))
    watcher.tell(desk.root, 'entry', 'b.jsonl')
    isFull = true
    await expect(bounded(indexer)).rejects.toMatchObject({ reason: 'full' })
    isFull = false
    await bounded(indexer)
    expect(found(index(), 'two')).toEqual(['b: two'])
  })

  it('reads in the next pass what there was no time for in this one', async () => {
    const slow = diskWith({
      open: (path) => {
        desk.clock.advance(6000)
        return nodeFileSystem.open(path)
      },
    })
    const indexer = await started({ watcher, fileSystem: slow })
    for (const name of ['a', 'b', 'c']) {
      desk.write(`sessions/${name}.jsonl`, linesOf({ say: `needle ${name}` }))
    }
    await bounded(indexer)
    expect(found(index(), 'needle')).toHaveLength(1)
    expect(indexer.status().filesDue).toBe(2)
    await bounded(indexer)
    await bounded(indexer)
    expect(found(index(), 'needle')).toHaveLength(3)
  })
})

describe('an indexer whose watcher does not tell everything', () => {
  it('looks at everything where a disk does not tell, and says why', async () => {
    const watcher = createFakeWatcher({ isExact: (folder) => !folder.endsWith('net') })
    desk.write('sessions/net/a.jsonl', linesOf({ say: 'first' }))
    const indexer = await started({ watcher })
    expect(indexer.status().watching).toEqual({
      mode: 'polling',
      reason: `${join(desk.root, 'net')} is on a disk that does not tell of every change`,
    })
    desk.write('sessions/net/b.jsonl', linesOf({ say: 'untold' }))
    await bounded(indexer)
    expect(found(index(), 'untold')).toEqual(['b: untold'])
  })

  it.each([
    ['ENOSPC', 'the system has no more watches to give (ENOSPC)'],
    ['EACCES', 'may not be read'],
  ])('goes on by looking where a folder cannot be watched for %s', async (code, why) => {
    const watcher = createFakeWatcher({ refuse: (folder) => nodeError(code, folder) })
    desk.write('sessions/a.jsonl', linesOf({ say: 'first' }))
    const indexer = await started({ watcher })
    expect(indexer.status().watching).toMatchObject({ mode: 'polling', reason: expect.stringContaining(why) })
    desk.write('sessions/b.jsonl', linesOf({ say: 'untold' }))
    await bounded(indexer)
    expect(found(index(), 'untold')).toEqual(['b: untold'])
    expect(indexer.status()).toMatchObject({ phase: 'current', degradedRoots: [] })
  })

  it('watches the folders with the newest files where there are more than it may watch', async () => {
    const watcher = createFakeWatcher()
    for (let at = 0; at < 12; at++)
      desk.write(`sessions/p${at}/a${at}.jsonl`, linesOf({ say: 'words' }), 1000 + ((at * 5) % 12))
    const indexer = await started({ watcher, maxWatches: 4 })
    // Written at 1011, 1010 and 1009.
    expect(watcher.folders).toEqual(
      [desk.root, ...['p2', 'p7', 'p9'].map((name) => join(desk.root, name))].sort(),
    )
    expect(indexer.status().watching).toEqual({
      mode: 'polling',
      reason: 'more than 4 folders would have to be watched',
    })
    appendFileSync(join(desk.root, 'p2/a2.jsonl'), linesOf({ say: 'told' }))
    watcher.tell(join(desk.root, 'p2'), 'content', 'a2.jsonl')
    appendFileSync(join(desk.root, 'p1/a1.jsonl'), linesOf({ say: 'untold' }))
    await bounded(indexer)
    expect(found(index(), 'told OR untold')).toHaveLength(2)
  })

  it('goes on by looking when a watch is lost', async () => {
    const watcher = createFakeWatcher()
    desk.write('sessions/a.jsonl', linesOf({ say: 'first' }))
    const indexer = await started({ watcher })
    watcher.lose(desk.root, nodeError('EIO', desk.root))
    desk.write('sessions/b.jsonl', linesOf({ say: 'untold' }))
    await bounded(indexer)
    expect(found(index(), 'untold')).toEqual(['b: untold'])
  })

  it('looks at everything below a root with a link in it: what it leads to changes elsewhere', async () => {
    const watcher = createFakeWatcher()
    desk.write('elsewhere/a.jsonl', linesOf({ say: 'first' }))
    mkdirSync(desk.root)
    symlinkSync(join(desk.home, 'elsewhere/a.jsonl'), join(desk.root, 'linked.jsonl'))
    const indexer = await started({ watcher })
    expect(indexer.status().watching?.mode).toBe('polling')
    appendFileSync(join(desk.home, 'elsewhere/a.jsonl'), linesOf({ say: 'untold' }))
    await bounded(indexer)
    expect(found(index(), 'untold')).toHaveLength(1)
  })

  it('takes one watch a root where a watch hears of the whole tree', async () => {
    const watcher = createFakeWatcher({ reach: 'tree', isExact: () => false })
    desk.write('sessions/p/q/a.jsonl', linesOf({ say: 'first' }))
    await started({ watcher })
    expect(watcher.folders).toEqual([desk.root])
    appendFileSync(join(desk.root, 'p/q/a.jsonl'), linesOf({ say: 'second' }))
    watcher.tell(desk.root, 'content', join('p', 'q', 'a.jsonl'))
    await desk.clock.pass(500)
    await until(() => found(index(), 'second').length === 1)
  })
})

describe('an indexer that is told of what lies beside a transcript', () => {
  it('reads a database when its log is written, and a document when its companion is', async () => {
    const watcher = createFakeWatcher()
    mkdirSync(join(desk.home, 'shelf'))
    const shelf = loadSqlDriver().open(join(desk.home, 'shelf', 'store.db'), { readOnly: false })
    opened.push(shelf)
    shelf.exec(`PRAGMA journal_mode = WAL; ${shelfTables}`)
    say(shelf, 'first', 1000, 'needle one')
    desk.write('papers/a.json', JSON.stringify({ id: 'paper', says: ['needle two'] }))
    const indexer = await started({ watcher, readers: [databaseReader, documentReader] })
    say(shelf, 'first', 2000, 'needle three')
    watcher.tell(join(desk.home, 'shelf'), 'content', 'store.db-wal')
    await bounded(indexer)
    expect(found(index(), 'needle')).toHaveLength(3)
    desk.write('papers/a.title', 'another title')
    watcher.tell(join(desk.home, 'papers'), 'entry', 'a.title')
    await bounded(indexer)
    expect(index().prepare("SELECT title FROM sessions WHERE session_id = 'paper'").get()?.title).toBe(
      'another title',
    )
  })
})

describe.skipIf(process.platform !== 'linux')('an indexer with the watcher of this system', () => {
  it('finds every append, new file, new folder and moved folder at once, and walks nothing for it', async () => {
    desk.write('sessions/p/a.jsonl', linesOf({ say: 'first' }))
    for (let at = 0; at < 20; at++) desk.write(`sessions/q/${at}.jsonl`, linesOf({ say: 'other' }))
    const indexer = await started({ watcher: nodeFileWatcher('linux'), readers: [fakeReader()] })
    expect(indexer.status().watching).toEqual({ mode: 'events' })
    for (let round = 0; round < 5; round++) {
      const word = `round${round}`
      asked = []
      appendFileSync(join(desk.root, 'p/a.jsonl'), linesOf({ say: `${word} appended` }))
      desk.write(`sessions/p/new${round}.jsonl`, linesOf({ say: `${word} created` }))
      desk.write(`sessions/deep${round}/er/x${round}.jsonl`, linesOf({ say: `${word} below` }))
      await bounded(indexer)
      expect(found(index(), word)).toHaveLength(3)
      expect(asked.filter((path) => path.startsWith('sessions/q'))).toEqual([])
    }
    renameSync(join(desk.root, 'deep0'), join(desk.root, 'moved'))
    await bounded(indexer)
    appendFileSync(join(desk.root, 'moved/er/x0.jsonl'), linesOf({ say: 'behind the move' }))
    await bounded(indexer)
    expect(found(index(), 'behind')).toHaveLength(1)
  })

  it.each([
    ['the root', 'sessions'],
    ['a folder in it', 'sessions/p'],
  ])('hears of what is written below another folder that was put in the place of %s', async (_, moved) => {
    desk.write('sessions/p/a.jsonl', linesOf({ say: 'first' }))
    const indexer = await started({ watcher: nodeFileWatcher('linux') })
    renameSync(join(desk.home, moved), join(desk.home, 'aside'))
    desk.write('sessions/p/b.jsonl', linesOf({ say: 'second' }))
    await bounded(indexer)
    expect(found(index(), 'second')).toHaveLength(1)
    for (const word of ['third', 'fourth']) {
      appendFileSync(join(desk.root, 'p/b.jsonl'), linesOf({ say: word }))
      desk.write(`sessions/p/${word}.jsonl`, linesOf({ say: word }))
      asked = []
      await bounded(indexer)
      expect(found(index(), word)).toHaveLength(2)
      expect(asked).not.toContain('sessions/p')
    }
  })

  it('hears of everything once what could not be looked at is mended, whatever was moved meanwhile', async () => {
    let isBroken = false
    const disk = diskWith({
      async list(folder) {
        if (isBroken && folder.endsWith('bad')) throw nodeError('EACCES', folder)
        return await nodeFileSystem.list(folder)
      },
    })
    desk.write('sessions/bad/a.jsonl', linesOf({ say: 'first' }))
    desk.write('sessions/p/b.jsonl', linesOf({ say: 'first' }))
    const indexer = await started({ watcher: nodeFileWatcher('linux'), fileSystem: disk })
    isBroken = true
    desk.write('sessions/bad/deep/c.jsonl', linesOf({ say: 'hidden' }))
    await indexer.reconcile({ full: true })
    expect(indexer.status().phase).toBe('degraded')
    renameSync(join(desk.root, 'p'), join(desk.home, 'aside'))
    desk.write('sessions/p/d.jsonl', linesOf({ say: 'second' }))
    await bounded(indexer)
    isBroken = false
    await bounded(indexer)
    expect(found(index(), 'hidden OR second')).toHaveLength(2)
    appendFileSync(join(desk.root, 'p/d.jsonl'), linesOf({ say: 'third' }))
    appendFileSync(join(desk.root, 'bad/deep/c.jsonl'), linesOf({ say: 'third' }))
    await bounded(indexer)
    expect(found(index(), 'third')).toHaveLength(2)
  })
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}
