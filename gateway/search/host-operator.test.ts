import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../protocol/clock.ts'
import { type QueryPart, readQuerySyntax } from '../../protocol/session-search/query-syntax.ts'
import type { SearchResponse, SearchResults } from '../../protocol/session-search/response.ts'
import { type ListedHost, listedHit, listedHost } from '../../test/helpers/listed-host.ts'
import type { Host } from '../hosts/host.ts'
import { createHostRegistry } from '../hosts/registry.ts'
import { readHostOperator, withHostOperators } from './host-operator.ts'
import { searchSessions } from './search-sessions.ts'

interface Desk {
  readonly hosts: Readonly<Record<'local' | 'ssh:devbox' | 'runtime:ci', ListedHost>>
  /** The query each host was last asked, by id; absent for a host that was not asked. */
  readonly queries: Map<string, string>
  ask(request: {
    query: string
    executionHostId?: string
    cursor?: string
    debug?: boolean
    limit?: number
  }): Promise<SearchResponse>
}

function desk(): Desk {
  const host = (id: string, kind: Host['kind'], ...sessions: string[]) =>
    listedHost(
      id,
      kind,
      sessions.map((name, at) => listedHit(name, new Date(Date.UTC(2026, 0, 1 + at)).toISOString())),
    )
  const hosts = {
    local: host('local', 'local', 'l1', 'l2'),
    'ssh:devbox': host('ssh:devbox', 'ssh', 'd1', 'd2'),
    'runtime:ci': host('runtime:ci', 'runtime', 'c1'),
  }
  const queries = new Map<string, string>()
  const recording = Object.values(hosts).map(
    (listed): Host => ({
      ...listed,
      label: listed.id === 'runtime:ci' ? 'Build Box' : listed.id,
      call: (method, paramsFor, options) => {
        queries.set(listed.id, (paramsFor(1000) as { query: string }).query)
        return listed.call(method, paramsFor, options)
      },
    }),
  )
  const ask: Desk['ask'] = ({ executionHostId = 'all', limit = 20, ...request }) =>
    searchSessions(
      { registry: createHostRegistry(recording), legTimeoutMs: 1000, clock: systemClock },
      { executionHostId, limit, ...request },
      { exposure: 'ipc', signal: new AbortController().signal, notify: () => {} },
    )
  return { hosts, queries, ask }
}

async function asked(query: string): Promise<string[]> {
  const { ask, queries } = desk()
  await ask({ query })
  return [...queries.keys()].sort()
}

function resultsOf(answer: SearchResponse): SearchResults {
  if (answer.kind !== 'results') throw new Error(answer.kind)
  return answer
}

describe('host: in a search of all hosts', () => {
  it('asks the hosts it names, by id, by target or by label, and any of several', async () => {
    expect(await asked('needle')).toEqual(['local', 'runtime:ci', 'ssh:devbox'])
    expect(await asked('needle host:ssh:devbox')).toEqual(['ssh:devbox'])
    expect(await asked('host:DEVBOX needle')).toEqual(['ssh:devbox'])
    expect(await asked('needle host:"build box"')).toEqual(['runtime:ci'])
    expect(await asked('needle host:ci host:local')).toEqual(['local', 'runtime:ci'])
    expect(await asked('needle host:all')).toEqual(['local', 'runtime:ci', 'ssh:devbox'])
    expect(await asked('needle -host:local')).toEqual(['runtime:ci', 'ssh:devbox'])
    expect(await asked('needle -host:all')).toEqual([])
    expect(await asked('"needle host:ci"')).toEqual(['local', 'runtime:ci', 'ssh:devbox'])
  })

  it('takes itself out of what hosts are asked, unless it is all there is', async () => {
    const { ask, queries } = desk()
    await ask({ query: 'agent:codex host:devbox "a  b" -draft' })
    expect(queries.get('ssh:devbox')).toBe('agent:codex "a  b" -draft')
    await ask({ query: 'host:devbox' })
    expect(queries.get('ssh:devbox')).toBe('host:devbox')
    await ask({ query: '"host:devbox"' })
    expect(queries.get('local')).toBe('"host:devbox"')
  })

  it('[routing.unknown-refused] reports a host nobody knows as one that could not be asked, and never asks others for it', async () => {
    const { ask, queries } = desk()
    const { hosts, hits } = resultsOf(await ask({ query: 'needle host:nowhere' }))
    expect(hits).toEqual([])
    expect(hosts).toEqual([
      {
        executionHostId: 'nowhere',
        outcome: 'unreachable',
        reason: 'not-configured',
        durationMs: expect.any(Number),
      },
    ])
    expect(queries.size).toBe(0)
    expect(resultsOf(await ask({ query: 'needle host:nowhere host:local' })).hosts).toHaveLength(2)
  })

  it('[cursor.one-query] goes on with the hosts of its cursor, and refuses the cursor of another choice', async () => {
    const { ask, queries } = desk()
    const first = resultsOf(await ask({ query: 'needle -host:ci', limit: 1 }))
    const cursor = first.page.cursor ?? ''
    queries.clear()
    const second = resultsOf(await ask({ query: 'needle -host:ci', limit: 1, cursor }))
    expect(second.hosts?.map((leg) => leg.executionHostId)).toEqual(['local', 'ssh:devbox'])
    queries.clear()
    expect(await ask({ query: 'needle host:local', cursor })).toEqual({ kind: 'malformed-cursor' })
    expect(queries.size).toBe(0)
  })
})

