/** Paging over many hosts: what is lossy by contract, and what must lose nothing. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHostRegistry } from '../../gateway/hosts/registry.ts'
import { searchSessions } from '../../gateway/search/search-sessions.ts'
import { systemClock } from '../../protocol/clock.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import { compareText } from '../../protocol/session-search/hit-order.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { compareHits, type ListedHost, listedHit, listedHost } from '../helpers/listed-host.ts'

const hostIds = ['local', 'ssh:b', 'ssh:a', 'runtime:z', 'runtime:%C3%BC'] as const
// Few distinct times, so that ties and nulls are common.
const time = fc.option(
  fc.integer({ min: 0, max: 6 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString()),
)

const corpus = fc
  .array(
    fc.uniqueArray(fc.record({ name: fc.integer({ min: 0, max: 60 }), at: time }), {
      selector: ({ name }) => name,
      maxLength: 25,
    }),
    {
      minLength: 2,
      maxLength: 5,
    },
  )
  .map((lists) =>
    lists.map((list, at) => {
      const id = hostIds[at] ?? 'local'
      const kind = id === 'local' ? 'local' : id.startsWith('ssh') ? 'ssh' : 'runtime'
      return listedHost(
        id,
        kind,
        list.map(({ name, at: when }) => listedHit(`s${String(name).padStart(2, '0')}`, when)),
      )
    }),
  )

async function askAll(
  hosts: readonly ListedHost[],
  limit: number,
  cursor: string | null,
  paging: 'plain' | 'complete',
): Promise<SearchResults> {
  const answer = await searchSessions(
    { registry: createHostRegistry(hosts), legTimeoutMs: 1000, clock: systemClock },
    { query: 'q', limit, executionHostId: 'all', paging, ...(cursor === null ? {} : { cursor }) },
    { exposure: 'ipc', signal: new AbortController().signal, notify: () => {} },
  )
  if (answer.kind !== 'results') throw new Error(answer.kind)
  return answer
}

/** Walks to the end; `between` runs after each page with its number. */
async function walk(
  hosts: readonly ListedHost[],
  limit: number,
  between: (page: number) => void = () => {},
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < 400; page++) {
    const answer: SearchResults = await askAll(hosts, limit, cursor, 'complete')
    seen.push(...answer.hits.map(nameOf))
    expect(answer.hits.length).toBeLessThanOrEqual(limit)
    expect(answer.page.hasMore).toBe(answer.page.cursor !== null)
    if (answer.page.cursor === null) return seen
    cursor = answer.page.cursor
    between(page)
  }
  throw new Error('the walk does not end')
}

function nameOf(hit: Hit): string {
  return `${hit.executionHostId}/${hit.sessionId}`
}

function sortedUnion(hosts: readonly ListedHost[]): string[] {
  const all = hosts.flatMap((host) => host.hits.map((hit) => ({ ...hit, executionHostId: host.id })))
  return all
    .sort(
      (a, b) =>
        compareTimes(a, b) ||
        compareText(a.executionHostId, b.executionHostId) ||
        compareText(a.sessionId, b.sessionId),
    )
    .map(nameOf)
}

function compareTimes(a: Hit, b: Hit): number {
  return compareHits({ ...a, sessionId: '' }, { ...b, sessionId: '' })
}

describe('complete paging', () => {
  it('[merge.complete-lossless] gives the sorted union, each hit once, over 2–5 hosts and at any limit', async () => {
    await fc.assert(
      fc.asyncProperty(corpus, fc.integer({ min: 1, max: 100 }), async (hosts, limit) => {
        expect(await walk(hosts, limit)).toEqual(sortedUnion(hosts))
      }),
      { numRuns: 150 },
    )
  })

  it('[merge.complete-lossless] loses and doubles nothing when sessions are added between pages', async () => {
    await fc.assert(
      fc.asyncProperty(corpus, fc.integer({ min: 1, max: 10 }), async (hosts, limit) => {
        const before = sortedUnion(hosts)
        let added = 0
        const seen = await walk(hosts, limit, (page) => {
          const host = hosts[page % hosts.length]
          if (added < 20) host?.hits.push(listedHit(`new${added++}`, '2027-01-01T00:00:00.000Z'))
        })
        expect(seen.filter((name) => !name.includes('/new'))).toEqual(before)
        expect(new Set(seen).size).toBe(seen.length)
      }),
      { numRuns: 80 },
    )
  })

  it('[merge.complete-lossless] goes on with the rest, in order, when a host leaves', async () => {
    await fc.assert(
      fc.asyncProperty(
        corpus,
        fc.integer({ min: 1, max: 10 }),
        fc.nat({ max: 4 }),
        async (hosts, limit, leaver) => {
          const gone = hosts[leaver % hosts.length]
          const expected = sortedUnion(hosts)
          const seen = await walk(hosts, limit, (page) => {
            if (page === 0) gone?.leave()
          })
          const others = (name: string) => !name.startsWith(`${gone?.id}/`)
          expect(seen.filter(others)).toEqual(expected.filter(others))
          expect(seen).toEqual(expected.filter((name) => seen.includes(name)))
        },
      ),
      { numRuns: 80 },
    )
  })

  it('[merge.complete-lossless] falls back to plain paging for a host that sends no cursors of its hits', async () => {
    const old = listedHost('ssh:old', 'ssh', [
      listedHit('a', '2026-01-03T00:00:00Z'),
      listedHit('b', '2026-01-01T00:00:00Z'),
    ])
    const strip: ListedHost = {
      ...old,
      async call(method, paramsFor, options) {
        const answer = (await old.call(method, paramsFor, options)) as SearchResults
        const { startCursor: _start, ...page } = answer.page
        return { ...answer, page, hits: answer.hits.map(({ cursor: _cursor, ...hit }) => hit) }
      },
    }
    const newer = listedHost('local', 'local', [
      listedHit('c', '2026-01-04T00:00:00Z'),
      listedHit('d', '2026-01-02T00:00:00Z'),
    ])
    expect(await walk([newer, strip], 1)).toEqual(['local/c', 'local/d', 'ssh:old/b'])
  })
})

describe('plain paging', () => {
  it('[merge.plain-lossy] resumes each host where its own page ended: what lost the cut does not come back', async () => {
    const day = (at: number) => new Date(Date.UTC(2026, 0, at)).toISOString()
    const a = listedHost(
      'local',
      'local',
      [4, 3, 2, 1].map((at) => listedHit(`a${at}`, day(at))),
    )
    const b = listedHost(
      'ssh:b',
      'ssh',
      [8, 7, 6, 5].map((at) => listedHit(`b${at}`, day(at))),
    )
    const first = await askAll([a, b], 2, null, 'plain')
    expect(first.hits.map(nameOf)).toEqual(['ssh:b/b8', 'ssh:b/b7'])
    const second = await askAll([a, b], 2, first.page.cursor, 'plain')
    expect(second.hits.map(nameOf)).toEqual(['ssh:b/b6', 'ssh:b/b5'])
    expect(second.page).toEqual({ cursor: null, hasMore: false })
    expect(a.asked.map(({ limit }) => limit)).toEqual([2, 2])
  })
})
