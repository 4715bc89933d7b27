import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Hit } from '../../protocol/session-search/hit.ts'
import { decodeMergedCursor } from '../../protocol/session-search/merged-cursor.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import type { LandedLeg } from './fan-out.ts'
import { createMerge } from './merge.ts'

/** `id@day`, newest day greatest. */
function hit(text: string): Hit {
  const [sessionId = '', day = ''] = text.split('@')
  return {
    agent: 'claude',
    sessionId,
    title: '',
    cwd: null,
    branch: null,
    updatedAt: day === '' ? null : `2026-01-0${day}T00:00:00.000Z`,
    messageCount: 1,
    score: 0,
    source: { presence: 'present' },
    evidence: null,
    cursor: `after ${sessionId}`,
  }
}

function leg(hostId: string, hits: readonly string[]): LandedLeg {
  const results: SearchResults = {
    kind: 'results',
    hits: hits.map(hit),
    page: { cursor: `end of ${hostId}`, hasMore: true, startCursor: `start of ${hostId}` },
    generation: 1,
    truncated: { candidates: false, snippets: 1, query: false, freshness: false },
    durationMs: 1,
  }
  return {
    leg: { hostId, host: null, cursor: undefined },
    results,
    report: { executionHostId: hostId, outcome: 'results', durationMs: 1 },
  }
}

function merged(
  legs: readonly LandedLeg[],
  {
    limit,
    paging,
    landing = legs,
  }: { limit: number; paging: 'plain' | 'complete'; landing?: readonly LandedLeg[] },
): SearchResults {
  const merge = createMerge(limit, paging)
  for (const landed of landing) merge.add(landed)
  return merge.finish({ reports: legs.map(({ report }) => report), durationMs: 1, show: (shown) => shown })
}

const ids = (results: SearchResults) => results.hits.map(({ sessionId }) => sessionId)
const cursors = (results: SearchResults) =>
  Object.fromEntries(decodeMergedCursor(results.page.cursor ?? '') ?? [])

describe('createMerge', () => {
  it('keeps the newest of all legs, and puts in order what a leg sent out of order', () => {
    const legs = [leg('local', ['a@1', 'b@5', 'c']), leg('runtime:r', ['d@4', 'e@2'])]
    expect(ids(merged(legs, { limit: 3, paging: 'plain' }))).toEqual(['b', 'd', 'e'])
    expect(ids(merged(legs, { limit: 9, paging: 'plain' }))).toEqual(['b', 'd', 'e', 'a', 'c'])
  })

  it('shows the beginning of what a leg sent under complete paging, and goes on after the last of it', () => {
    const legs = [leg('local', ['a@1', 'b@5']), leg('runtime:r', ['d@4', 'e@2']), leg('ssh:s', ['f'])]
    const page = merged(legs, { limit: 3, paging: 'complete' })
    expect(ids(page)).toEqual(['d', 'e', 'a'])
    expect(cursors(page)).toEqual({
      local: 'after a',
      'runtime:r': 'end of runtime:r',
      'ssh:s': 'start of ssh:s',
    })
  })

  it('answers the same whichever leg lands first', () => {
    const hits = fc.array(fc.constantFrom('a@1', 'b@1', 'c@2', 'd@3', 'e@4', 'f', 'g'), { maxLength: 5 })
    const legs = fc
      .tuple(hits, hits, hits)
      .map((lists) => lists.map((list, at) => leg(['local', 'runtime:r', 'ssh:s'][at] ?? '', list)))
    const run = legs.chain((all) =>
      fc.record({
        all: fc.constant(all),
        landing: fc.shuffledSubarray(all, { minLength: all.length }),
        limit: fc.integer({ min: 1, max: 12 }),
        paging: fc.constantFrom('plain' as const, 'complete' as const),
      }),
    )
    fc.assert(
      fc.property(run, ({ all, landing, limit, paging }) => {
        expect(merged(all, { limit, paging, landing })).toEqual(merged(all, { limit, paging }))
      }),
    )
  })
})
