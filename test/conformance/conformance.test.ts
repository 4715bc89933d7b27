/** What holds for every agent's reader, tried on the session each of them brings (samples.ts). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import type { FileBatch } from '../../host-agent/index/file-batch.ts'
import { openIndex } from '../../host-agent/index/open-index.ts'
import { nodeFileSystem } from '../../host-agent/indexing/file-system.ts'
import { createIndexer } from '../../host-agent/indexing/indexer.ts'
import { readTranscript } from '../../host-agent/indexing/read-transcript.ts'
import { createInlineSource } from '../../host-agent/indexing/transcript-source.ts'
import { results } from '../../host-agent/search/search-fixture.ts'
import { transcriptReaders } from '../../host-agent/transcripts/readers.ts'
import { type AgentHome, createAgentHome, findIn, rowsOf } from '../helpers/agent-home.ts'
import { accessTo, anyStamp, diskWith } from '../helpers/indexing-desk.ts'
import { createManualClock } from '../helpers/manual-clock.ts'
import type { ConformanceSample, WrittenSample } from './sample.ts'
import { samples } from './samples.ts'

/** The part of a transcript in which it is cut everywhere. */
const cutBytes = 2048

describe('the samples', () => {
  it('are there for every reader', () => {
    const sampled = new Set(samples.map(({ reader }) => reader.agent))
    expect(transcriptReaders().filter(({ agent }) => !sampled.has(agent))).toEqual([])
  })
})

describe.each(samples.map((sample) => [sample.reader.agent, sample] as const))('%s', (_, sample) => {
  it('reads exactly what was said', async () => {
    using home = createAgentHome()
    sample.write(home)
    expect(await saidIn(home, sample)).toEqual(sample.said)
  })

  it('has every message found by search, under the session’s own id', async () => {
    using home = createAgentHome()
    sample.write(home)
    await withIndex(home, sample, (db) => {
      for (const said of sample.said) {
        const { hits } = results(db, { query: phraseOf(said), limit: 50 })
        expect(
          hits.map(({ agent }) => agent),
          said,
        ).toEqual([sample.reader.agent])
      }
    })
  })

  it('comes to the same wherever the file was cut before it was whole', async ({ skip }) => {
    using home = createAgentHome()
    const written = sample.write(home)
    if (written.path.includes('#')) skip('a database is not written byte by byte')
    await cutEverywhere(home, sample, written)
  }, 60_000)

  it.skipIf(sample.edit === undefined)('takes one more message for an addition', async () => {
    using home = createAgentHome()
    sample.write(home)
    sample.edit?.(home)
    expect(await saidIn(home, sample)).toEqual(sample.saidAfter)
  })
})

async function saidIn(home: AgentHome, { reader }: ConformanceSample): Promise<readonly string[]> {
  const { files, failures, problems } = await home.read(reader)
  expect({ failures, problems }).toEqual({ failures: {}, problems: [] })
  const searched = files.filter(({ kind }) => kind !== 'none')
  expect(new Set(searched.map(({ facts }) => facts.sessionId)).size).toBe(1)
  return searched.flatMap(({ said }) => said)
}

/** Reads what a cut left, then the rest from there. */
async function cutEverywhere(
  home: AgentHome,
  { reader }: ConformanceSample,
  { path, appendable }: WrittenSample,
): Promise<void> {
  const file = await findIn(home, reader, path)
  const disk = nodeFileSystem.open(file.path)
  const whole = Buffer.alloc(disk.stamp().sizeBytes)
  disk.read(whole, 0)
  disk.close()
  let bytes = whole
  const access = accessTo(
    diskWith({
      open: (asked) =>
        asked === file.path
          ? {
              stamp: () => ({ ...anyStamp, sizeBytes: bytes.length }),
              read: (into, position) => bytes.copy(into, 0, position),
              close: () => undefined,
            }
          : nodeFileSystem.open(asked),
    }),
  )
  const read = (resume: FileBatch | null): FileBatch => {
    const [batch, ...more] = readTranscript(access, reader, { file, found: anyStamp, expected: null, resume })
    if (batch === undefined || more.length > 0) throw new Error('a sample is read in one batch')
    return batch
  }
  const expected = outcomeOf([read(null)])
  for (let end = Math.max(0, whole.length - cutBytes); end < whole.length; end++) {
    bytes = whole.subarray(0, end)
    const first = attempt(() => read(null))
    // A document that is cut is no document yet; lines can be read as far as they go.
    if (appendable) expect(first, `cut at ${end}`).not.toBeNull()
    bytes = whole
    const second = read(first)
    const batches = first !== null && second.mode === 'append' ? [first, second] : [second]
    expect(outcomeOf(batches), `cut at ${end}`).toEqual(expected)
  }
}

function outcomeOf(batches: readonly FileBatch[]) {
  const last = batches.at(-1)
  return { said: batches.flatMap(rowsOf), facts: last?.facts, kind: last?.kind, unread: last?.unread }
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

async function withIndex(
  home: AgentHome,
  { reader }: ConformanceSample,
  use: (db: SqlDatabase) => void,
): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'trawl-conformance-'))
  const driver = loadSqlDriver()
  const indexPath = join(dir, 'index.sqlite')
  const indexer = createIndexer({
    driver,
    indexPath,
    randomId: () => 'index',
    readers: [reader],
    environment: { homeDir: home.dir, platform: 'linux', env: {} },
    fileSystem: nodeFileSystem,
    openTranscripts: () => createInlineSource(accessTo(), [reader]),
    clock: createManualClock(),
  })
  try {
    await indexer.start()
    await indexer.reconcile({ full: true })
    const { db } = openIndex({ driver, path: indexPath, randomId: () => 'index' })
    try {
      use(db)
    } finally {
      db.close()
    }
  } finally {
    await indexer[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The message's words as one phrase, without the role before them. */
function phraseOf(said: string): string {
  const text = said.slice(said.indexOf(': ') + 2)
  return `"${text.replaceAll('"', ' ').slice(0, 200)}"`
}
