import { rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { accessTo, anyStamp, diskWith } from '../../test/helpers/indexing-desk.ts'
import { databaseReader, documentReader, say, shelfTables } from '../../test/helpers/whole-readers.ts'
import type { FileBatch } from '../index/file-batch.ts'
import { unpackRows } from '../index/packed-rows.ts'
import { nodeFileSystem } from './file-system.ts'
import { defaultReadLimits, type ReadRequest } from './read-request.ts'
import { readTranscript } from './read-transcript.ts'

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

function requestFor(path: string, resume: ReadRequest['resume'] = null): ReadRequest {
  const root = { path: `${home.dir}/papers` }
  const relativePath = path.slice(root.path.length + 1)
  return { file: { root, path, relativePath }, found: anyStamp, expected: null, resume }
}

function read(request: ReadRequest, batchBytes = defaultReadLimits.batchBytes): FileBatch[] {
  return Array.from(readTranscript(accessTo(), documentReader, request, { ...defaultReadLimits, batchBytes }))
}

function only(batches: readonly FileBatch[]): FileBatch {
  expect(batches).toHaveLength(1)
  return batches[0] as FileBatch
}

const textsOf = (batches: readonly FileBatch[]) =>
  batches.flatMap(({ rows }) => Array.from(unpackRows(rows), ({ text }) => Buffer.from(text).toString()))

const paper = (says: readonly string[]) => home.write('papers/a.json', { id: 's', says })

describe('readTranscript of a document', () => {
  it('reads it whole at first, and then appends what stands behind what is known', () => {
    const first = only(read(requestFor(paper(['one', 'two']))))
    expect(first).toMatchObject({
      mode: 'replace',
      complete: true,
      messageCount: 2,
      facts: { sessionId: 's' },
    })
    const second = only(read(requestFor(paper(['one', 'two', 'three']), first)))
    expect(second).toMatchObject({ mode: 'append', messageCount: 3 })
    expect(textsOf([second])).toEqual(['three'])
    expect(second.byteOffset).toBeGreaterThan(first.byteOffset)
  })

  it.each([
    ['changed in the middle', ['one', 'TWO', 'three']],
    ['lost its last message', ['one']],
    ['was emptied', []],
  ])('replaces a document that %s', (_, says) => {
    const first = only(read(requestFor(paper(['one', 'two']))))
    const second = only(read(requestFor(paper(says), first)))
    expect(second.mode).toBe('replace')
    expect(textsOf([second])).toEqual(says)
  })

  it('appends nothing where only its manifest has changed, and takes the facts from there', () => {
    const path = paper(['one'])
    const first = only(read(requestFor(path)))
    home.write('papers/a.title', 'Named')
    const second = only(read(requestFor(path, first)))
    expect(second).toMatchObject({ mode: 'append', facts: { title: 'Named' }, byteOffset: first.byteOffset })
    expect(textsOf([second])).toEqual([])
  })

  it('comes to the same messages whatever was known before, in batches of any size', () => {
    const says = fc.array(fc.string({ minLength: 1 }), { maxLength: 8 })
    fc.assert(
      fc.property(says, says, fc.nat(60), (before, after, batchBytes) => {
        const first = only(read(requestFor(paper(before))))
        const batches = read(requestFor(paper(after), first), batchBytes)
        const known = batches[0]?.mode === 'append' ? textsOf([first]) : []
        expect([...known, ...textsOf(batches)]).toEqual(textsOf(read(requestFor(paper(after)))))
        expect(batches.at(-1)).toMatchObject({ complete: true, messageCount: after.length })
        // A pass may end behind any of them.
        for (const [at, batch] of batches.entries())
          expect(textsOf([...batches.slice(at + 1)])).toEqual(textsOf(read(requestFor(paper(after), batch))))
      }),
      { numRuns: 60 },
    )
  })

  it('fails a document that is torn, and one that is larger than what is read at once', () => {
    const path = home.write('papers/a.json', '{"id": "s", "says": ["one"')
    expect(() => read(requestFor(path))).toThrow('JSON')
    const huge = diskWith({
      open: (asked) => {
        const open = nodeFileSystem.open(asked)
        return { ...open, stamp: () => ({ ...open.stamp(), sizeBytes: 65 * 2 ** 20 }) }
      },
    })
    expect(() => Array.from(readTranscript(accessTo(huge), documentReader, requestFor(path)))).toThrow(
      'larger than 64 MiB',
    )
  })
})

describe('readTranscript of a session in a database', () => {
  it('reads each session as a transcript of its own', async () => {
    const db = home.database('shelf/store.db', shelfTables)
    say(db, 'first', 1000, 'one', 'two')
    say(db, 'second', 2000, 'three')
    const { files, failures } = await home.read(databaseReader)
    expect(failures).toEqual({})
    expect(files.map(({ path, said }) => [path, said])).toEqual([
      ['shelf/store.db#first', ['user: one', 'user: two']],
      ['shelf/store.db#second', ['user: three']],
    ])
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode, and sees what it wrote', async (mode) => {
    const db = home.database(
      'shelf/store.db',
      `PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${shelfTables}`,
    )
    say(db, 'a', 1, 'one')
    expect((await home.read(databaseReader)).files[0]?.said).toEqual(['user: one'])
    say(db, 'a', 2, 'two')
    expect((await home.read(databaseReader)).files[0]?.said).toEqual(['user: one', 'user: two'])
  })

  it('says which database could not be read, and why', async () => {
    const path = home.write(
      'shelf/store.db',
      'no database at all, but long enough to look like one'.repeat(40),
    )
    const { files, problems } = await home.read(databaseReader)
    expect(files).toEqual([])
    expect(problems).toEqual([expect.stringMatching(`^${path} .*not a database`)])
  })
})

describe('what lies beside a transcript', () => {
  it('is absent rather than an error where it cannot be had', () => {
    const { beside } = accessTo()
    const missing = `${home.dir}/missing`
    expect([beside.text(missing), beside.list(missing), beside.rows(missing, 'SELECT 1')]).toEqual([
      null,
      [],
      [],
    ])
    expect(beside.text(home.dir)).toBeNull()
    expect(beside.parsed(home.write('bad.json', '{'), JSON.parse)).toBeNull()
    expect(beside.rows(home.write('no.db', 'x'.repeat(4096)), 'SELECT 1')).toEqual([])
  })

  it('is parsed once for as long as it stays the same', () => {
    const { beside } = accessTo()
    const path = home.write('titles', 'one')
    let parsed = 0
    const parse = (text: string) => `${text} ${++parsed}`
    expect([beside.parsed(path, parse), beside.parsed(path, parse)]).toEqual(['one 1', 'one 1'])
    writeFileSync(path, 'longer')
    expect(beside.parsed(path, parse)).toBe('longer 2')
    rmSync(path)
    expect(beside.parsed(path, parse)).toBeNull()
  })
})
