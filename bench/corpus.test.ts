import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readerFor } from '../host-agent/transcripts/readers.ts'
import { foldTranscript, type ReadTranscript } from '../test/helpers/fold-transcript.ts'
import { type CorpusFile, writeCorpus } from './corpus.ts'
import { between, pick, seededRandom } from './random.ts'
import type { ReadingMatter } from './words.ts'

const sizeBytes = 5_000_000
const dir = mkdtempSync(join(tmpdir(), 'trawl-corpus-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** In place of what lies in node_modules, which would take longer to read than the tests themselves. */
function madeUpMatter(): ReadingMatter {
  const random = seededRandom(1)
  const syllables = ['ka', 'ro', 'mi', 'ten', 'sol', 've', 'dur', 'pil']
  const word = () => Array.from({ length: between(random, 1, 4) }, () => pick(random, syllables)).join('')
  const words = [...new Set(Array.from({ length: 4000 }, word))]
  const line = () => Array.from({ length: between(random, 0, 9) }, () => pick(random, words)).join(' ')
  return { words, sources: Array.from({ length: 40 }, () => Array.from({ length: 200 }, line)) }
}

const matter = madeUpMatter()
const corpus = writeCorpus(matter, { homeDir: join(dir, 'a'), sizeBytes, seed: 7 })

function read({ path, agent }: CorpusFile): ReadTranscript {
  const reader = readerFor(agent)
  if (reader === undefined) throw new Error(`no reader for ${agent}`)
  const rootPath = join(corpus.homeDir, agent === 'claude' ? '.claude/projects' : '.codex/sessions')
  const file = { root: { path: rootPath }, path, relativePath: relative(rootPath, path) }
  expect(reader.formatOf(file.relativePath)).not.toBeNull()
  return foldTranscript(reader, file, readFileSync(path, 'utf8').split('\n'))
}

describe('writeCorpus', () => {
  it('writes the same bytes for the same seed, and others for another', () => {
    const same = writeCorpus(matter, { homeDir: join(dir, 'b'), sizeBytes, seed: 7 })
    expect(same.needles).toEqual(corpus.needles)
    for (const [at, file] of corpus.files.entries()) {
      const other = same.files[at]?.path ?? ''
      expect(relative(same.homeDir, other)).toBe(relative(corpus.homeDir, file.path))
      expect(readFileSync(other).equals(readFileSync(file.path))).toBe(true)
    }
    const another = writeCorpus(matter, { homeDir: join(dir, 'c'), sizeBytes: 100_000, seed: 8 })
    expect(another.files[0]?.sessionId).not.toBe(corpus.files[0]?.sessionId)
  })

  it('comes within a turn of the size asked for', () => {
    const onDisk = corpus.files.reduce((sum, { path }) => sum + readFileSync(path).length, 0)
    expect(onDisk).toBe(corpus.bytes)
    expect(corpus.bytes).toBeGreaterThanOrEqual(sizeBytes)
    expect(corpus.bytes).toBeLessThan(sizeBytes * 1.2)
  })

  it('is read by the readers to the last line and record, as sessions of the ids it names', () => {
    expect(new Set(corpus.files.map(({ agent }) => agent))).toEqual(new Set(['claude', 'codex']))
    for (const file of corpus.files) {
      const { facts, kind, unread } = read(file)
      expect({ kind, id: facts.sessionId, ...unread }).toEqual({
        kind: 'session',
        id: file.sessionId,
        badLines: 0,
        unknownRecords: 0,
      })
    }
  })

  it('has each needle said by the user of its session, and nowhere else', () => {
    expect(corpus.needles.length).toBeGreaterThan(1)
    const said = corpus.files.flatMap((file) =>
      read(file).messages.map(({ role, text }) => ({ role, text, sessionId: file.sessionId })),
    )
    for (const { query, sessionId } of corpus.needles) {
      const found = said.filter(({ text }) => text.includes(query))
      expect(found.map((message) => [message.role, message.sessionId])).toEqual([['user', sessionId]])
    }
  })

  it('is mostly what tools said, as real transcripts are', () => {
    const messages = corpus.files.flatMap((file) => read(file).messages)
    const unitsOf = (role: string) =>
      messages.filter((message) => message.role === role).reduce((sum, { text }) => sum + text.length, 0)
    expect(unitsOf('tool')).toBeGreaterThan(unitsOf('assistant'))
    expect(unitsOf('assistant')).toBeGreaterThan(unitsOf('user'))
  })
})
