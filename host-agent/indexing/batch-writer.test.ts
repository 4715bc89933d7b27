import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  accessTo,
  anyStamp,
  createIndexingDesk,
  type FakeLine,
  fakeReader,
  found,
  type IndexingDesk,
  linesOf,
} from '../../test/helpers/indexing-desk.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import type { FileBatch } from '../index/file-batch.ts'
import { BatchWriter } from './batch-writer.ts'
import { readTranscript } from './read-transcript.ts'

let desk: IndexingDesk
let db: SqlDatabase
let commits: number
let refused: string[]
let outcomes: string[]
let writer: BatchWriter

beforeEach(() => {
  desk = createIndexingDesk()
  db = desk.openIndex()
  commits = 0
  refused = []
  outcomes = []
  writer = new BatchWriter({
    db,
    platform: 'linux',
    clock: desk.clock,
    written: (_, { outcome }) => outcomes.push(outcome),
    refused: (batch) => refused.push(batch.path.slice(desk.root.length + 1)),
    committed: () => commits++,
  })
})
afterEach(() => {
  db.close()
  desk[Symbol.dispose]()
})

function batchesOf(name: string, lines: readonly FakeLine[], batchBytes = 1e9): FileBatch[] {
  const path = desk.write(`sessions/${name}`, linesOf(...lines))
  const file = { root: { path: desk.root }, path, relativePath: name }
  const request = { file, found: anyStamp, expected: null, resume: null }
  return Array.from(readTranscript(accessTo(), fakeReader(), request, { batchBytes, sliceBytes: 1024 }))
}

function add(...batches: readonly FileBatch[]): void {
  for (const batch of batches) writer.add(batch)
}

describe('BatchWriter', () => {
  it('writes small files together', () => {
    for (const name of ['a.jsonl', 'b.jsonl', 'c.jsonl']) add(...batchesOf(name, [{ say: 'needle' }]))
    expect(found(db, 'needle')).toEqual([])
    writer.flush()
    expect(found(db, 'needle')).toHaveLength(3)
    expect(commits).toBe(1)
    writer.flush()
    expect(commits).toBe(1)
  })

  it('writes by itself when it holds much, and when what it holds is old', () => {
    add(...batchesOf('big.jsonl', [{ say: 'needle '.repeat(1_300_000) }]))
    expect(commits).toBe(1)
    add(...batchesOf('a.jsonl', [{ say: 'early' }]))
    desk.clock.advance(1500)
    add(...batchesOf('b.jsonl', [{ say: 'later' }]))
    expect(found(db, 'early OR later')).toHaveLength(2)
  })

  it('writes while there is nothing to do but wait, if it is worth a transaction', () => {
    add(...batchesOf('a.jsonl', [{ say: 'needle' }]))
    writer.flushIfWorthwhile()
    expect(commits).toBe(0)
    add(...batchesOf('b.jsonl', [{ say: 'filler '.repeat(200_000) }]))
    writer.flushIfWorthwhile()
    expect(commits).toBe(1)
  })

  it('fences each stretch of a large file by what the one before it left', () => {
    const batches = batchesOf('a.jsonl', [{ say: 'one' }, { say: 'two' }, { say: 'three' }], 3)
    expect(batches.length).toBeGreaterThan(2)
    add(...batches)
    writer.flush()
    expect(outcomes.every((outcome) => outcome === 'written')).toBe(true)
    expect(found(db, 'one OR two OR three')).toHaveLength(3)
  })

  it('drops the rest of a file whose first stretch came too late', () => {
    const lines = [{ say: 'one' }, { say: 'two' }, { say: 'three' }]
    add(...batchesOf('a.jsonl', lines))
    writer.flush()
    const [first, ...rest] = batchesOf('a.jsonl', lines, 3)
    if (first === undefined) throw new Error('no batch')
    add(first)
    expect(outcomes).toEqual(['written', 'fenced'])
    expect(rest.map((batch) => writer.add(batch))).toEqual(rest.map(() => false))
    expect(found(db, 'one OR two OR three')).toHaveLength(3)
    writer.forget(first.path)
    expect(writer.add({ ...first, complete: true })).toBe(true)
  })

  it('refuses the one file that the index will not take, and writes the others', () => {
    add(...batchesOf('a.jsonl', [{ say: 'needle a' }]))
    add(...batchesOf('bad.jsonl', [{ say: 'needle bad', noTitle: true }]))
    add(...batchesOf('c.jsonl', [{ say: 'needle c' }]))
    writer.flush()
    expect(refused).toEqual(['bad.jsonl'])
    expect(found(db, 'needle')).toEqual(['a: needle a', 'c: needle c'])
  })

  it('throws what is the disk’s fault, and has written nothing of it', () => {
    db.exec(`PRAGMA max_page_count = ${Number(db.prepare('PRAGMA page_count').get()?.page_count)}`)
    add(...batchesOf('a.jsonl', [{ say: 'needle '.repeat(50_000) }]))
    expect(() => writer.flush()).toThrow(/full/)
    expect(refused).toEqual([])
    expect(found(db, 'needle')).toEqual([])
  })
})
