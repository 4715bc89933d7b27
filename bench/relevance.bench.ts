/** How far up the right session stands, for queries with a known answer, beside plain bm25 over the same index. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadSqlDriver } from '../host-agent/index/driver/load-driver.ts'
import { buildIndex } from './agents.ts'
import { heldSessions, heldVocabulary } from './held-sessions.ts'
import { relevanceBars, relevanceTable } from './relevance-bars.ts'
import { type Collection, measureRelevance } from './relevance-figures.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

const corpusBytes = 60_000_000
const quickCorpusBytes = 10_000_000
const queriesOfKind = 60
const quickQueriesOfKind = 12
const seed = 4

export const relevance: BenchRow = {
  name: 'relevance',
  what: 'bars of relevance that are missed',
  unit: 'bars',
  atMost: 0,
  measure: measureAll,
}

async function measureAll(context: BenchContext): Promise<Measured> {
  const bytes = context.quick ? quickCorpusBytes : corpusBytes
  const corpus = context.corpora.make('relevance', { bytes, seed })
  const homes = [['corpus', corpus.homeDir] as const, ...fixtureHomes(context)]
  const collections: (Collection & Disposable)[] = []
  try {
    for (const [name, homeDir] of homes) collections.push(await collect(context, name, homeDir))
    const count = context.quick ? quickQueriesOfKind : queriesOfKind
    const figures = measureRelevance(collections, { count, seed })
    context.say(`\n${relevanceTable(figures)}\n`)
    for (const { kind, misses } of figures) {
      for (const { query, rank } of misses.slice(0, 3))
        context.say(`  ${kind}: ${rank ?? 'not found'}: ${query}`)
    }
    const bars = relevanceBars(figures)
    const missed = bars.filter(({ isMet }) => !isMet).map(({ name }) => name)
    const queries = figures.reduce((sum, kind) => sum + kind.queries, 0)
    return {
      value: missed.length,
      detail: `${bars.length} bars, ${queries} queries over ${homes.length} homes${missed.length === 0 ? '' : `; missed: ${missed.join(', ')}`}`,
    }
  } finally {
    for (const collection of collections) collection[Symbol.dispose]()
  }
}

function fixtureHomes(context: BenchContext): (readonly [name: string, homeDir: string])[] {
  const fixtures = join(context.binDir, '..', '..', 'shared', 'fixtures')
  if (!existsSync(fixtures)) {
    context.say('  no fixtures beside the repository: the made-up corpus alone is asked')
    return []
  }
  return ['laptop', 'devbox', 'ci'].map((name) => [name, join(fixtures, name)] as const)
}

async function collect(
  { binDir, workDir }: BenchContext,
  name: string,
  homeDir: string,
): Promise<Collection & Disposable> {
  const dataDir = join(workDir, `relevance-data-${name}`)
  await buildIndex({ binDir, homeDir, dataDir })
  const db = loadSqlDriver().open(join(dataDir, 'index.sqlite'), { readOnly: true })
  return {
    db,
    sessions: heldSessions(db),
    vocabulary: heldVocabulary(db),
    [Symbol.dispose]: () => db.close(),
  }
}
