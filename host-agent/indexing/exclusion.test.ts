import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  closeAll,
  createIndexingDesk,
  diskWith,
  found,
  type IndexingDesk,
  linesOf,
} from '../../test/helpers/indexing-desk.ts'
import { countFiles } from '../index/file-rows.ts'
import { createExclusion, exclusionOf } from './exclusion.ts'
import { nodeFileSystem } from './file-system.ts'
import type { Indexer } from './indexer.ts'

describe('an exclusion', () => {
  it.each([
    ['/work/secret', '/work/secret', true],
    ['/work/secret', '/work/secret/deep/er', true],
    ['/work/secret/', '/work/secret', true],
    ['/work/secret', '/work/secretive', false],
    ['/work/secret', '/work', false],
    ['/clients/*', '/clients/acme/site', true],
    ['/clients/*', '/clients', false],
    ['/clients/*/site', '/clients/acme/other', false],
    ['/a.b/c', '/axb/c', false],
    ['/Work', '/work', false],
    ['/', '/anything', true],
  ])('of %s covers %s: %s', (pattern, path, covers) => {
    expect(createExclusion([pattern], 'linux').covers(path)).toBe(covers)
  })

  it('goes by the system’s ways with names', () => {
    expect(createExclusion(['/Work'], 'darwin').covers('/work/x')).toBe(true)
    expect(createExclusion(['C:\\Work'], 'win32').covers('c:\\work\\x')).toBe(true)
  })

  it('covers nothing without a path or without patterns, and comes back from its text', () => {
    expect(createExclusion(['/a'], 'linux').covers(null)).toBe(false)
    expect(createExclusion([], 'linux')).toMatchObject({ text: '' })
    expect(exclusionOf('', 'linux').covers('/a')).toBe(false)
    expect(exclusionOf(createExclusion(['/a'], 'linux').text, 'linux').covers('/a/b')).toBe(true)
  })
})

describe('an indexer with excluded places', () => {
  let desk: IndexingDesk
  let opened: (Disposable | AsyncDisposable)[]
  let read: string[]
  beforeEach(() => {
    desk = createIndexingDesk()
    opened = []
    read = []
  })
  afterEach(async () => {
    await closeAll(opened)
    desk[Symbol.dispose]()
  })

  async function started(exclude: readonly string[]): Promise<Indexer> {
    const fileSystem = diskWith({
      open(path) {
        read.push(path.slice(desk.home.length + 1))
        return nodeFileSystem.open(path)
      },
    })
    const indexer = desk.indexer({ fileSystem, exclude })
    opened.push(indexer)
    await indexer.start()
    await indexer.reconcile({ full: true })
    return indexer
  }

  const write = (name: string, cwd: string, ...more: string[]) =>
    desk.write(
      `sessions/${name}.jsonl`,
      linesOf({ cwd, say: `needle ${name}` }, ...more.map((say) => ({ say }))),
    )

  function seen(): string[] {
    using db = desk.openIndex()
    return found(db, 'needle').map((each) => each.split(':')[0] ?? '')
  }

  /** All that the index file holds of a word, whoever asks. */
  function holds(word: string): boolean {
    using db = desk.openIndex()
    const rows = [...db.prepare('SELECT * FROM files').all(), ...db.prepare('SELECT * FROM sessions').all()]
    const columns = rows.flatMap((row) => Object.entries(row))
    return columns.some(([column, value]) => column !== 'path' && String(value).includes(word))
  }

  it('keeps sessions out by where they worked, and counts none of them', async () => {
    write('open', '/work/open')
    write('shut', '/work/secret/api')
    const indexer = await started(['/work/secret'])
    expect(seen()).toEqual(['open'])
    expect(holds('shut')).toBe(false)
    expect(indexer.status()).toMatchObject({ phase: 'current', filesIndexed: 1, filesDue: 0, filesFailed: 0 })
    read = []
    await indexer.reconcile({ full: true })
    expect(read).toEqual([])
  })

  it('keeps them out when they go on', async () => {
    const path = write('shut', '/work/secret')
    const indexer = await started(['/work/secret'])
    appendFileSync(path, linesOf({ say: 'needle again' }))
    await indexer.reconcile({ full: false })
    expect(seen()).toEqual([])
    expect(indexer.status()).toMatchObject({ filesIndexed: 0, filesDue: 0 })
  })

  it('does not open transcripts that lie in one', async () => {
    write('open', '/x')
    desk.write('sessions/private/shut.jsonl', linesOf({ say: 'needle' }))
    await started([join(desk.root, 'private')])
    expect(read).toEqual(['sessions/open.jsonl'])
    expect(seen()).toEqual(['open'])
  })

  it('takes out what is excluded later, with its messages, and brings it back when it is not any more', async () => {
    write('open', '/work/open')
    write('shut', '/work/secret', 'needle two')
    desk.write('sessions/private/kept.jsonl', linesOf({ say: 'needle' }))
    desk.write('sessions/private/broken.jsonl', linesOf({ crash: true }))
    await (await started([]))[Symbol.asyncDispose]()
    expect(seen().toSorted()).toEqual(['kept', 'open', 'shut', 'shut'])
    const indexer = await started(['/work/s*', join(desk.root, 'private')])
    expect(seen()).toEqual(['open'])
    expect(holds('shut')).toBe(false)
    using db = desk.openIndex()
    expect(db.prepare('SELECT count(*) AS n FROM messages').get()?.n).toBe(1)
    expect(countFiles(db)).toMatchObject({ indexed: 1, failed: 0, unreadLines: 0, sessions: 1 })
    await indexer[Symbol.asyncDispose]()
    await (await started([]))[Symbol.asyncDispose]()
    expect(seen().toSorted()).toEqual(['kept', 'open', 'shut', 'shut'])
  })

  it('has an agent that was started before go by it too', async () => {
    const path = write('shut', '/work/secret')
    const older = await started([])
    expect(seen()).toEqual(['shut'])
    await started(['/work/secret'])
    expect(seen()).toEqual([])
    appendFileSync(path, linesOf({ say: 'needle again' }))
    await older.reconcile({ full: true })
    expect(seen()).toEqual([])
  })
})