describe('host: in a search of one host', () => {
  it('leaves that host, or nobody', async () => {
    const { ask, queries } = desk()
    const found = resultsOf(await ask({ query: 'needle host:devbox', executionHostId: 'ssh:devbox' }))
    expect(found.hits.map((hit) => hit.sessionId)).toEqual(['d2', 'd1'])
    queries.clear()
    for (const query of ['needle host:devbox', 'needle -host:local', 'needle host:nowhere']) {
      const answer = resultsOf(await ask({ query, executionHostId: 'local' }))
      expect(answer).toMatchObject({ hits: [], page: { cursor: null, hasMore: false } })
      expect('hosts' in answer || 'debug' in answer).toBe(false)
    }
    expect(queries.size).toBe(0)
  })

  it('says in debug what it chose', async () => {
    const { ask } = desk()
    const answer = resultsOf(
      await ask({ query: 'needle host:devbox -host:x', executionHostId: 'local', debug: true }),
    )
    expect(answer.debug?.reading).toMatchObject({
      tier: 'none',
      operators: [
        { name: 'host', value: 'devbox', negative: false, means: 'only ssh:devbox' },
        { name: 'host', value: 'x', negative: true, means: 'no host of this gateway is called so' },
      ],
    })
  })
})

describe('readHostOperator', () => {
  it('leaves hosts no host: of its own making, and no less of the rest, whatever the text', () => {
    const registry = createHostRegistry(Object.values(desk().hosts))
    const piece = fc.constantFrom(
      'needle',
      '"a b"',
      '-x',
      'host:',
      'host:"',
      'host:ci',
      "-HOST:'q'",
      '“host:',
      'agent:pi',
      ' ',
      '登',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 4 }))), (pieces) => {
        const query = pieces.join(' ')
        const sent = readQuerySyntax(readHostOperator(query, registry).query)
        const others = readQuerySyntax(query).filter((part) => !isHost(part))
        if (others.length > 0) expect(sent.filter(isHost)).toEqual([])
        expect(sent.filter((part) => !isHost(part)).map(withoutPlace)).toEqual(others.map(withoutPlace))
      }),
      { numRuns: 500 },
    )
  })
})

function isHost(part: QueryPart): boolean {
  return part.kind === 'operator' && part.name === 'host'
}

function withoutPlace({ start: _start, end: _end, ...part }: QueryPart): object {
  return part
}

describe('withHostOperators', () => {
  const plain = { route: 'and', plannerReport: { route: 'and', scope: 'all' as const } }
  const hostsOwn = { name: 'host' as const, value: 'devbox', negative: false, means: 'nothing here' }
  const agent = { name: 'agent' as const, value: 'pi', negative: false, means: 'sessions of pi' }
  const reading = {
    ...{ words: [], phrases: [], prefixes: [], common: [], without: [], asText: [], repairs: [] },
    operators: [hostsOwn, agent],
    literal: false,
    tier: 'and' as const,
  }
  const choice = readHostOperator('host:devbox agent:pi', createHostRegistry(Object.values(desk().hosts)))

  it('puts what the gateway made of host: in the place of what the host made of it', () => {
    const { operators } = withHostOperators({ ...plain, reading }, choice).reading ?? {}
    expect(operators).toEqual([{ ...hostsOwn, means: 'only ssh:devbox' }, agent])
  })

  it('adds nothing to the report of a host that reads no operators', () => {
    expect(withHostOperators(plain, choice)).toEqual(plain)
  })
})
