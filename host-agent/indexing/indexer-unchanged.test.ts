import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  closeAll,
  createIndexingDesk,
  diskWith,
  found,
  type IndexingDesk,
  linesOf,
} from '../../test/helpers/indexing-desk.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
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

describe('a sweep after one that left nothing to do', () => {
  it('notices a file that was rewritten at the same size, taken away, or added', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'before' }), 1000)
    desk.write('sessions/b.jsonl', linesOf({ say: 'stays' }))
    const indexer = await started()
    await indexer.reconcile({ full: true })
    writeFileSync(`${path}.new`, linesOf({ say: 'AFTER1' }))
    renameSync(`${path}.new`, path)
    utimesSync(path, 1000, 1000)
    await indexer.reconcile({ full: true })
    expect(found(index(), 'before OR AFTER1')).toEqual(['a: AFTER1'])
    rmSync(path)
    await indexer.reconcile({ full: true })
    expect(found(index(), 'AFTER1 OR stays')).toEqual(['b: stays'])
    desk.write('sessions/c.jsonl', linesOf({ say: 'added' }))
    await indexer.reconcile({ full: true })
    expect(found(index(), 'added')).toHaveLength(1)
  })

  it('brings back what was taken out for another agent’s configuration, though the disk is the same', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    const sweepTwice = async (options?: Options) => {
      const indexer = await started(options)
      await indexer.reconcile({ full: true })
      await indexer[Symbol.asyncDispose]()
    }
    await sweepTwice()
    await sweepTwice({ sources: { fake: [] } })
    expect(found(index(), 'words')).toEqual([])
    await sweepTwice()
    expect(found(index(), 'words')).toEqual(['a: words'])
    await sweepTwice({ historyDays: 1, clock: { ...desk.clock, now: () => Date.now() + 10 * 86_400_000 } })
    expect(found(index(), 'words')).toEqual([])
    await sweepTwice()
    expect(found(index(), 'words')).toEqual(['a: words'])
  })
})

describe('a pass that finds nothing changed', () => {
  it('opens no file and writes nothing', async () => {
    for (let at = 0; at < 50; at++) desk.write(`sessions/${at % 5}/${at}.jsonl`, linesOf({ say: 'words' }))
    let opens = 0
    const counting = diskWith({
      open: (asked) => {
        opens++
        return nodeFileSystem.open(asked)
      },
    })
    const indexer = await started({ fileSystem: counting })
    expect(opens).toBe(50)
    const { generation } = indexer.status()
    const logBytes = () => statSync(`${desk.indexPath}-wal`).size
    const before = logBytes()
    await indexer.reconcile({ full: true })
    await indexer.reconcile({ full: false })
    expect(opens).toBe(50)
    expect(indexer.status().generation).toBe(generation)
    expect(logBytes()).toBe(before)
  })
})
