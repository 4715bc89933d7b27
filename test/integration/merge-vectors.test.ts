/** The merge vectors end to end: a real fan-out over every carrier, to agents that answer what each vector says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostRegistry } from '../../gateway/hosts/registry.ts'
import { searchSessions, searchStatus } from '../../gateway/search/search-sessions.ts'
import { systemClock } from '../../protocol/clock.ts'
import { parseHostId } from '../../protocol/host-id.ts'
import { methodTable, parseParams } from '../../protocol/rpc/methods.ts'
import { decodeMergedCursor } from '../../protocol/session-search/merged-cursor.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { type CarrierRig, usableCarriers } from '../helpers/carriers.ts'
import vectors from '../vectors/merge.json' with { type: 'json' }

interface Expected {
  order?: string[]
  hosts?: Record<string, string>
  generation?: number
  cursor?: Record<string, string> | null
  hasMore?: boolean
  sentToEachLeg?: unknown
  followUpAsks?: Record<string, string>
  truncated?: unknown
  absentFromJson?: string[]
  droppedHits?: Record<string, number>
}

interface Vector {
  name: string
  request: Record<string, unknown>
  legs: Record<string, unknown>
  expect: Expected
}

describe.each(await usableCarriers())('searchSessions under all, over $name', (carrier) => {
  let rig: CarrierRig

  beforeAll(async () => {
    rig = await carrier.start(3)
  })
  afterAll(async () => await rig?.[Symbol.asyncDispose]())

  it.each(vectors.merge as Vector[])(
    '[merge.recency] [merge.newest-forced] [merge.generation-local] [merge.truncation] [merge.no-debug] [merge.cursor-map] [merge.follow-up] [merge.has-more] [merge.hosts] [merge.one-leg-fails] [routing.stamp] [routing.all-legs] [boundary.parse-both] [exposure.both-ends] $name',
    async (vector) => {
      const ids = Object.keys(vector.legs)
      const desk = await deskFor(rig, vector.legs)
      const answer = await search(desk, { ...vector.request, executionHostId: 'all' })
      check(answer, vector.expect)

      const asked = await Promise.all(
        ids.map(async (id, at) => (vector.legs[id] === 'throws' ? null : await askedOf(rig, at))),
      )
      for (const params of asked) {
        if (params === null || vector.expect.sentToEachLeg === undefined) continue
        expect(params.map(withoutDeadline)).toEqual([vector.expect.sentToEachLeg])
      }
      if (vector.expect.followUpAsks === undefined) return
      const followUp = await search(await deskFor(rig, vector.legs), {
        ...vector.request,
        executionHostId: 'all',
        cursor: answer.page.cursor,
      })
      expect(followUp.hosts?.map((leg) => leg.executionHostId).sort()).toEqual(
        Object.keys(vector.expect.followUpAsks).sort(),
      )
      for (const [at, id] of ids.entries()) {
        const cursors = (await askedOf(rig, at)).map((params) => (params as { cursor?: string }).cursor)
        const expected = vector.expect.followUpAsks[id]
        expect(cursors).toEqual(expected === undefined ? [] : [expected])
      }
    },
  )

  it('[merge.gone-host] reports a host that only the cursor knows as unreachable, and the others answer', async () => {
    const legs = { local: resultsWith('a') }
    const cursor = vectors.cursors.cases[0]?.text
    const answer = await search(await deskFor(rig, legs), { query: 'q', executionHostId: 'all', cursor })
    expect(answer.hosts).toMatchObject([
      { executionHostId: 'local', outcome: 'results' },
      { executionHostId: 'ssh:gone', outcome: 'unreachable', reason: 'not-configured' },
    ])
    expect(answer.hits).toHaveLength(1)
  })

  it('[merge.malformed-no-contact] contacts no host for a merged cursor that is not one', async () => {
    const desk = await deskFor(rig, { local: resultsWith('a') })
    for (const { text, hosts } of vectors.cursors.cases) {
      if (hosts !== null) continue
      const answer = await ask(desk, { query: 'q', executionHostId: 'all', cursor: text })
      expect(answer).toEqual({ kind: 'malformed-cursor' })
    }
    expect(await askedOf(rig, 0)).toEqual([])
  })

  it('[merge.hosts-absent-single] [routing.ssh-only-that] asks one host and nothing else, without a hosts list', async () => {
    const desk = await deskFor(rig, { local: resultsWith('mine'), 'ssh:h': resultsWith('theirs') })
    const answer = await search(desk, { query: 'q', executionHostId: 'ssh:h' })
    expect(answer.hosts).toBeUndefined()
    expect(answer.hits.map((hit) => [hit.executionHostId, hit.sessionId])).toEqual([['ssh:h', 'theirs']])
    expect(await askedOf(rig, 0)).toEqual([])
  })

  it('[routing.unknown-refused] [routing.status-never-all] refuses an id that names no host, and asks nobody', async () => {
    const desk = await deskFor(rig, { local: resultsWith('a') })
    for (const executionHostId of ['ssh:unknown', 'nope', '', 'ssh:', 'LOCAL']) {
      const refused = await ask(desk, { query: 'q', executionHostId }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'unknown_host' })
    }
    const call = { exposure: 'ipc', signal: new AbortController().signal, notify: () => {} } as const
    await expect(searchStatus(desk, 'all', call)).rejects.toMatchObject({ code: 'unknown_host' })
    expect(await askedOf(rig, 0)).toEqual([])
  })

  it('[exposure.per-leg] [exposure.both-ends] keeps a local hit whole for ipc, and redacts a remote one again', async () => {
    const leak = { source: { presence: 'present', filePath: '/planted' }, resumeCommand: 'planted' }
    const desk = await deskFor(rig, {
      local: resultsWith('mine', leak),
      'runtime:r': resultsWith('theirs', leak),
    })
    const { hits } = await search(desk, { query: 'q', executionHostId: 'all' })
    expect(hits.find((hit) => hit.sessionId === 'mine')).toMatchObject(leak)
    expect(JSON.stringify(hits.filter((hit) => hit.sessionId === 'theirs'))).not.toContain('planted')
    const relayed = await ask(desk, { query: 'q', executionHostId: 'all' }, 'relay')
    expect(JSON.stringify(relayed)).not.toContain('planted')
  })

  it('[merge.duration-whole] [routing.local-may-omit] measures the whole fan-out, whatever the legs say of theirs', async () => {
    const desk = await deskFor(rig, { local: { ...resultsWith('a'), durationMs: 987_654 } })
    const answer = await search(desk, { query: 'q', executionHostId: 'all' })
    expect(answer.durationMs).toBeLessThan(5_000)
    expect(answer.hits).toHaveLength(1)
  })

  it('[response.debug-off] [boundary.parse-both] passes a debug report on only where it was asked for', async () => {
    const debug = { route: 'or', plannerReport: { route: 'or', scope: 'all' } }
    const desk = await deskFor(rig, { local: { ...resultsWith('a'), debug } })
    expect(await search(desk, { query: 'q' })).not.toHaveProperty('debug')
    expect(await search(desk, { query: 'q', debug: true })).toMatchObject({ debug })
  })

  it('[routing.all-legs] cancels every leg still out when the caller leaves', async () => {
    const desk = await deskFor(rig, { local: resultsWith('a'), 'ssh:h': resultsWith('b') })
    await rig.slots[1]?.script({ search: { kind: 'silence' } })
    const leave = new AbortController()
    const request = parseParams(methodTable['aiVault.searchSessions'].gateway, {
      query: 'q',
      executionHostId: 'all',
      partialResultToken: 1,
    })
    const notify = () => leave.abort()
    await expect(
      searchSessions(desk, request, { exposure: 'ipc', signal: leave.signal, notify }),
    ).rejects.toMatchObject({ code: 'cancelled' })
    expect(await rig.slots[1]?.ask('scripted')).toMatchObject({ cancelled: 1 })
  })

  it('passes each leg on as it lands, redacted for its caller, before the whole answer', async () => {
    const leak = { source: { presence: 'present', filePath: '/planted' }, resumeCommand: 'planted' }
    const desk = await deskFor(rig, { local: resultsWith('a', leak), 'ssh:h': resultsWith('b', leak) })
    const landed: unknown[] = []
    const request = parseParams(methodTable['aiVault.searchSessions'].gateway, {
      query: 'q',
      executionHostId: 'all',
      partialResultToken: 'p',
    })
    await searchSessions(desk, request, {
      exposure: 'relay',
      signal: new AbortController().signal,
      notify: (_method, params) => landed.push(params),
    })
    expect(landed).toHaveLength(2)
    expect(landed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          token: 'p',
          value: expect.objectContaining({ executionHostId: 'ssh:h', outcome: 'results' }),
        }),
      ]),
    )
    expect(JSON.stringify(landed)).not.toContain('planted')
  })

  it('[availability.old-host] takes only "method not found" for an absent service', async () => {
    const desk = await deskFor(rig, { local: { kind: 'nonsense' } })
    await expect(ask(desk, { query: 'q' })).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'protocol' },
    })
    const old = rig.slots[1]?.as('ssh:old', 'ssh')
    const registry = createHostRegistry(
      old === undefined
        ? []
        : [{ ...old, call: async (_method, ...rest) => await old.call('no.such.method', ...rest) }],
    )
    const answer = await ask({ ...desk, registry }, { query: 'q', executionHostId: 'ssh:old' })
    expect(answer).toEqual({ kind: 'unavailable', reason: 'no-service' })
  })
})

type Desk = Parameters<typeof searchSessions>[0]

async function deskFor(rig: CarrierRig, legs: Record<string, unknown>): Promise<Desk> {
  const hosts = await Promise.all(
    Object.entries(legs).map(async ([id, leg], at) => {
      const slot = rig.slots[at]
      if (slot === undefined) throw new Error('not enough slots')
      await slot.script({ search: leg === 'throws' ? { kind: 'die' } : { kind: 'answer', value: leg } })
      return slot.as(id, parseHostId(id)?.kind ?? 'runtime')
    }),
  )
  return { registry: createHostRegistry(hosts), legTimeoutMs: 5_000, clock: systemClock }
}

async function ask(desk: Desk, params: Record<string, unknown>, exposure: 'ipc' | 'relay' = 'ipc') {
  const request = parseParams(methodTable['aiVault.searchSessions'].gateway, params)
  return await searchSessions(desk, request, {
    exposure,
    signal: new AbortController().signal,
    notify: () => {},
  })
}

async function search(desk: Desk, params: Record<string, unknown>): Promise<SearchResults> {
  const answer = await ask(desk, params)
  if (answer.kind !== 'results') throw new Error(`answered ${answer.kind}`)
  return answer
}

async function askedOf(rig: CarrierRig, at: number): Promise<unknown[]> {
  const { asked } = (await rig.slots[at]!.ask('scripted')) as { asked: unknown[] }
  return asked
}

function withoutDeadline(params: unknown): unknown {
  const { deadlineMs, ...rest } = params as { deadlineMs: number }
  expect(deadlineMs).toBeGreaterThan(0)
  return rest
}

function check(answer: SearchResults, expected: Expected): void {
  const text = JSON.stringify(answer)
  if (expected.order !== undefined) {
    expect(answer.hits.map((hit) => `${hit.executionHostId}/${hit.sessionId}`)).toEqual(expected.order)
  }
  if (expected.hosts !== undefined) {
    expect(Object.fromEntries(answer.hosts?.map((leg) => [leg.executionHostId, leg.outcome]) ?? [])).toEqual(
      expected.hosts,
    )
  }
  if (expected.generation !== undefined) expect(answer.generation).toBe(expected.generation)
  if (expected.hasMore !== undefined) expect(answer.page.hasMore).toBe(expected.hasMore)
  if (expected.truncated !== undefined) expect(answer.truncated).toEqual(expected.truncated)
  if (expected.cursor !== undefined) {
    const map = answer.page.cursor === null ? null : decodeMergedCursor(answer.page.cursor)
    expect(map === null ? null : Object.fromEntries(map)).toEqual(expected.cursor)
  }
  for (const [id, count] of Object.entries(expected.droppedHits ?? {})) {
    expect(answer.hosts?.find((leg) => leg.executionHostId === id)?.droppedHits).toBe(count)
  }
  for (const planted of expected.absentFromJson ?? []) expect(text).not.toContain(planted)
}

function resultsWith(sessionId: string, more: Record<string, unknown> = {}) {
  return {
    kind: 'results',
    hits: [
      {
        agent: 'claude',
        sessionId,
        title: sessionId,
        cwd: null,
        branch: null,
        updatedAt: '2026-01-01T00:00:00Z',
        messageCount: 1,
        score: 1,
        source: { presence: 'present' },
        evidence: null,
        ...more,
      },
    ],
    page: { cursor: null, hasMore: false },
    generation: 1,
    truncated: { candidates: false, snippets: 0, query: false, freshness: false },
    durationMs: 1,
  }
}
