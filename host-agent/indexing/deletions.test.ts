import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createIndexingDesk,
  discoveryOf,
  diskWith,
  fakeReader,
  type IndexingDesk,
  nodeError,
} from '../../test/helpers/indexing-desk.ts'
import type { FileRow } from '../index/file-rows.ts'
import { type DeletionQuery, findDeletions } from './deletions.ts'
import { discover } from './discover.ts'
import { type FileSystem, nodeFileSystem } from './file-system.ts'

let desk: IndexingDesk
beforeEach(() => {
  desk = createIndexingDesk()
})
afterEach(() => desk[Symbol.dispose]())

function rowAt(path: string, root = desk.root): FileRow {
  return {
    id: 1,
    path,
    agent: 'fake',
    root,
    sessionRowId: 1,
    kind: 'session',
    state: 'current',
    device: 1,
    inode: 1,
    sizeBytes: 1,
    mtimeMs: 1,
    beside: '',
    byteOffset: 1,
    tailHash: '',
    messageCount: 1,
    rewrites: 0,
    failCount: 0,
    purgedMs: null,
  }
}

async function judge(rows: FileRow[], disk: FileSystem = nodeFileSystem, query: Partial<DeletionQuery> = {}) {
  const source = { reader: fakeReader(), root: { path: desk.root } }
  const discovery = await discover(discoveryOf(disk), [source], new AbortController().signal)
  return await findDeletions(disk, {
    rows,
    discovery,
    configuredAgents: new Set(),
    emptyBefore: new Set(),
    platform: 'linux',
    ...query,
  })
}

describe('findDeletions', () => {
  it('takes out a file whose folder lists and lacks it, and no other', async () => {
    const gone = desk.write('sessions/p/gone.jsonl', 'x')
    const stays = desk.write('sessions/p/stays.jsonl', 'x')
    rmSync(gone)
    expect(await judge([rowAt(gone), rowAt(stays)])).toMatchObject({ gone: [gone], unverified: new Map() })
  })

  it('takes out the files of a folder that is gone from one that lists', async () => {
    const gone = desk.write('sessions/a/b/c/gone.jsonl', 'x')
    desk.write('sessions/stays.jsonl', 'x')
    rmSync(join(desk.root, 'a'), { recursive: true })
    expect((await judge([rowAt(gone)])).gone).toEqual([gone])
  })

  it('takes out a file whose folder has become a file', async () => {
    const gone = desk.write('sessions/a/gone.jsonl', 'x')
    rmSync(join(desk.root, 'a'), { recursive: true })
    writeFileSync(join(desk.root, 'a'), 'x')
    expect((await judge([rowAt(gone)])).gone).toEqual([gone])
  })

  it('keeps everything below a root that is not there: it may be a disk that is not mounted', async () => {
    const path = desk.write('sessions/a.jsonl', 'x')
    rmSync(desk.root, { recursive: true })
    const { gone, unverified } = await judge([rowAt(path)])
    expect(gone).toEqual([])
    expect(Array.from(unverified)).toEqual([[desk.root, `${desk.root} is not there`]])
  })

  it('never judges by a folder above the root', async () => {
    const path = desk.write('mount/sessions/a.jsonl', 'x')
    const root = join(desk.home, 'mount', 'sessions')
    rmSync(join(desk.home, 'mount'), { recursive: true })
    const source = { reader: fakeReader(), root: { path: root } }
    const discovery = await discover(discoveryOf(), [source], new AbortController().signal)
    expect((await judge([rowAt(path, root)], nodeFileSystem, { discovery })).gone).toEqual([])
  })

  it.each(['EACCES', 'EIO', 'ETIMEDOUT'])(
    'keeps what stands below a folder that fails with %s',
    async (code) => {
      const path = desk.write('sessions/locked/a.jsonl', 'x')
      const folder = join(desk.root, 'locked')
      const disk = diskWith({
        list: async (asked) => {
          if (asked === folder) throw nodeError(code, asked)
          return await nodeFileSystem.list(asked)
        },
      })
      const { gone, unverified } = await judge([rowAt(path)], disk)
      expect(gone).toEqual([])
      expect(unverified.get(desk.root)).toContain(folder)
    },
  )

  it('keeps a file that lists but could not be looked at', async () => {
    const path = desk.write('sessions/a.jsonl', 'x')
    const disk = diskWith({
      stat: async (asked) => {
        throw nodeError('EACCES', asked)
      },
    })
    expect((await judge([rowAt(path)], disk)).gone).toEqual([])
  })

  it('gives a root that lists empty one pass of grace', async () => {
    const path = desk.write('sessions/a.jsonl', 'x')
    rmSync(path)
    const first = await judge([rowAt(path)])
    expect(first.gone).toEqual([])
    expect(first.unverified.get(desk.root)).toContain('is empty now')
    expect((await judge([rowAt(path)], nodeFileSystem, { emptyBefore: first.emptyNow })).gone).toEqual([path])
  })

  it('gives the grace again to a root that held something in between', async () => {
    const path = desk.write('sessions/a.jsonl', 'x')
    const { emptyNow } = await judge([rowAt(path)])
    rmSync(path)
    expect((await judge([rowAt(path)], nodeFileSystem, { emptyBefore: emptyNow })).gone).toEqual([])
  })

  it('takes out the rows of a root that a person has taken from the configuration', async () => {
    const path = desk.write('elsewhere/a.jsonl', 'x')
    const rows = [rowAt(path, join(desk.home, 'elsewhere'))]
    expect((await judge(rows, nodeFileSystem, { configuredAgents: new Set(['fake']) })).gone).toEqual([path])
    expect((await judge(rows)).gone).toEqual([])
  })

  it('judges a row outside of any root by its own folder alone', async () => {
    const path = desk.write('elsewhere/deep/a.jsonl', 'x')
    const rows = [rowAt(path, join(desk.home, 'elsewhere'))]
    mkdirSync(desk.root)
    rmSync(path)
    expect((await judge(rows)).gone).toEqual([path])
    rmSync(join(desk.home, 'elsewhere', 'deep'), { recursive: true })
    expect((await judge(rows)).gone).toEqual([])
  })

  it('asks for each folder once, however many rows lie in it', async () => {
    const rows = Array.from({ length: 50 }, (_, at) => rowAt(join(desk.root, 'p', `${at}.jsonl`)))
    desk.write('sessions/p/stays.jsonl', 'x')
    const asked: string[] = []
    const disk = diskWith({
      list: async (folder) => {
        asked.push(folder)
        return await nodeFileSystem.list(folder)
      },
    })
    expect((await judge(rows, disk)).gone).toHaveLength(50)
    // Once by the discovery, once by the judge.
    expect(asked.filter((folder) => folder === join(desk.root, 'p'))).toHaveLength(2)
  })
})
