/** Asks the product and plain bm25 the same queries, and counts how far up the right session stands. */

import type { SqlDatabase } from '../host-agent/index/driver/driver.ts'
import { numberIn } from '../host-agent/index/read.ts'
import { searchIndex } from '../host-agent/search/search-index.ts'
import { systemClock } from '../protocol/clock.ts'
import { searchRequestSchema } from '../protocol/session-search/request.ts'
import type { HeldSession } from './held-sessions.ts'
import { drawItems, type KnownItem, type QueryKind, queryKinds } from './known-items.ts'
import { plainBm25 } from './plain-bm25.ts'
import { seededRandom } from './random.ts'

/** Ranks beyond this count as not found. */
const depth = 10

export interface RankFigures {
  /** Share of the queries whose right session comes first, or among the first ten. */
  readonly successAt1: number
  readonly successAt10: number
  /** Mean of 1 ÷ rank, 0 where it is not among the first ten. */
  readonly reciprocalRank: number
}

export interface KindFigures {
  readonly kind: QueryKind
  readonly queries: number
  readonly product: RankFigures
  readonly plain: RankFigures
  /** Queries whose right session did not come first, with the rank it had; to learn from. */
  readonly misses: readonly { readonly query: string; readonly rank: number | null }[]
}

export interface Collection {
  readonly db: SqlDatabase
  readonly sessions: readonly HeldSession[]
  readonly vocabulary: ReadonlySet<string>
}

/** @param count queries of a kind and collection, where it holds so many. @returns a row a kind, all collections together. */
export function measureRelevance(
  collections: readonly Collection[],
  { count, seed }: { readonly count: number; readonly seed: number },
): KindFigures[] {
  return queryKinds.map((kind) => {
    const asked = collections.flatMap(({ db, sessions, vocabulary }) =>
      drawItems(sessions, vocabulary, kind, count, seededRandom(seed)).map((item) => askBoth(db, item)),
    )
    return {
      kind,
      queries: asked.length,
      product: figuresOf(asked.map(({ productRank }) => productRank)),
      plain: figuresOf(asked.map(({ plainRank }) => plainRank)),
      misses: asked
        .filter(({ productRank }) => productRank !== 1)
        .map(({ query, productRank }) => ({ query, rank: productRank })),
    }
  })
}

function askBoth(db: SqlDatabase, { query, right }: KnownItem) {
  return {
    query,
    productRank: rankOf(askProduct(db, query), right),
    plainRank: rankOf(plainBm25(db, query, depth), right),
  }
}

function askProduct(db: SqlDatabase, query: string): number[] {
  const answer = searchIndex(searchRequestSchema.parse({ query, limit: depth }), {
    db,
    platform: 'linux',
    clock: systemClock,
    signal: new AbortController().signal,
    deadlineAtMs: Number.POSITIVE_INFINITY,
    freshnessTruncated: false,
  })
  if (answer.kind !== 'results') throw new Error(`answered ${answer.kind}`)
  const rowId = db.prepare('SELECT id FROM sessions WHERE agent = ? AND session_id = ?')
  return answer.hits.map((hit) => numberIn(rowId.get(hit.agent, hit.sessionId) ?? {}, 'id'))
}

function rankOf(found: readonly number[], right: ReadonlySet<number>): number | null {
  const at = found.findIndex((id) => right.has(id))
  return at < 0 ? null : at + 1
}

function figuresOf(ranks: readonly (number | null)[]): RankFigures {
  const share = (isGood: (rank: number) => boolean) =>
    ranks.filter((rank) => rank !== null && isGood(rank)).length / Math.max(1, ranks.length)
  const reciprocals = ranks.reduce<number>((sum, rank) => sum + (rank === null ? 0 : 1 / rank), 0)
  return {
    successAt1: share((rank) => rank === 1),
    successAt10: share(() => true),
    reciprocalRank: reciprocals / Math.max(1, ranks.length),
  }
}
