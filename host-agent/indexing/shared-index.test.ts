import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { nodeFileSystem } from './file-system.ts'
import type { Indexer } from './indexer.ts'
import type { ProcessTable } from './process-table.ts'
import { WriterLease } from './writer-lease.ts'

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

function indexer(options?: DeskOptions): Indexer {
  const made = desk.indexer(options)
  opened.push(made)
  return made
}

function index(): SqlDatabase {
  const db = desk.openIndex()
  opened.push(db)
  return db
}

/** An agent of another process, as far as the lease goes. */
function otherAgent(): WriterLease {
  index()
  const lease = new WriterLease(loadSqlDriver(), desk.indexPath, desk.clock)
  opened.push(lease)
  return lease
}

const forever = new AbortController().signal
const nobody = { refused: () => undefined }

/** Moves time on until the promise settles. */
async function passing<T>(promise: Promise<T>): Promise<T> {
  let isDone = false
  const done = promise.finally(() => {
    isDone = true
  })
  done.catch(() => undefined)
  while (!isDone) await desk.clock.pass(5)
  return await done
}

describe('an indexer beside another agent at the same index', () => {
  it('waits while the other one writes, says so, shows how far that one is, and has its turn then', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    const other = otherAgent()
    await other.take(false, forever, nobody)
    const waiting = indexer()
    await waiting.start()
    const swept = waiting.reconcile({ full: true })
    await desk.clock.pass(200)
    expect(waiting.status()).toMatchObject({ writer: 'this-agent' })
    await desk.clock.pass(100)
    expect(waiting.status()).toMatchObject({ phase: 'indexing', writer: 'another-agent', filesIndexed: 0 })
    const by = index()
    by.exec(`INSERT INTO files (path, agent, root, kind, state, device, inode, size_bytes, mtime_ms, beside, byte_offset,
      tail_hash, message_count, bad_lines, unknown_records, fail_count)
      VALUES ('/x', 'other', '/', 'none', 'current', 1, 1, 1, 1, '', 0, '', 0, 0, 0, 0)`)
    await desk.clock.pass(1_100)
    expect(waiting.status()).toMatchObject({ writer: 'another-agent', filesIndexed: 1 })
    expect(found(by, 'words')).toEqual([])
    other.release()
    await passing(swept)
    expect(found(by, 'words')).toEqual(['a: words'])
    expect(waiting.status()).toMatchObject({ writer: 'this-agent', phase: 'current' })
  })

  it('lets an urgent pass of the other one in between two files of its sweep', async () => {
    for (const name of ['a', 'b', 'c', 'd'])
      desk.write(`sessions/${name}.jsonl`, linesOf({ say: `needle ${name}` }))
    const other = otherAgent()
    const seen: number[] = []
    let asking: Promise<void> | null = null
    const disk = diskWith({
      open(path) {
        desk.clock.advance(30)
        asking ??= other.take(true, forever, nobody).then(() => {
          seen.push(found(index(), 'needle').length)
          other.release()
        })
        return nodeFileSystem.open(path)
      },
    })
    const sweeping = indexer({ fileSystem: disk })
    await sweeping.start()
    await passing(sweeping.reconcile({ full: true }))
    await passing(asking ?? Promise.reject(new Error('nobody asked')))
    expect(seen[0]).toBeGreaterThan(0)
    expect(seen[0]).toBeLessThan(4)
    expect(found(index(), 'needle')).toHaveLength(4)
  })

  it('answers an urgent question though its own sweep waits for the other one’s', async () => {
    const other = otherAgent()
    await other.take(false, forever, nobody)
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    const waiting = indexer()
    await waiting.start()
    await desk.clock.pass(50)
    expect(other.isWanted()).toBe(false)
    const asked = waiting.reconcile({ full: false })
    await desk.clock.pass(100)
    expect(other.isWanted()).toBe(true)
    const letIn = other.letIn(forever)
    await passing(asked)
    expect(found(index(), 'words')).toEqual(['a: words'])
    await passing(letIn)
    other.release()
  })

  it('two indexers at one index find the same, and neither reads what the other one has read', async () => {
    const path = desk.write('sessions/a.jsonl', linesOf({ say: 'one' }))
    let opens = 0
    const counting = diskWith({
      open: (asked) => {
        opens++
        return nodeFileSystem.open(asked)
      },
    })
    const [first, second] = [indexer({ fileSystem: counting }), indexer({ fileSystem: counting })]
    await first.start()
    await second.start()
    await passing(Promise.all([first.reconcile({ full: true }), second.reconcile({ full: true })]))
    expect(opens).toBe(1)
    appendFileSync(path, linesOf({ say: 'two' }))
    await passing(Promise.all([first.reconcile({ full: false }), second.reconcile({ full: false })]))
    expect(opens).toBe(2)
    expect(found(index(), 'one OR two')).toEqual(['a: one', 'a: two'])
  })
})

