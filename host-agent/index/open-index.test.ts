import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SqlDriver } from './driver/driver.ts'
import { loadSqlDriver } from './driver/load-driver.ts'
import { condemnIndex, IndexError, openIndex, openIndexForReading } from './open-index.ts'
import { readFence } from './read.ts'

const driver = loadSqlDriver()
let dir: string
let path: string
let ids: number

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'trawl-open-'))
  path = join(dir, 'data', 'index.sqlite')
  ids = 0
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const open = (withDriver: SqlDriver = driver) =>
  openIndex({ driver: withDriver, path, randomId: () => `id-${++ids}` })

function make(change: string): void {
  using db = open().db
  db.exec(change)
}

function errorOf(work: () => unknown): IndexError {
  try {
    work()
  } catch (error) {
    if (error instanceof IndexError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('openIndex', () => {
  it('makes an index in a folder that only its owner may enter, with a random id and the generation at 0', () => {
    const { db, rebuilt } = open()
    expect(rebuilt).toBeNull()
    expect(readFence(db)).toEqual({ indexId: 'id-1', generation: 0, removals: 0 })
    expect(db.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' })
    db.close()
    expect(statSync(join(dir, 'data')).mode & 0o777).toBe(0o700)
  })

  it('opens what it made, as it is', () => {
    make("UPDATE meta SET value = 41 WHERE key = 'generation'")
    using db = open().db
    expect(readFence(db)).toEqual({ indexId: 'id-1', generation: 41, removals: 0 })
  })

  it('moves a file that is no database aside and begins anew, once', () => {
    make('SELECT 1')
    writeFileSync(path, 'this is somebody’s shopping list, and it is not a database at all')
    const { db, rebuilt } = open()
    expect(rebuilt).not.toBeNull()
    expect(readFence(db).indexId).toBe('id-2')
    db.close()
    expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('shopping list')
    using again = open().db
    expect(readFence(again).indexId).toBe('id-2')
  })

  it('begins anew when the first page is damaged, without the old write-ahead log', () => {
    make('CREATE TABLE more (x)')
    const bytes = readFileSync(path)
    bytes.fill(0xff, 100, 4096)
    writeFileSync(path, bytes)
    writeFileSync(`${path}-wal`, 'left over')
    using db = open().db
    expect(readFence(db)).toEqual({ indexId: 'id-2', generation: 0, removals: 0 })
  })

  it('does not take another program’s database for an index, and does not throw it away', () => {
    make('DROP TABLE meta; CREATE TABLE contacts (name)')
    using db = open().db
    expect(readFence(db).indexId).toBe('id-2')
    using theirs = driver.open(`${path}.damaged`, { readOnly: true })
    expect(theirs.prepare("SELECT name FROM sqlite_master WHERE name = 'contacts'").all()).toHaveLength(1)
  })

  it('does not fall over a table named meta that is another program’s', () => {
    make('DROP TABLE meta; CREATE TABLE meta (name)')
    expect(open().rebuilt).not.toBeNull()
  })

  it('builds an older index again', () => {
    make("UPDATE meta SET value = 0 WHERE key = 'schema_version'")
    const { db, rebuilt } = open()
    db.close()
    expect(rebuilt).toContain('older')
    expect(readdirSync(join(dir, 'data'))).toEqual(['index.sqlite'])
  })

  it('leaves a newer version’s index alone and says what to do', () => {
    make("UPDATE meta SET value = 99 WHERE key = 'schema_version'")
    const before = readFileSync(path)
    const error = errorOf(open)
    expect(error.reason).toBe('newer')
    expect(error.message).toContain(`open a newer trawl, or remove ${path}`)
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(errorOf(() => openIndexForReading({ driver, path })).reason).toBe('newer')
  })

  it('says at once that a file may not be written', () => {
    make('SELECT 1')
    // What SQLite does with a file it may only read: it opens it, for reading.
    const readOnly: SqlDriver = { name: driver.name, open: (file) => driver.open(file, { readOnly: true }) }
    const error = errorOf(() => open(readOnly))
    expect(error.reason).toBe('read-only')
    expect(error.message).toContain(path)
  })

  it('makes a dropped trigger again and lets no cursor from before go on', () => {
    make('DROP TRIGGER files_updated')
    using db = open().db
    expect(readFence(db)).toEqual({ indexId: 'id-1', generation: 1, removals: 1 })
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()
    expect(names.map((row) => row.name).sort()).toEqual([
      'files_deleted',
      'files_inserted',
      'files_rewritten',
      'files_updated',
      'sessions_renamed',
      'titles_deleted',
    ])
  })

  it('begins anew after the index was condemned while in use', () => {
    make('SELECT 1')
    condemnIndex(path)
    const { db, rebuilt } = open()
    expect(rebuilt).not.toBeNull()
    expect(readFence(db).indexId).toBe('id-2')
    db.close()
    using again = open().db
    expect(readFence(again).indexId).toBe('id-2')
  })
})

describe('openIndexForReading', () => {
  it('says that there is nothing yet', () => {
    expect(errorOf(() => openIndexForReading({ driver, path })).reason).toBe('absent')
    expect(existsSync(path)).toBe(false)
  })

  it('reads beside a writer and sees what it commits', () => {
    using writer = open().db
    using reader = openIndexForReading({ driver, path })
    writer.exec("UPDATE meta SET value = 7 WHERE key = 'generation'")
    expect(readFence(reader).generation).toBe(7)
    expect(() => reader.exec('DELETE FROM meta')).toThrow()
  })
})
