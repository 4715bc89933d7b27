/** Titles from Codex's own index, and rollouts that were packed when they grew old. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { agentItem, meta, rolloutPath, sessionId, userItem } from '../../test/helpers/codex-records.ts'
import { createIndexingDesk, found } from '../../test/helpers/indexing-desk.ts'
import { codexReader } from './codex.ts'
import type { Unpack } from './packed.ts'

const compress: unknown = Reflect.get(zlib, 'zstdCompressSync')
const path = `.codex/sessions/${rolloutPath}`
const packedPath = `${path}.zst`
const records = [meta(), userItem(1, 'needle in the rollout'), agentItem(2, 'found it')]
const linesOf = (list: readonly object[]) => list.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Stands for zstd where the runtime has none: gzip packs as well. */
const gunzip: Unpack = (packed) => zlib.gunzipSync(packed)
const packed = (list: readonly object[]) => zlib.gzipSync(linesOf(list))

describe('codex titles', () => {
  const titles = async (index: unknown, list: readonly object[] = records, where = path) => {
    using home = createAgentHome()
    home.write(where, list)
    home.write('.codex/session_index.jsonl', index)
    return (await home.read(codexReader())).files[0]?.facts.title
  }
  const named = (name: string, id = sessionId) => ({
    id,
    thread_name: name,
    updated_at: '2026-02-03T10:00:00Z',
  })

  it('come from the newest line of the home’s index where the records have none', async () => {
    expect(await titles([named('Older'), named('Newer'), named('Other', 'other')])).toBe('Newer')
    expect(await titles([named('Other', 'other')])).toBe('needle in the rollout')
    expect(await titles([])).toBe('needle in the rollout')
  })

  it('come from the records where those have one', async () => {
    expect(await titles([named('Index')], [meta({ thread_name: 'Own' }), ...records.slice(1)])).toBe('Own')
  })

  it('come from the same index for archived sessions', async () => {
    const archived = `.codex/archived_sessions/rollout-2026-02-03T10-00-00-${sessionId}.jsonl`
    expect(await titles([named('Put away')], records, archived)).toBe('Put away')
  })

  it('survive an index with torn lines and odd values', async () => {
    const index = `{"id":"torn\n7\n{"id":5,"thread_name":"x"}\n${JSON.stringify(named('Good'))}\n{"id":"${sessionId}","thread_name":" "}\n`
    expect(await titles(index)).toBe('Good')
  })
})

describe('packed codex rollouts', () => {
  it('read as they read unpacked', async () => {
    using home = createAgentHome()
    home.write(path, records)
    const [plain] = (await home.read(codexReader())).files
    rmSync(join(home.dir, path))
    home.write(packedPath, packed(records))
    const { files, unreadable } = await home.read(codexReader(gunzip))
    expect(files).toEqual([{ ...plain, path: packedPath }])
    expect(unreadable).toEqual({})
  })

  it('are read to their last line, also without its newline, and count what cannot be read', async () => {
    using home = createAgentHome()
    home.write(
      packedPath,
      zlib.gzipSync(`${linesOf(records)}{"torn\n${JSON.stringify(agentItem(3, 'the end'))}`),
    )
    const [file] = (await home.read(codexReader(gunzip))).files
    expect(file?.said.at(-1)).toBe('assistant: the end')
    expect(file?.unread).toEqual({ badLines: 1, unknownRecords: 0 })
  })

  it('are counted as unread where the runtime cannot unpack them', async () => {
    using home = createAgentHome()
    home.write(packedPath, packed(records))
    const { files, unreadable } = await home.read(codexReader(null))
    expect(files).toEqual([])
    expect(Object.keys(unreadable)).toEqual([packedPath])
    expect(unreadable[packedPath]).toMatch(/this version of Node cannot read/)
  })

  it('fail with a reason where they are torn', async () => {
    using home = createAgentHome()
    home.write(packedPath, packed(records).subarray(0, 40))
    expect(Object.keys((await home.read(codexReader(gunzip))).failures)).toEqual([packedPath])
  })

  it('take their id from the file’s name where no record has one', async () => {
    using home = createAgentHome()
    home.write(packedPath, packed([userItem(1, 'nameless')]))
    expect((await home.read(codexReader(gunzip))).files[0]?.facts.sessionId).toBe(sessionId)
  })

  it('stand back while the plain file is still there', async () => {
    using home = createAgentHome()
    home.write(path, records)
    home.write(packedPath, packed(records))
    const { files } = await home.read(codexReader(gunzip))
    expect(files.map(({ path: at, kind }) => [at, kind])).toEqual([
      [path, 'session'],
      [packedPath, 'none'],
    ])
  })

  it('keep their one session while one file takes the place of the other', async () => {
    using desk = createIndexingDesk()
    const plainFile = join(desk.home, path)
    mkdirSync(dirname(plainFile), { recursive: true })
    writeFileSync(plainFile, linesOf(records))
    await using indexer = desk.indexer({ readers: [codexReader(gunzip)] })
    await indexer.start()
    await indexer.reconcile({ full: true })
    const index = desk.openIndex()
    try {
      const sessions = () =>
        index
          .prepare('SELECT id FROM sessions')
          .all()
          .map(({ id }) => id)
      expect(sessions()).toHaveLength(1)
      const before = sessions()

      writeFileSync(`${plainFile}.zst`, packed(records))
      await indexer.reconcile({ full: true })
      expect(sessions()).toEqual(before)
      expect(found(index, 'needle')).toHaveLength(1)

      rmSync(plainFile)
      await indexer.reconcile({ full: true })
      await indexer.reconcile({ full: true })
      expect(sessions()).toHaveLength(1)
      expect(found(index, 'needle')).toHaveLength(1)
      const kinds = index.prepare('SELECT path, kind FROM files').all()
      expect(kinds).toContainEqual({ path: `${plainFile}.zst`, kind: 'session' })
    } finally {
      index.close()
    }
  })

  it.skipIf(typeof compress !== 'function')(
    'are read by a runtime that has zstd (skipped before Node 22.15)',
    async () => {
      using home = createAgentHome()
      home.write(packedPath, (compress as (bytes: Buffer) => Buffer)(Buffer.from(linesOf(records))))
      const { files } = await home.read(codexReader())
      expect(files[0]?.said).toEqual(['user: needle in the rollout', 'assistant: found it'])
    },
  )
})
