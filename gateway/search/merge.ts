/** Makes one answer of many: one order, one cut, one cursor, and a report for every leg (contract, `all`; wire.md §4). */

import type { Hit } from '../../protocol/session-search/hit.ts'
import {
  compareRecency,
  compareText,
  isUsualTime,
  updatedAtMs,
} from '../../protocol/session-search/hit-order.ts'
import { encodeMergedCursor } from '../../protocol/session-search/merged-cursor.ts'
import type { LegReport, SearchResults, Truncated } from '../../protocol/session-search/response.ts'
import type { LandedLeg } from './fan-out.ts'
import type { Leg } from './scope.ts'

export interface FinishOptions {
  /** Every leg's report, in the order they are to be shown. */
  readonly reports: readonly LegReport[]
  readonly durationMs: number
  /** Stamps and redacts a hit of a leg; called for the hits that are shown, and for no other. */
  show(hit: Hit, leg: Leg): Hit
}

/**
 * Takes legs as they land. Of each it keeps only what can still be shown: of a thousand hosts' twenty thousand hits
 * all but a page are garbage as soon as they are read, and need not be carried until the slowest host has answered.
 */
export interface Merge {
  add(landed: LandedLeg): void
  finish(options: FinishOptions): SearchResults
}

/** What is kept of a leg beside the hits that may be shown. */
interface Answered {
  readonly leg: Leg
  readonly results: Omit<SearchResults, 'hits'>
  readonly hitCount: number
}

/** Where a hit stands in the one order. */
interface Rank {
  readonly updatedAt: string | null
  /** Such texts sort as the instants they name, and most need not be read. */
  readonly isUsual: boolean
  readonly hostId: string
  readonly sessionId: string
  readonly agent: string
}

interface Placed {
  readonly hit: Hit
  readonly answered: Answered
  readonly rank: Rank
  /** Its place in what its leg sent. */
  readonly at: number
}

export function createMerge(limit: number, paging: 'plain' | 'complete'): Merge {
  const legs: Answered[] = []
  /** The best hits so far, in order, never more than `limit`. */
  const best: Placed[] = []

  function canBeShown(rank: Rank): boolean {
    const last = best[limit - 1]
    return last === undefined || compareRanks(rank, last.rank) < 0
  }

  /** Hits whose times are written as usual and sort below this text are too old for a page that is full. */
  function oldestShownText(): string | null {
    const last = best[limit - 1]?.rank
    return last?.isUsual ? last.updatedAt : null
  }

  function insert(placed: Placed): void {
    let at = best.length
    for (let before = best[at - 1]; before !== undefined && comparePlaced(placed, before) < 0; at--)
      before = best[at - 2]
    best.splice(at, 0, placed)
    if (best.length > limit) best.pop()
  }

  return {
    add({ leg, results }) {
      if (results === null) return
      const { hits, ...rest } = results
      const answered: Answered = { leg, results: rest, hitCount: hits.length }
      legs.push(answered)
      const oldestShown = oldestShownText()
      let behind: Rank | null = null
      for (const [at, hit] of hits.entries()) {
        if (oldestShown !== null && isOlder(hit.updatedAt, oldestShown)) {
          // Under complete paging nothing that comes behind it can be shown either.
          if (paging === 'complete') break
          continue
        }
        const rank = rankOf(hit, leg.hostId)
        // Complete paging: what is shown of a leg is always the beginning of what it sent, even where the leg's own
        // order is not this one, so a hit never comes before one that its leg sent earlier.
        if (paging === 'complete') behind = behind === null || compareRanks(rank, behind) > 0 ? rank : behind
        const shownAs: Rank = behind ?? rank
        if (canBeShown(shownAs)) insert({ hit, answered, rank: shownAs, at })
      }
    },
    finish({ reports, durationMs, show }) {
      // Nothing of the answer, the text of its cursor included, hangs on which leg landed first.
      const order = new Map(reports.map(({ executionHostId }, at) => [executionHostId, at]))
      legs.sort((a, b) => (order.get(a.leg.hostId) ?? 0) - (order.get(b.leg.hostId) ?? 0))
      const cursors = paging === 'complete' ? completeCursors(legs, best) : plainCursors(legs)
      const anyMore =
        paging === 'complete' ? cursors.size > 0 : legs.some(({ results }) => results.page.hasMore)
      return {
        kind: 'results',
        hits: best.map(({ hit, answered }) => withoutCursor(show(hit, answered.leg))),
        page: { cursor: encodeMergedCursor(cursors), hasMore: anyMore },
        generation: legs.find(({ leg }) => leg.hostId === 'local')?.results.generation ?? 0,
        truncated: mergeTruncated(legs),
        durationMs,
        hosts: [...reports],
      }
    },
  }
}

function isOlder(text: string | null, usual: string): boolean {
  return text !== null && text < usual && isUsualTime(text)
}

function rankOf(hit: Hit, hostId: string): Rank {
  return {
    updatedAt: hit.updatedAt,
    isUsual: hit.updatedAt !== null && isUsualTime(hit.updatedAt),
    hostId,
    sessionId: hit.sessionId,
    agent: hit.agent,
  }
}

function compareRanks(a: Rank, b: Rank): number {
  return (
    compareTimes(a, b) ||
    compareText(a.hostId, b.hostId) ||
    compareText(a.sessionId, b.sessionId) ||
    compareText(a.agent, b.agent)
  )
}

function compareTimes(a: Rank, b: Rank): number {
  if (a.updatedAt === b.updatedAt) return 0
  if (a.isUsual && b.isUsual) return (a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1
  return compareRecency(updatedAtMs(a), updatedAtMs(b))
}

function comparePlaced(a: Placed, b: Placed): number {
  return compareRanks(a.rank, b.rank) || a.at - b.at
}

/** Each host goes on where its own page ended. A host that has more but gave no cursor cannot be asked again. */
function plainCursors(legs: readonly Answered[]): Map<string, string> {
  const cursors = new Map<string, string>()
  for (const { leg, results } of legs) {
    if (results.page.hasMore && results.page.cursor !== null) cursors.set(leg.hostId, results.page.cursor)
  }
  return cursors
}

/** Each host goes on after the last of its hits that was shown. */
function completeCursors(legs: readonly Answered[], shown: readonly Placed[]): Map<string, string> {
  const lastShown = new Map(shown.map((placed) => [placed.answered, placed]))
  const cursors = new Map<string, string>()
  for (const answered of legs) {
    const cursor = resumeCursor(answered, lastShown.get(answered))
    if (cursor !== null) cursors.set(answered.leg.hostId, cursor)
  }
  return cursors
}

/** @returns null where the host has nothing left to show. Without per-hit cursors the host's own page end stands in. */
function resumeCursor({ leg, results, hitCount }: Answered, last: Placed | undefined): string | null {
  const pageEnd = results.page.hasMore ? results.page.cursor : null
  const shownCount = last === undefined ? 0 : last.at + 1
  if (shownCount === hitCount) return pageEnd
  if (last === undefined) return leg.cursor ?? results.page.startCursor ?? pageEnd
  return last.hit.cursor ?? pageEnd
}

function mergeTruncated(legs: readonly Answered[]): Truncated {
  const parts = legs.map(({ results }) => results.truncated)
  return {
    candidates: parts.some((part) => part.candidates),
    snippets: parts.reduce((sum, part) => sum + part.snippets, 0),
    query: parts.some((part) => part.query),
    freshness: parts.some((part) => part.freshness),
  }
}

/** A host's own cursor belongs to a walk over that host alone. */
function withoutCursor(hit: Hit): Hit {
  const { cursor: _hosts, ...rest } = hit
  return rest
}
