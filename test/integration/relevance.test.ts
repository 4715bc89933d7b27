import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { writeCorpus } from '../../bench/corpus.ts'
import { heldSessions, heldVocabulary } from '../../bench/held-sessions.ts'
import { relevanceBars } from '../../bench/relevance-bars.ts'
import { type Collection, type KindFigures, measureRelevance } from '../../bench/relevance-figures.ts'
import { collectReadingMatter } from '../../bench/words.ts'
import { transcriptReaders } from '../../host-agent/transcripts/readers.ts'
import { createIndexingDesk, type IndexingDesk } from '../helpers/indexing-desk.ts'

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/', import.meta.url))
const desks: IndexingDesk[] = []
const dir = mkdtempSync(join(tmpdir(), 'trawl-relevance-'))
afterAll(() => {
  for (const desk of desks) desk[Symbol.dispose]()
  rmSync(dir, { recursive: true, force: true })
})

async function collect(homeDir: string): Promise<Collection> {
  const desk = createIndexingDesk()
  desks.push(desk)
  const environment = { homeDir, platform: 'linux', env: {} } as const
  await using indexer = desk.indexer({ readers: transcriptReaders(), environment })
  await indexer.start()
  await indexer.reconcile({ full: true })
  const db = desk.openIndex()
  return { db, sessions: heldSessions(db), vocabulary: heldVocabulary(db) }
}

/** A few queries of each kind, so one miss weighs more than in the benchmark: floors below its bars. */
function belowFloor(figures: readonly KindFigures[]): unknown[] {
  return figures
    .filter(
      ({ queries, product }) => queries > 0 && (product.successAt10 < 0.9 || product.reciprocalRank < 0.8),
    )
    .map(({ kind, product, misses }) => ({ kind, product, misses }))
}

describe('relevance', () => {
  it('stands above its floors, and above plain bm25, for a made-up history', {
    timeout: 120_000,
  }, async () => {
    const matter = collectReadingMatter(fileURLToPath(new URL('../../node_modules', import.meta.url)))
    writeCorpus(matter, { homeDir: dir, sizeBytes: 6_000_000, seed: 11 })
    const figures = measureRelevance([await collect(dir)], { count: 30, seed: 11 })
    expect(figures.reduce((sum, { queries }) => sum + queries, 0)).toBeGreaterThan(100)
    expect(belowFloor(figures)).toEqual([])
    const unmet = relevanceBars(figures).filter(({ isMet }) => !isMet)
    expect(unmet.length).toBeLessThanOrEqual(1)
  })

  it.skipIf(!existsSync(fixtures))(
    'stands above its floors for real transcripts (skipped where no fixtures lie beside the repository)',
    { timeout: 120_000 },
    async () => {
      const homes = await Promise.all(['laptop', 'devbox', 'ci'].map((name) => collect(join(fixtures, name))))
      const figures = measureRelevance(homes, { count: 30, seed: 11 })
      expect(figures.reduce((sum, { queries }) => sum + queries, 0)).toBeGreaterThan(200)
      expect(belowFloor(figures)).toEqual([])
    },
  )
})
