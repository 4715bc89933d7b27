import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { betterSqlite3Driver } from './better-sqlite3.ts'
import type { SqlDriver } from './driver.ts'
import { loadSqlDriver } from './load-driver.ts'
import { nodeSqliteDriver } from './node-sqlite.ts'
import { sqlFailure } from './sql-failure.ts'

function betterSqlite3(): SqlDriver | null {
  try {
    return betterSqlite3Driver()
  } catch {
    return null
  }
}

/** Every driver this machine can load; there is at least one, or nothing here would run. */
const drivers = [nodeSqliteDriver(process), betterSqlite3()].filter((driver) => driver !== null)

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'trawl-driver-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

describe.each(drivers.map((driver) => [driver.name, driver] as const))('%s', (name, driver) => {
  const fresh = () =>
    driver.open(join(dir, `${name.replace(':', '-')}-${Math.random()}.sqlite`), { readOnly: false })

  it('gives back every kind of value, large row ids and bytes cast to text included', () => {
    using db = fresh()
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c, d TEXT)')
    const id = 4097 * 2 ** 20 + 7
    const { lastInsertRowid } = db
      .prepare('INSERT INTO t VALUES (?, ?, ?, ?, CAST(? AS TEXT))')
      .run(id, 'text', 1.5, null, Buffer.from('ж x'))
    expect(lastInsertRowid).toBe(id)
    expect({ ...db.prepare('SELECT * FROM t').get() }).toEqual({ id, a: 'text', b: 1.5, c: null, d: 'ж x' })
    expect(db.prepare('SELECT * FROM t WHERE id = ?').get(1)).toBeUndefined()
    expect(Array.from(db.prepare('SELECT id FROM t').iterate(), (row) => row.id)).toEqual([id])
    expect(db.prepare('DELETE FROM t').run().changes).toBe(1)
  })

  it('takes a row id beyond 32 bits into FTS5 and finds it', () => {
    using db = fresh()
    db.exec("CREATE VIRTUAL TABLE f USING fts5 (x, content = '', contentless_delete = 1)")
    const id = 9000 * 2 ** 20
    db.prepare('INSERT INTO f (rowid, x) VALUES (?, ?)').run(id, 'needle')
    expect(db.prepare('SELECT rowid AS id FROM f WHERE f MATCH ?').get('needle')?.id).toBe(id)
    db.prepare('DELETE FROM f WHERE rowid = ?').run(id)
    expect(db.prepare('SELECT rowid AS id FROM f WHERE f MATCH ?').all('needle')).toEqual([])
  })

  it('caches a statement by its text', () => {
    using db = fresh()
    expect(db.prepare('SELECT 1 AS one')).toBe(db.prepare('SELECT 1 AS one'))
  })

  it('runs a pragma that answers', () => {
    using db = fresh()
    expect(() => db.prepare('PRAGMA wal_checkpoint').run()).not.toThrow()
  })

  it('commits a transaction as a whole, or nothing of it', () => {
    using db = fresh()
    db.exec('CREATE TABLE t (x)')
    expect(db.transaction(() => db.prepare('INSERT INTO t VALUES (1)').run().changes)).toBe(1)
    const failed = () =>
      db.transaction(() => {
        db.prepare('INSERT INTO t VALUES (2)').run()
        throw new Error('no')
      })
    expect(failed).toThrow('no')
    expect(
      db
        .prepare('SELECT x FROM t')
        .all()
        .map((row) => row.x),
    ).toEqual([1])
  })

  it('shows one state of the database for the length of a snapshot', () => {
    const path = join(dir, `${name.replace(':', '-')}-snapshot.sqlite`)
    using writer = driver.open(path, { readOnly: false })
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)')
    using reader = driver.open(path, { readOnly: true })
    const count = () => reader.prepare('SELECT count(*) AS n FROM t').get()?.n
    reader.snapshot(() => {
      expect(count()).toBe(0)
      writer.prepare('INSERT INTO t VALUES (1)').run()
      expect(count()).toBe(0)
    })
    expect(count()).toBe(1)
  })

  it('names what went wrong inside SQLite', () => {
    const path = join(dir, `${name.replace(':', '-')}-failures.sqlite`)
    using writer = driver.open(path, { readOnly: false })
    writer.exec('CREATE TABLE t (x); PRAGMA max_page_count = 4')
    const full = () => writer.prepare('INSERT INTO t VALUES (zeroblob(100000))').run()
    expect(sqlFailure(thrownBy(full))).toBe('full')

    using reader = driver.open(path, { readOnly: true })
    expect(sqlFailure(thrownBy(() => reader.exec('INSERT INTO t VALUES (1)')))).toBe('read-only')

    const garbage = join(dir, 'garbage.sqlite')
    writeFileSync(garbage, 'no database at all, but long enough to be looked at as one')
    const open = () => {
      using db = driver.open(garbage, { readOnly: false })
      db.prepare('SELECT * FROM sqlite_master').all()
    }
    expect(sqlFailure(thrownBy(open))).toBe('not-a-database')
    expect(sqlFailure(thrownBy(() => driver.open(join(dir, 'no', 'folder'), { readOnly: true })))).not.toBe(
      'corrupt',
    )
    expect(sqlFailure(thrownBy(() => writer.exec('nonsense')))).toBeNull()
    expect(sqlFailure(new Error('SQLITE_FULL in its text alone'))).toBeNull()
  })

  it('waits for another writer and says busy in the end', () => {
    const path = join(dir, `${name.replace(':', '-')}-busy.sqlite`)
    using one = driver.open(path, { readOnly: false })
    one.exec('CREATE TABLE t (x)')
    using other = driver.open(path, { readOnly: false })
    other.exec('PRAGMA busy_timeout = 1')
    one.transaction(() => {
      expect(sqlFailure(thrownBy(() => other.transaction(() => undefined)))).toBe('busy')
    })
  })

  it('closes twice without complaint', () => {
    const db = fresh()
    db.close()
    expect(() => db.close()).not.toThrow()
  })
})

describe('loadSqlDriver', () => {
  const oldNode = { version: 'v20.19.0', getBuiltinModule: () => undefined, emitWarning: process.emitWarning }

  it('falls back to the installed package where Node has no SQLite', () => {
    const requirePackage = () => FakeDatabase
    expect(loadSqlDriver({ host: oldNode, requirePackage }).name).toBe('better-sqlite3')
  })

  it('says what to do where there is neither', () => {
    const requirePackage = createRequire(join(dir, 'nothing-installed-here.js'))
    expect(() => loadSqlDriver({ host: oldNode, requirePackage })).toThrow(
      /No SQLite for Node v20\.19\.0.*Node 22\.13.*npm rebuild better-sqlite3/s,
    )
  })

  it('prefers what Node has built in, and keeps back that one warning alone', () => {
    const heard: unknown[] = []
    const host = {
      version: 'v22.13.0',
      emitWarning: (warning: string | Error) => void heard.push(warning),
      getBuiltinModule: (id: string) => {
        host.emitWarning('SQLite is an experimental feature and might change at any time')
        host.emitWarning('something else')
        return id === 'node:sqlite' ? { DatabaseSync: FakeDatabase } : undefined
      },
    }
    expect(loadSqlDriver({ host }).name).toBe('node:sqlite')
    host.emitWarning('later')
    expect(heard).toEqual(['something else', 'later'])
  })
})

class FakeDatabase {
  close(): void {}
}
