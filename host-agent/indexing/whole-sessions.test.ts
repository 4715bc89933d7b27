import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIndexingDesk, found, type IndexingDesk } from '../../test/helpers/indexing-desk.ts'
import { databaseReader, documentReader, say, shelfTables } from '../../test/helpers/whole-readers.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { allFileRows } from '../index/file-rows.ts'
import { readFence } from '../index/read.ts'
import type { Indexer } from './indexer.ts'

let desk: IndexingDesk
let indexer: Indexer
let index: SqlDatabase
let shelf: SqlDatabase
let shelfPath: string

beforeEach(async () => {
  desk = createIndexingDesk()
  mkdirSync(join(desk.home, 'shelf'))
  shelfPath = join(desk.home, 'shelf', 'store.db')
  shelf = loadSqlDriver().open(shelfPath, { readOnly: false })
  shelf.exec(`PRAGMA journal_mode = WAL; ${shelfTables}`)
  say(shelf, 'first', 1000, 'needle one')
  say(shelf, 'second', 2000, 'needle two')
  desk.write('papers/a.json', paper('needle three'))
  indexer = desk.indexer({ readers: [databaseReader, documentReader] })
  await indexer.start()
  await indexer.reconcile({ full: true })
  index = desk.openIndex()
})
afterEach(async () => {
  index.close()
  await indexer[Symbol.asyncDispose]()
  shelf.close()
  desk[Symbol.dispose]()
})

const paper = (...says: string[]) => JSON.stringify({ id: 'paper', says })
const sweep = async () => await indexer.reconcile({ full: true })
const titles = () =>
  index
    .prepare('SELECT title FROM sessions ORDER BY title')
    .all()
    .map(({ title }) => title)

describe('an indexer over agents whose sessions come whole', () => {
  it('indexes documents, and each session of a database', async () => {
    expect(found(index, 'needle')).toHaveLength(3)
    expect(indexer.status()).toMatchObject({ phase: 'current', filesIndexed: 3, degradedRoots: [] })
    expect(
      allFileRows(index)
        .map(({ path }) => path.slice(desk.home.length + 1))
        .sort(),
    ).toEqual(['papers/a.json', 'shelf/store.db#first', 'shelf/store.db#second'])
  })

  it('appends what was added, so that a walk of newest goes on', async () => {
    const before = readFence(index)
    say(shelf, 'first', 3000, 'needle four')
    desk.write('papers/a.json', paper('needle three', 'needle five'))
    await indexer.reconcile({ full: false })
    expect(found(index, 'needle')).toHaveLength(5)
    expect(readFence(index).removals).toBe(before.removals)
    expect(readFence(index).generation).toBeGreaterThan(before.generation)
  })

  it('replaces what was written over, and refuses a walk for it', async () => {
    const { removals } = readFence(index)
    shelf.exec(
      "UPDATE message SET text = 'thimble' WHERE text = 'needle one'; UPDATE session SET at = 9 WHERE id = 'first'",
    )
    await indexer.reconcile({ full: false })
    expect(found(index, 'needle')).toHaveLength(2)
    expect(found(index, 'thimble')).toHaveLength(1)
    expect(readFence(index).removals).toBeGreaterThan(removals)
  })

  it('takes a session’s new title from beside it without reading the session again', async () => {
    desk.write('papers/a.title', 'A better name')
    await indexer.reconcile({ full: false })
    expect(titles()).toContain('A better name')
    expect(found(index, 'needle')).toHaveLength(3)
  })

  it('drops a session that its database does not list any more, and the others stay', async () => {
    shelf.exec("DELETE FROM session WHERE id = 'first'")
    await sweep()
    expect(titles()).toEqual(['second', 'untitled'])
  })

  it('keeps the sessions of a database that cannot be read, and says so; drops them when it is gone', async () => {
    shelf.close()
    renameSync(shelfPath, `${shelfPath}.away`)
    for (const suffix of ['-wal', '-shm']) rmSync(`${shelfPath}${suffix}`, { force: true })
    writeFileSync(shelfPath, 'a file that is no database'.repeat(100))
    await sweep()
    expect(found(index, 'needle')).toHaveLength(3)
    expect(indexer.status()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ root: join(desk.home, 'shelf'), reason: `${shelfPath} is not a database` }],
    })
    rmSync(shelfPath)
    desk.write('shelf/other', 'so that the folder is not empty')
    await sweep()
    expect(titles()).toEqual(['untitled'])
    expect(indexer.status().degradedRoots).toEqual([])
    shelf = loadSqlDriver().open(':memory:', { readOnly: false })
  })

  it('keeps the sessions of a database that its owner holds, and reads on when it is let go', async () => {
    shelf.exec('PRAGMA journal_mode = DELETE')
    say(shelf, 'first', 3000, 'needle four')
    shelf.exec('BEGIN EXCLUSIVE')
    await sweep()
    expect(found(index, 'needle')).toHaveLength(3)
    expect(indexer.status()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [
        {
          root: join(desk.home, 'shelf'),
          reason: `${shelfPath} is in use; it is looked at again at the next pass`,
        },
      ],
    })
    shelf.exec('COMMIT')
    await indexer.reconcile({ full: false })
    expect(found(index, 'four')).toEqual(['first: needle four'])
    expect(indexer.status()).toMatchObject({ phase: 'current', degradedRoots: [] })
  })

  it('keeps the sessions of a database that is damaged inside, and says so', async () => {
    for (let at = 0; at < 400; at++) say(shelf, `many ${at}`, 3000 + at, 'more words '.repeat(20))
    shelf.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const before = readFileSync(shelfPath)
    const damaged = Buffer.from(before)
    damaged.fill(0xff, 4096)
    writeFileSync(shelfPath, damaged)
    await sweep()
    expect(found(index, 'needle')).toHaveLength(3)
    const { degradedRoots } = indexer.status()
    expect(degradedRoots).toMatchObject([{ root: join(desk.home, 'shelf') }])
    expect(degradedRoots[0]?.reason).toContain(`${shelfPath} is damaged`)
  })

  it('does not ask a database that has not changed for its sessions again', async () => {
    let asked = 0
    const counting = {
      ...databaseReader,
      formatOf: (relativePath: string) => {
        const format = databaseReader.formatOf(relativePath)
        if (format?.kind !== 'database') return format
        return {
          ...format,
          sessions: (db: Parameters<typeof format.sessions>[0]) => {
            asked++
            return format.sessions(db)
          },
        }
      },
    }
    await using other = desk.indexer({ readers: [counting, documentReader] })
    await other.start()
    for (const _ of [1, 2, 3]) await other.reconcile({ full: true })
    expect(asked).toBe(1)
    say(shelf, 'third', 5000, 'needle six')
    await other.reconcile({ full: true })
    expect(asked).toBe(2)
  })

  it('tries a torn document again when it has changed, and keeps what it held meanwhile', async () => {
    desk.write('papers/a.json', paper('needle three').slice(0, -3), 5000)
    await sweep()
    expect(found(index, 'needle')).toHaveLength(3)
    expect(indexer.status().filesFailed).toBe(1)
    desk.write('papers/a.json', paper('needle three', 'needle seven'), 6000)
    await sweep()
    expect(found(index, 'needle')).toHaveLength(4)
    expect(indexer.status().filesFailed).toBe(0)
  })
})
