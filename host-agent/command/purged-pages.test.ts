/** A search whose pages are walked while the index drops what is too old, from the purge itself to the answer. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../protocol/session-search/request.ts'
import { createIndexingDesk, type IndexingDesk, linesOf } from '../../test/helpers/indexing-desk.ts'
import { loadSqlDriver } from '../index/driver/load-driver.ts'
import { openIndexForReading } from '../index/open-index.ts'
import { hideOldSessions } from '../index/purge.ts'
import { createSessionSearchService } from '../search/search-service.ts'

const dayMs = 86_400_000
let desk: IndexingDesk
beforeEach(() => {
  desk = createIndexingDesk()
  desk.clock.advance(1000 * dayMs)
})
afterEach(() => desk[Symbol.dispose]())

describe('a search over an index that keeps the sessions of the last days', () => {
  it.each(['newest', 'relevance'] as const)(
    '[index.purge-stale-once] refuses the cursor of a walk by %s after a purge, every time, and goes on from a new page 1',
    async (sort) => {
      for (let at = 0; at < 6; at++) {
        const atMs = desk.clock.now() - (26 + at) * dayMs
        desk.write(`sessions/s${at}.jsonl`, linesOf({ say: `needle ${at}`, atMs }), atMs / 1000)
      }
      await using indexer = desk.indexer({ historyDays: 40 })
      await indexer.start()
      await indexer.reconcile({ full: true })
      using index = openIndexForReading({ driver: loadSqlDriver(), path: desk.indexPath })
      const service = createSessionSearchService({
        index,
        indexing: indexer,
        clock: desk.clock,
        platform: 'linux',
      })
      const search = async (overrides: Partial<SearchRequest>) => {
        const request = { query: 'needle', limit: 2, filters: { sort }, ...overrides } as SearchRequest
        return await service.search(request, { signal: new AbortController().signal })
      }
      const page = async (cursor?: string) => {
        const answer = await search(cursor === undefined ? {} : { cursor })
        if (answer.kind !== 'results') throw new Error(JSON.stringify(answer))
        return { ids: answer.hits.map(({ sessionId }) => sessionId), cursor: answer.page.cursor ?? undefined }
      }

      const first = await page()
      expect(first.ids).toHaveLength(2)
      expect((await page(first.cursor)).ids).toHaveLength(2)
      // Days pass, and the two oldest sessions are too old now.
      desk.clock.advance(10.5 * dayMs)
      await indexer.reconcile({ full: false })
      for (let again = 0; again < 2; again++)
        expect(await search({ cursor: first.cursor })).toMatchObject({ kind: 'stale-cursor' })

      const anew = await page()
      const rest = await page(anew.cursor)
      expect([...anew.ids, ...rest.ids].sort()).toEqual(['s0', 's1', 's2', 's3'])
      // Once: passes that purge nothing more let the walk go on.
      await indexer.reconcile({ full: true })
      expect((await page(anew.cursor)).ids).toEqual(rest.ids)
    },
  )

  it.each(['newest', 'relevance'] as const)(
    'finds by %s nothing of a session that is hidden and not yet deleted',
    async (sort) => {
      for (const at of [1, 2, 3])
        desk.write(
          `sessions/s${at}.jsonl`,
          linesOf({ say: `needle ${at} rareword${at}`, atMs: desk.clock.now() - at * 10 * dayMs }),
        )
      await using indexer = desk.indexer()
      await indexer.start()
      await indexer.reconcile({ full: true })
      using writing = desk.openIndex()
      expect(hideOldSessions(writing, desk.clock.now() - 25 * dayMs)).toBe(1)
      using index = openIndexForReading({ driver: loadSqlDriver(), path: desk.indexPath })
      const service = createSessionSearchService({
        index,
        indexing: indexer,
        clock: desk.clock,
        platform: 'linux',
      })
      const found = async (query: string) => {
        const request = { query, limit: 20, filters: { sort } } as SearchRequest
        const answer = await service.search(request, { signal: new AbortController().signal })
        return answer.kind === 'results' ? answer.hits.map(({ sessionId }) => sessionId).sort() : answer
      }
      expect(await found('needle')).toEqual(['s1', 's2'])
      expect(await found('rareword3')).toEqual([])
    },
  )
})