describe('agents with other wishes at one index', () => {
  const processes = (pid: number, alive: ReadonlySet<number>): ProcessTable => ({
    pid,
    isAlive: (asked) => alive.has(asked),
  })

  async function started(options: DeskOptions): Promise<Indexer> {
    const made = indexer(options)
    await made.start()
    await made.reconcile({ full: true })
    return made
  }

  it('take out nothing that another one reads, until that one has ended', async () => {
    desk.write('sessions/a.jsonl', linesOf({ say: 'words' }))
    desk.write('elsewhere/b.jsonl', linesOf({ say: 'other words' }))
    const alive = new Set([1, 2])
    await started({ processes: processes(1, alive) })
    const moved = await started({
      processes: processes(2, alive),
      sources: { fake: [{ path: join(desk.home, 'elsewhere') }] },
    })
    expect(found(index(), 'words')).toEqual(['a: words', 'b: other words'])
    await moved.reconcile({ full: true })
    expect(found(index(), 'words')).toHaveLength(2)
    // As kill -9 leaves it: its name is still in the index.
    alive.delete(1)
    await moved.reconcile({ full: true })
    expect(found(index(), 'words')).toEqual(['b: other words'])
  })

  it('keep as long as the one that keeps longest', async () => {
    const dayMs = 86_400_000
    desk.clock.advance(1000 * dayMs)
    const old = desk.clock.now() - 50 * dayMs
    desk.write('sessions/a.jsonl', linesOf({ say: 'words', atMs: old }), old / 1000)
    const alive = new Set([1, 2])
    const keeper = await started({ processes: processes(1, alive), historyDays: 90 })
    const strict = await started({ processes: processes(2, alive), historyDays: 30 })
    expect(found(index(), 'words')).toHaveLength(1)
    await keeper[Symbol.asyncDispose]()
    await strict.reconcile({ full: true })
    expect(found(index(), 'words')).toEqual([])
  })
})

describe('WriterLease', () => {
  it('is had by one at a time, and given back when its file is closed', async () => {
    const [one, two] = [otherAgent(), otherAgent()]
    await one.take(false, forever, nobody)
    const second = two.take(false, forever, nobody)
    await desk.clock.pass(100)
    expect(two.isHeld).toBe(false)
    one[Symbol.dispose]()
    await passing(second)
    expect(two.isHeld).toBe(true)
  })

  it('stops waiting when it is told to', async () => {
    const [one, two] = [otherAgent(), otherAgent()]
    await one.take(false, forever, nobody)
    const leaving = new AbortController()
    const second = two.take(true, leaving.signal, nobody)
    leaving.abort(new Error('closed'))
    await expect(passing(second)).rejects.toThrow('closed')
    expect(one.isWanted()).toBe(false)
  })

  it('is given to everybody where the folder takes no file', async () => {
    const nowhere = (): WriterLease => {
      const lease = new WriterLease(loadSqlDriver(), join(desk.home, 'no', 'such', 'folder'), desk.clock)
      opened.push(lease)
      return lease
    }
    const [one, two] = [nowhere(), nowhere()]
    await one.take(false, forever, nobody)
    await two.take(true, forever, nobody)
    expect([one.isHeld, two.isHeld, one.isWanted()]).toEqual([true, true, false])
    rmSync(join(desk.home, 'no'), { recursive: true, force: true })
  })
})
