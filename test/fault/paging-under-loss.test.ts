/** Pages over several hosts, some of which leave on the way: nothing twice, and nothing left out of those that stay. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHostRegistry } from '../../gateway/hosts/registry.ts'
import { searchSessions } from '../../gateway/search/search-sessions.ts'
import { systemClock } from '../../protocol/clock.ts'
import { compareText } from '../../protocol/session-search/hit-order.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { type ListedHost, listedHit, listedHost } from '../helpers/listed-host.ts'

async function page(
  hosts: readonly ListedHost[],
  limit: number,
  cursor: string | null,
): Promise<SearchResults> {
  const answer = await searchSessions(
    { registry: createHostRegistry(hosts), legTimeoutMs: 1000, clock: systemClock },
    { query: 'q', limit, executionHostId: 'all', paging: 'complete', ...(cursor === null ? {} : { cursor }) },
    { exposure: 'ipc', signal: new AbortController().signal, notify: () => {} },
  )
  if (answer.kind !== 'results') throw new Error(answer.kind)
  return answer
}

/** @returns `host/session` in the order shown; `before` runs ahead of each page with its number. */
async function walk(
  hosts: readonly ListedHost[],
  limitOf: (page: number) => number,
  before: (page: number) => void = () => {},
): Promise<string[]> {
  const shown: string[] = []
  let cursor: string | null = null
  for (let number = 0; ; number++) {
    before(number)
    const { hits, page: place } = await page(hosts, limitOf(number), cursor)
    shown.push(...hits.map((hit) => `${hit.executionHostId}/${hit.sessionId}`))
    if (!place.hasMore) return shown
    // A page that promises more and gives no way to it would be a dead end.
    expect(place.cursor).toEqual(expect.any(String))
    cursor = place.cursor
  }
}

const tied = (id: string, count: number) =>
  listedHost(
    id,
    'runtime',
    Array.from({ length: count }, (_, at) =>
      listedHit(`s${String(at).padStart(2, '0')}`, '2026-01-01T00:00:00Z'),
    ),
  )

describe('pages over several hosts', () => {
  it('[link.11] skip none of many sessions of one instant, a page of one at a time', async () => {
    const hosts = [tied('runtime:b', 7), tied('runtime:a', 5)]
    const shown = await walk(hosts, () => 1)
    expect(shown).toHaveLength(12)
    expect(new Set(shown).size).toBe(12)
  })

  it('[link.12] order ties by host and session alone, whoever comes first', async () => {
    const forwards = await walk([tied('runtime:a', 3), tied('runtime:b', 3)], () => 4)
    const backwards = await walk([tied('runtime:b', 3), tied('runtime:a', 3)], () => 4)
    expect(forwards).toEqual(backwards)
    expect(forwards).toEqual([...forwards].sort(compareText))
  })

  it('[link.30] [link.31] [link.32] come to the end of the whole set, whatever the limits and whoever leaves', async () => {
    const hostsOf = fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 12 }), {
      minLength: 2,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(
        hostsOf,
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
        fc.record({ host: fc.nat(3), page: fc.integer({ min: 0, max: 3 }) }),
        async (days, limits, leaving) => {
          const hosts = days.map((list, at) =>
            listedHost(
              `runtime:h${at}`,
              'runtime',
              list.map((day, index) => listedHit(`s${index}`, `2026-01-0${day + 1}T00:00:00Z`)),
            ),
          )
          const shown = await walk(
            hosts,
            (number) => limits[number % limits.length] ?? 1,
            (number) => {
              if (number === leaving.page) hosts[leaving.host]?.leave()
            },
          )
          expect(new Set(shown).size).toBe(shown.length)
          const wanted = hosts.flatMap(({ id, hits }, at) =>
            at === leaving.host ? [] : hits.map(({ sessionId }) => `${id}/${sessionId}`),
          )
          const gone = `runtime:h${leaving.host}/`
          expect(shown.filter((one) => !one.startsWith(gone)).sort()).toEqual(wanted.sort())
        },
      ),
      { numRuns: 150 },
    )
  })
})
