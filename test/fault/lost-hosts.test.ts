/** Runtime hosts that are down, hang, refuse or die while they are asked: what the caller is told, and how soon. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostList } from '../../protocol/rpc/describe.ts'
import { fromRpcError, TrawlError, toRpcError } from '../../protocol/rpc/errors.ts'
import { searchResponseSchema } from '../../protocol/session-search/response.ts'
import {
  createFaultDesk,
  type FaultDesk,
  type FaultDeskOptions,
  outcomes,
  runtimeHost,
} from '../helpers/fault-desk.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'
import { answerOf, startWsAgents, type WsAgents } from '../helpers/ws-agents.ts'

const open: AsyncDisposable[] = []
function keep<One extends AsyncDisposable>(one: One): One {
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

let agents: WsAgents
beforeEach(async () => {
  agents = keep(await startWsAgents())
})

async function start(names: readonly string[], more: Partial<FaultDeskOptions> = {}): Promise<FaultDesk> {
  const hosts = names.map((name) => runtimeHost(name, agents.url(name))).join('')
  const desk = keep(await createFaultDesk({ hosts, ...more }))
  await desk.ready('local')
  return desk
}
async function startReady(names: readonly string[], more: Partial<FaultDeskOptions> = {}) {
  const desk = await start(names, more)
  await desk.ready(...names.map((name) => `runtime:${name}`))
  return desk
}
async function untilDown(desk: FaultDesk, ...names: string[]): Promise<void> {
  for (const name of names) await desk.until(`runtime:${name}`, ({ state }) => state === 'offline')
}
const failureOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => {
      throw new Error('it did not fail')
    },
    (thrown: unknown) => TrawlError.from(thrown),
  )

describe('an `all` search over hosts that are down', () => {
  it('[link.1] loses less than 50 ms to twenty of them, and none of them is dialled for it', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `dead${at}`)
    for (const name of names) agents.kill(name)
    const desk = await start(['alive', ...names])
    await desk.ready('runtime:alive')
    await untilDown(desk, ...names)
    const before = names.map((name) => agents.links(name).ever)
    const { answer, elapsedMs, lagMs } = await desk.searchAll()
    expect(elapsedMs).toBeLessThan(50 + lagMs)
    expect(answer.hits.map(({ executionHostId }) => executionHostId)).toEqual(['runtime:alive'])
    for (const name of names) expect(outcomes(answer)[`runtime:${name}`]).toBe('offline')
    expect(names.map((name) => agents.links(name).ever)).toEqual(before)
  })

  it('[link.41] [link.64] [link.69] has an entry for every host there is, of each kind, with a reason for each that is lost', async () => {
    agents.kill('gone')
    const hosts = `${runtimeHost('here', agents.url('here'))}${runtimeHost('gone', agents.url('gone'))}
[[hosts]]\nid = "ssh:nowhere"\nssh.configFile = "no-such-config"\n[[hosts]]\nid = "runtime:bad"\nurl = "gopher://x"\ntoken = "t"\n`
    const desk = await start([], { hosts })
    await desk.ready('runtime:here')
    await untilDown(desk, 'gone')
    await desk.until('ssh:nowhere', ({ state }) => state === 'offline')
    const { answer } = await desk.searchAll()
    const listed = ((await desk.call('hosts.list')) as HostList).hosts
    expect(listed.map(({ executionHostId }) => executionHostId).sort()).toEqual(
      (answer.hosts ?? []).map(({ executionHostId }) => executionHostId).sort(),
    )
    expect(outcomes(answer)).toMatchObject({
      local: 'results',
      'runtime:here': 'results',
      'runtime:gone': 'offline',
      'runtime:bad': 'not-configured',
    })
    for (const leg of answer.hosts ?? [])
      if (leg.outcome !== 'results') expect(leg.reason).toEqual(expect.any(String))
  })

  it('[link.29] works though one entry of the configuration is wrong, which is shown with its reason', async () => {
    const hosts = `${runtimeHost('good', agents.url('good'))}${runtimeHost('bad', 'http://not-a-socket')}`
    const desk = await start([], { hosts })
    await desk.ready('runtime:good')
    const { answer } = await desk.searchAll()
    expect(answer.hits).toHaveLength(1)
    expect(await desk.host('runtime:bad')).toMatchObject({
      state: 'quarantined',
      reason: 'not-configured',
      detail: expect.stringContaining('url'),
    })
  })

  it('[link.25] is an answer that names every lost host when all are lost, and no empty success', async () => {
    const desk = await startReady(['a', 'b'])
    for (const name of ['a', 'b']) agents.kill(name)
    await untilDown(desk, 'a', 'b')
    const answer = await desk.search({ query: 'host:a host:b q' })
    expect(answer).toMatchObject({
      kind: 'results',
      hits: [],
      hosts: [
        { executionHostId: 'runtime:a', outcome: 'unreachable', reason: 'offline' },
        { executionHostId: 'runtime:b', outcome: 'unreachable', reason: 'offline' },
      ],
    })
  })

  it('[link.9] says on page 1 whom it lacks, and page 2 asks those of page 1 and nobody else', async () => {
    const desk = await startReady(['a', 'b'])
    agents.kill('b')
    await untilDown(desk, 'b')
    const more = { ...answerOf('a'), page: { cursor: 'more', hasMore: true } }
    agents.behave('a', { answer: more })
    const { answer: first } = await desk.searchAll({ query: 'host:a host:b q' })
    expect(outcomes(first)).toEqual({ 'runtime:a': 'results', 'runtime:b': 'offline' })
    agents.revive('b')
    await desk.until('runtime:b', ({ state }) => state === 'ready')
    const { answer: second } = await desk.searchAll({
      query: 'host:a host:b q',
      cursor: first.page.cursor ?? '',
    })
    expect(outcomes(second)).toEqual({ 'runtime:a': 'results' })
    expect(agents.asked('b')).toEqual([])
  })

  it('[link.10] is paged on by a gateway that has never seen its first page', async () => {
    agents.behave('a', { answer: { ...answerOf('a'), page: { cursor: 'more', hasMore: true } } })
    const one = await startReady(['a'])
    const { answer } = await one.searchAll()
    await one[Symbol.asyncDispose]()
    const other = await startReady(['a'])
    const { answer: second } = await other.searchAll({ cursor: answer.page.cursor ?? '' })
    expect(outcomes(second)).toEqual({ 'runtime:a': 'results' })
    expect(agents.asked('a').at(-1)).toMatchObject({ cursor: 'more' })
  })
})

describe('an `all` search over hosts that fail while they are asked', () => {
  it('[link.18] never counts a host that died meanwhile as one that answered', async () => {
    const desk = await startReady(['a', 'b'])
    agents.behave('b', 'die')
    const { answer, elapsedMs } = await desk.searchAll()
    expect(outcomes(answer)).toMatchObject({ 'runtime:a': 'results', 'runtime:b': 'offline' })
    expect(elapsedMs).toBeLessThan(5_000)
  })

  it('[link.8] tells a host with nothing to show from one that failed', async () => {
    const desk = await startReady(['none'])
    agents.behave('none', { answer: { ...answerOf('none'), hits: [] } })
    const { answer } = await desk.searchAll()
    expect(answer.hosts?.find(({ executionHostId }) => executionHostId === 'runtime:none')).toMatchObject({
      outcome: 'results',
      hits: 0,
    })
  })

  it('[link.68] tells a host that could not search from one that found nothing', async () => {
    const desk = await startReady(['blind', 'old'])
    agents.behave('blind', { answer: { kind: 'unavailable', reason: 'not-ready' } })
    agents.behave('old', { error: { code: -32601, message: 'Method not found' } })
    const { answer } = await desk.searchAll()
    expect(answer.hosts).toMatchObject([
      { outcome: 'results' },
      { outcome: 'unavailable', reason: 'not-ready' },
      { outcome: 'unavailable', reason: 'no-service' },
    ])
  })

  it('[link.13] [link.23] has a name of its own for each way to fail: timed out, refused, not understood, lost', async () => {
    const desk = await startReady(['slow', 'broken', 'odd', 'dying', 'denied'], { legTimeoutMs: 300 })
    agents.behave('slow', 'hang')
    agents.behave('broken', { error: { code: -32603, message: 'boom' } })
    agents.behave('odd', { answer: { kind: 'news' } })
    agents.behave('dying', 'die')
    agents.behave('denied', { error: { code: -32001, message: 'no', data: { code: 'unauthorized' } } })
    const { answer } = await desk.searchAll()
    expect(outcomes(answer)).toEqual({
      local: 'results',
      'runtime:slow': 'timeout',
      'runtime:broken': 'protocol',
      'runtime:odd': 'protocol',
      'runtime:dying': 'offline',
      'runtime:denied': 'auth-failed',
    })
  })

  it('[link.15] honours the time a caller gives, and gives no host more than its own', async () => {
    const desk = await startReady(['slow'], { legTimeoutMs: 400 })
    agents.behave('slow', 'hang')
    const short = await desk.searchAll({ deadlineMs: 150 })
    expect(short.elapsedMs).toBeLessThan(150 + 50 + short.lagMs)
    const long = await desk.searchAll({ deadlineMs: 60_000 })
    expect(long.elapsedMs).toBeGreaterThan(390)
    expect(long.elapsedMs).toBeLessThan(400 + 50 + long.lagMs)
    for (const params of agents.asked('slow'))
      expect((params as { deadlineMs: number }).deadlineMs).toBeLessThanOrEqual(400)
    expect((agents.asked('slow')[0] as { deadlineMs: number }).deadlineMs).toBeLessThanOrEqual(150)
  })

  it('[link.24] tells every host that is still at it when the caller leaves or its time is up', async () => {
    const desk = await startReady(['a', 'b'], { legTimeoutMs: 2_000 })
    for (const name of ['a', 'b']) agents.behave(name, 'hang')
    const leaving = new AbortController()
    const search = desk.search({}, leaving.signal)
    while (agents.asked('a').length + agents.asked('b').length < 2)
      await new Promise((resolve) => setTimeout(resolve, 2))
    leaving.abort()
    expect(await failureOf(search)).toMatchObject({ code: 'cancelled' })
    while (agents.cancelled('a') + agents.cancelled('b') < 2)
      await new Promise((resolve) => setTimeout(resolve, 2))
    await desk.searchAll({ deadlineMs: 100 })
    while (agents.cancelled('a') + agents.cancelled('b') < 4)
      await new Promise((resolve) => setTimeout(resolve, 2))
  })

  it('[link.35] fails a call over a link that has just ended at once', async () => {
    const desk = await startReady(['a'])
    agents.kill('a')
    await untilDown(desk, 'a')
    const startedMs = performance.now()
    expect(await failureOf(desk.search({ executionHostId: 'runtime:a' }))).toMatchObject({
      code: 'unreachable',
      details: { reason: 'offline' },
    })
    expect(performance.now() - startedMs).toBeLessThan(50)
  })

  it('[link.39] loses the one answer that is too large, and neither the link nor the next', async () => {
    const desk = await startReady(['large'])
    agents.behave('large', { answer: 'x'.repeat(17 * 1024 * 1024) })
    expect(outcomes((await desk.searchAll()).answer)['runtime:large']).toBe('protocol')
    agents.behave('large', 'answer')
    expect(outcomes((await desk.searchAll()).answer)['runtime:large']).toBe('results')
    expect(agents.links('large').ever).toBe(1)
  })

  it('[link.26] always carries what became of each host, and that survives parsing', async () => {
    const desk = await startReady(['a'])
    const { answer } = await desk.searchAll()
    expect(searchResponseSchema.parse(JSON.parse(JSON.stringify(answer)))).toMatchObject({
      hosts: [
        { executionHostId: 'local', outcome: 'results' },
        { executionHostId: 'runtime:a', outcome: 'results' },
      ],
    })
    const { outcome: _left, ...without } = answer.hosts?.[1] ?? {}
    expect(searchResponseSchema.safeParse({ ...answer, hosts: [without] }).success).toBe(false)
  })
})

describe('strict', () => {
  it('[link.6] [link.19] is what the request says, not the configuration: the same loss is a page without it, and an error with it', async () => {
    const desk = await startReady(['a', 'b'])
    agents.kill('b')
    await untilDown(desk, 'b')
    const { answer } = await desk.searchAll()
    expect(answer.hits).toHaveLength(1)
    const error = await failureOf(desk.search({ strict: true }))
    expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('1 of 3') })
    const legs = (list: readonly object[] | undefined) =>
      list?.map((leg) => ({ ...leg, durationMs: expect.any(Number) }))
    expect(error.details.hosts).toEqual(legs(answer.hosts))
    // It crosses the wire whole.
    expect(fromRpcError(toRpcError(error)).details.hosts).toEqual(error.details.hosts)
    agents.revive('b')
    await desk.until('runtime:b', ({ state }) => state === 'ready')
    expect(await desk.search({ strict: true })).toMatchObject({ kind: 'results' })
    expect(agents.asked('b').at(-1)).not.toHaveProperty('strict')
  })
})

describe('what other methods say of hosts that are lost', () => {
  it('[link.4] is at once and from memory: the list of ten hosts that hang takes no time', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `slow${at}`)
    const desk = await startReady(names)
    for (const name of names) agents.behave(name, 'hang')
    const startedMs = performance.now()
    const { hosts } = (await desk.call('hosts.list')) as HostList
    expect(performance.now() - startedMs).toBeLessThan(50)
    for (const host of hosts) expect(host.lastSeenAt).toEqual(expect.any(Number))
    expect(names.flatMap((name) => agents.asked(name))).toEqual([])
  })

  it('[link.7] is the same as what a search says: list, search, status and reading', async () => {
    agents.kill('gone')
    const refusing = createServer().listen(0, '127.0.0.1')
    refusing.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n'))
    await once(refusing, 'listening')
    keep({ [Symbol.asyncDispose]: async () => void refusing.close() })
    const { port } = refusing.address() as AddressInfo
    const hosts = `${runtimeHost('gone', agents.url('gone'))}${runtimeHost('locked', `ws://127.0.0.1:${port}/rpc`)}`
    const desk = await start([], { hosts })
    await untilDown(desk, 'gone', 'locked')
    const { answer } = await desk.searchAll()
    for (const [id, reason] of [
      ['runtime:gone', 'offline'],
      ['runtime:locked', 'auth-failed'],
    ] as const) {
      expect((await desk.host(id)).reason).toBe(reason)
      expect(outcomes(answer)[id]).toBe(reason)
      const params = { executionHostId: id, agent: 'claude', sessionId: 's' }
      for (const method of ['aiVault.searchStatus', 'aiVault.readSession', 'host.describe'])
        expect(await failureOf(desk.call(method, params))).toMatchObject({
          code: 'unreachable',
          details: { reason },
        })
    }
  })

  it('[link.75] shows a remote caller no path, in the status neither', async () => {
    const status = {
      enabled: true,
      phase: 'degraded',
      filesIndexed: 1,
      filesDue: 0,
      filesFailed: 0,
      degradedRoots: [{ root: '/planted/root', reason: 'EACCES /planted/root' }],
      lastReconcileAt: 1,
      lastSweepCompletedAt: 1,
      generation: 1,
    }
    const planted = {
      ...answerOf('a'),
      hits: [
        {
          ...answerOf('a').hits[0],
          source: { presence: 'present', filePath: '/planted/file' },
          resumeCommand: 'planted',
        },
      ],
    }
    const desk = await startReady(['a'], { exposure: 'relay' })
    agents.behave('a', { answer: planted, status })
    for (const method of ['aiVault.searchStatus', 'aiVault.searchSessions']) {
      const told = JSON.stringify(await desk.call(method, { executionHostId: 'runtime:a', query: 'q' }))
      expect(told).not.toContain('planted')
    }
    agents.kill('a')
    await untilDown(desk, 'a')
    expect(JSON.stringify(await desk.call('hosts.list'))).not.toContain('detail')
  })
})

describe('a host whose queries hang', () => {
  it('[link.17] [link.28] is not asked any more after three, which is shown with reason and time, until it answers a ping', async () => {
    const clock = createScaledClock(50)
    const desk = await startReady(['hung'], { clock, legTimeoutMs: 5_000 })
    agents.behave('hung', 'hang')
    for (let query = 0; query < 3; query++)
      expect(outcomes((await desk.searchAll()).answer)['runtime:hung']).toBe('timeout')
    expect(agents.asked('hung')).toHaveLength(3)
    const entry = await desk.host('runtime:hung')
    expect(entry).toMatchObject({ state: 'ready', breaker: 'open', reason: 'timeout' })
    expect(entry.retryAt).toBeGreaterThan(clock.now())
    const held = await desk.searchAll()
    expect(held.elapsedMs).toBeLessThan(50 + held.lagMs)
    expect(
      held.answer.hosts?.find(({ executionHostId }) => executionHostId === 'runtime:hung'),
    ).toMatchObject({
      outcome: 'unreachable',
      reason: 'timeout',
      skipped: true,
    })
    expect(agents.asked('hung')).toHaveLength(3)
    agents.behave('hung', 'answer')
    await desk.until('runtime:hung', ({ breaker }) => breaker === 'closed')
    expect(agents.asked('hung')).toHaveLength(3)
    expect(outcomes((await desk.searchAll()).answer)['runtime:hung']).toBe('results')
  })
})
