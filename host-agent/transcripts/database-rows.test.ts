import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sourceOf } from '../../test/helpers/read-files.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { mixed, requireColumns, rootOf, rowsInOrder, selected } from './database-rows.ts'

const memory = (sql: string) => {
  const db = loadSqlDriver().open(':memory:', { readOnly: false })
  db.exec(sql)
  return db
}

describe('selected', () => {
  it('gives every column asked for: missing ones as null, blobs as text, huge integers as numbers', () => {
    using db = memory(
      "CREATE TABLE t (id INTEGER, big INTEGER, blob BLOB, word TEXT, void TEXT); INSERT INTO t VALUES (1, 9223372036854775807, x'7761726d', 'w', NULL)",
    )
    const source = sourceOf(db)
    const columns = selected(source, 't', ['id', 'big', 'blob', 'word', 'void', 'missing'])
    expect(source.rows(`SELECT ${columns} FROM t`)).toEqual([
      { id: 1, big: 2 ** 63, blob: 'warm', word: 'w', void: null, missing: null },
    ])
  })
})

describe('requireColumns', () => {
  it('names what is missing', () => {
    using db = memory('CREATE TABLE t (id INTEGER, name TEXT)')
    expect(() => requireColumns(sourceOf(db), 't', ['id', 'name'])).not.toThrow()
    expect(() => requireColumns(sourceOf(db), 't', ['id', 'at', 'by'])).toThrow('(no t.at, t.by)')
  })
})

describe('rowsInOrder', () => {
  it('gives rows in the order of the ids, a bounded number at a time, without those that are gone', () => {
    using db = memory('CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER)')
    const ids = Array.from({ length: 200 }, (_, n) => `row ${(n * 77) % 200}`)
    for (const id of ids) db.prepare('INSERT INTO t VALUES (?, 1)').run(id)
    const sizes: number[] = []
    const source = sourceOf(db, (_, rows) => sizes.push(rows.length))
    const got = [...rowsInOrder(source, 't', 'n', ['gone', ...ids])].map(({ id }) => id)
    expect(got).toEqual(ids)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64)
  })
})

describe('rootOf', () => {
  it('ends at a session without a parent, whatever the links', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(9)), { minLength: 10, maxLength: 10 }), (links) => {
        const parentOf = (id: string) =>
          (links[Number(id)] ?? null) === null ? null : String(links[Number(id)])
        const root = rootOf('0', parentOf)
        const above = new Set(['0'])
        for (let at = parentOf('0'); at !== null && !above.has(at); at = parentOf(at)) above.add(at)
        expect(above).toContain(root)
        // Nothing above it, or nothing but what was passed already.
        const next = parentOf(root)
        expect(next === null || above.has(next)).toBe(true)
      }),
    )
  })
})

describe('mixed', () => {
  it('moves with each of its numbers, and stays a safe integer', () => {
    expect(new Set([mixed(1, 2), mixed(2, 1), mixed(1, 3), mixed(0, 2)]).size).toBe(4)
    expect(Number.isSafeInteger(mixed(2 ** 46, 2 ** 46, 2 ** 46))).toBe(true)
  })
})
