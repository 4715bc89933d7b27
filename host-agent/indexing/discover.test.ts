import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
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
import { discover } from './discover.ts'
import type { Discovery, Source } from './discovery.ts'
import { type FileSystem, nodeFileSystem } from './file-system.ts'

let desk: IndexingDesk
beforeEach(() => {
  desk = createIndexingDesk()
})
afterEach(() => desk[Symbol.dispose]())

async function look(disk: FileSystem = nodeFileSystem, rootNames = ['sessions']): Promise<Discovery> {
  const reader = fakeReader(rootNames)
  const sources: Source[] = reader
    .roots({ homeDir: desk.home, platform: 'linux', env: {} })
    .map((root) => ({ reader, root }))
  return await discover(discoveryOf(disk), sources, new AbortController().signal)
}

const paths = ({ files }: Discovery) => files.map(({ file }) => file.relativePath).sort()

describe('discover', () => {
  it('finds the transcripts below a root, with their stamps, and nothing else', async () => {
    const path = desk.write('sessions/a.jsonl', 'x', 1234)
    desk.write('sessions/deep/er/b.jsonl', 'xy')
    desk.write('sessions/notes.txt', 'no')
    const discovery = await look()
    expect(paths(discovery)).toEqual(['a.jsonl', 'deep/er/b.jsonl'])
    expect(discovery.files.find(({ file }) => file.path === path)?.stamp).toMatchObject({
      sizeBytes: 1,
      mtimeMs: 1_234_000,
    })
    expect(discovery.roots).toMatchObject([{ state: 'listed', problems: [] }])
  })

  it('tells a root that is not there from one that is empty', async () => {
    expect((await look()).roots).toMatchObject([{ state: 'absent', problems: [] }])
    mkdirSync(desk.root)
    expect((await look()).roots).toMatchObject([{ state: 'empty', problems: [] }])
  })

  it('tells a root that is a file', async () => {
    desk.write('sessions', 'a file')
    const [root] = (await look()).roots
    expect(root?.state).toBe('unlisted')
    expect(root?.problems).toEqual([`${desk.root} is not a folder`])
  })

  it('tells a root that is a loop of links', async () => {
    symlinkSync('sessions', desk.root)
    const [root] = (await look()).roots
    expect(root?.state).toBe('unlisted')
    expect(root?.problems).toEqual([`${desk.root} is a loop of links`])
  })

  it('tells a root that may not be read, and goes on with the next', async () => {
    desk.write('sessions/a.jsonl', 'x')
    desk.write('more/b.jsonl', 'x')
    const refusing = diskWith({
      list: async (folder) => {
        if (folder === desk.root) throw nodeError('EACCES', folder)
        return await nodeFileSystem.list(folder)
      },
    })
    const discovery = await look(refusing, ['sessions', 'more'])
    expect(paths(discovery)).toEqual(['b.jsonl'])
    expect(discovery.roots).toMatchObject([
      { state: 'unlisted', problems: [`${desk.root} may not be read`] },
      { state: 'listed', problems: [] },
    ])
  })

  it('passes over one bad folder and one bad file, and says so', async () => {
    desk.write('sessions/good/a.jsonl', 'x')
    desk.write('sessions/bad/b.jsonl', 'x')
    desk.write('sessions/broken.jsonl', 'x')
    const refusing = diskWith({
      list: async (folder) => {
        if (folder.endsWith('bad')) throw nodeError('EIO', folder)
        return await nodeFileSystem.list(folder)
      },
      stat: async (path) => {
        if (path.endsWith('broken.jsonl')) throw nodeError('EACCES', path)
        return await nodeFileSystem.stat(path)
      },
    })
    const discovery = await look(refusing)
    expect(paths(discovery)).toEqual(['good/a.jsonl'])
    expect(discovery.roots[0]?.problems).toHaveLength(2)
    expect(discovery.roots[0]?.state).toBe('listed')
  })

  it('walks a folder once, however many links lead to it, and by its own name', async () => {
    desk.write('sessions/z-real/a.jsonl', 'x')
    symlinkSync(join(desk.root, 'z-real'), join(desk.root, 'a-link'))
    symlinkSync(desk.root, join(desk.root, 'z-real', 'up'))
    symlinkSync(join(desk.root, 'nowhere'), join(desk.root, 'dangling'))
    symlinkSync('self.jsonl', join(desk.root, 'self.jsonl'))
    const discovery = await look()
    expect(paths(discovery)).toEqual(['z-real/a.jsonl'])
    expect(discovery.roots[0]?.problems).toEqual([])
  })

  it('follows links to folders and files outside of the root', async () => {
    desk.write('elsewhere/project/a.jsonl', 'x')
    desk.write('elsewhere/b.jsonl', 'x')
    mkdirSync(desk.root)
    symlinkSync(join(desk.home, 'elsewhere', 'project'), join(desk.root, 'project'))
    symlinkSync(join(desk.home, 'elsewhere', 'b.jsonl'), join(desk.root, 'b.jsonl'))
    expect(paths(await look())).toEqual(['b.jsonl', 'project/a.jsonl'])
  })

  it('gives a folder that two roots lead to to the first', async () => {
    desk.write('sessions/a.jsonl', 'x')
    symlinkSync(desk.root, join(desk.home, 'again'))
    const discovery = await look(nodeFileSystem, ['sessions', 'again'])
    expect(discovery.files.map(({ file }) => file.path)).toEqual([join(desk.root, 'a.jsonl')])
  })

  it('takes no folder and no pipe for a transcript, whatever its name', async () => {
    mkdirSync(join(desk.root, 'folder.jsonl'), { recursive: true })
    const asPipe = diskWith({
      list: async () => [{ name: 'pipe.jsonl', kind: 'other' }],
    })
    expect(paths(await look())).toEqual([])
    expect(paths(await look(asPipe))).toEqual([])
  })

  it('counts what its reader cannot read', async () => {
    const packed = desk.write('sessions/old.jsonl.zst', 'x')
    expect((await look()).roots[0]?.unreadable).toEqual([{ path: packed, reason: 'it is packed' }])
  })

  it('does not complain of what goes while it looks', async () => {
    desk.write('sessions/a.jsonl', 'x')
    const vanishing = diskWith({
      stat: async (path) => {
        rmSync(path)
        return await nodeFileSystem.stat(path)
      },
    })
    const discovery = await look(vanishing)
    expect(discovery.files).toEqual([])
    expect(discovery.roots[0]?.problems).toEqual([])
  })

  it('stops when it is told to', async () => {
    desk.write('sessions/a.jsonl', 'x')
    const reader = fakeReader()
    const root = { path: desk.root }
    await expect(
      discover(discoveryOf(), [{ reader, root }], AbortSignal.abort(new Error('closed'))),
    ).rejects.toThrow('closed')
  })
})
