/** The whole path with nothing in place of anything: three real agents, over stdio, SSH and WebSocket, and a gateway. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../../gateway/config.ts'
import { createGateway, type Gateway } from '../../gateway/gateway.ts'
import { systemClock } from '../../protocol/clock.ts'
import type { HostList } from '../../protocol/rpc/describe.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { SearchResponse, SearchResults } from '../../protocol/session-search/response.ts'
import {
  agentProgram,
  createRealHome,
  type ListeningAgent,
  type RealHome,
  type Session,
  startListeningAgent,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { createSshDesk, type SshDesk } from '../helpers/ssh-desk.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

const day = (at: number) => new Date(Date.UTC(2026, 0, at, 12)).toISOString()
const words = ['reconnect', 'loop', 'timer', 'socket', 'jitter']

/** Sessions in which words repeat across hosts, with ties and a session without a time. */
function sessionsOf(host: number): Session[] {
  return Array.from({ length: 9 }, (_, at) => ({
    sessionId: `0000000${host}-0000-4000-8000-00000000000${at}`,
    at: at === 8 ? null : day(1 + ((at * 3 + host) % 7)),
    user: `${words[at % 5]} trouble on host ${host}: ${words[(at + host) % 5]}`,
    assistant: `The ${words[(at * 2 + host) % 5]} needs work.`,
    cwd: `/work/app${at % 2}`,
  }))
}

const cannotRun = whyNoBuild() ?? whyNoSshd()

describe.skipIf(cannotRun !== null)('a gateway with three real hosts', () => {
  let dir: string
  let homes: RealHome[]
  let agent: ListeningAgent
  let desk: SshDesk
  let gateway: Gateway
  let oracle: Gateway

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'trawl-three-'))
    homes = await Promise.all(['laptop', 'devbox', 'ci', 'everything'].map((name) => createRealHome(name)))
    for (const host of [0, 1, 2]) {
      for (const session of sessionsOf(host)) {
        await homes[host]?.writeClaude(session)
        await homes[3]?.writeClaude(session)
      }
    }
    const [laptop, devbox, ci, everything] = homes as [RealHome, RealHome, RealHome, RealHome]
    agent = await startListeningAgent(ci)
    desk = await createSshDesk()
    const env = Object.entries(devbox.env).map(([name, value]) => `${name}=${value}`)
    const command = ['env', ...env, process.execPath, agentProgram, 'stdio'].join(' ')
    gateway = start(
      laptop,
      `[[hosts]]
id = "ssh:devbox"
ssh.configFile = "${join(desk.home.environment.homeDir, '.ssh/config')}"
ssh.agentCommand = "${command}"
[[hosts]]
id = "runtime:ci"
url = "${agent.url}"
token = "${agent.peerToken}"
[[hosts]]
id = "runtime:gone"
url = "ws://127.0.0.1:1/rpc"
token = "x"
[[hosts]]
id = "runtime:bad"
`,
      desk.home.environment.homeDir,
    )
    oracle = start(everything, '', everything.homeDir)
    await Promise.all([gateway.settled(30_000), oracle.settled(30_000)])
    for (const executionHostId of ['local', 'ssh:devbox', 'runtime:ci']) {
      await search({ query: 'trouble', executionHostId, freshness: 'wait-until-current' })
    }
    await search({ query: 'trouble', freshness: 'wait-until-current' }, 'ipc', oracle)
  }, 60_000)

  afterAll(async () => {
    await Promise.all([
      gateway?.[Symbol.asyncDispose](),
      oracle?.[Symbol.asyncDispose](),
      agent?.[Symbol.asyncDispose](),
    ])
    await desk?.[Symbol.asyncDispose]()
    for (const home of homes ?? []) await home[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  })

  function start(home: RealHome, toml: string, sshHome: string): Gateway {
    return createGateway({
      config: parseConfig(toml, {
        file: join(dir, 'config.toml'),
        homeDir: home.homeDir,
        isOpenToOthers: false,
        isThere: true,
      }),
      dataDir: home.dataDir,
      agentCommand: [process.execPath, agentProgram],
      env: home.env,
      homeDir: sshHome,
      log: pino({ level: 'silent' }),
      clock: systemClock,
      random: Math.random,
      createId: () => 'id',
    })
  }

  async function call(
    method: string,
    params: object,
    exposure: ExposureClass = 'ipc',
    at = gateway,
  ): Promise<unknown> {
    const serve = at.methodsFor({ exposure, name: 'test' }).get(method)
    return await serve?.(params, { signal: new AbortController().signal, notify: () => {} })
  }

  async function search(
    params: object,
    exposure: ExposureClass = 'ipc',
    at = gateway,
  ): Promise<SearchResults> {
    const answer = (await call('aiVault.searchSessions', params, exposure, at)) as SearchResponse
    if (answer.kind !== 'results') throw new Error(JSON.stringify(answer))
    return answer
  }

  async function walk(query: string, limit: number): Promise<Hit[]> {
    const hits: Hit[] = []
    let cursor: string | undefined
    do {
      const answer: SearchResults = await search({
        query,
        limit,
        cursor,
        executionHostId: 'all',
        paging: 'complete',
      })
      hits.push(...answer.hits)
      cursor = answer.page.cursor ?? undefined
    } while (cursor !== undefined)
    return hits
  }

  it('[routing.all-legs] [merge.hosts] asks every configured host and says what became of each', async () => {
    const { hosts } = await search({ query: 'trouble', executionHostId: 'all' })
    expect(hosts?.map(({ executionHostId, outcome, reason }) => [executionHostId, outcome, reason])).toEqual([
      ['local', 'results', undefined],
      ['ssh:devbox', 'results', undefined],
      ['runtime:ci', 'results', undefined],
      ['runtime:gone', 'unreachable', 'offline'],
      ['runtime:bad', 'unreachable', 'not-configured'],
    ])
  })

  it.each([...words, 'trouble', 'nothinghasthis'])(
    '[merge.complete-lossless] [merge.recency] finds for "%s" what one index of everything finds',
    async (query) => {
      const one = await search({ query, limit: 100, filters: { sort: 'newest' } }, 'ipc', oracle)
      const strip = (hit: Hit) => [hit.updatedAt, hit.title, hit.cwd, hit.evidence?.snippet, hit.messageCount]
      const byHost = (hit: Hit) => `${hit.updatedAt ?? ''} ${hit.sessionId}`
      for (const limit of [1, 2, 7, 100]) {
        const merged = await walk(query, limit)
        expect(merged.map(({ sessionId }) => sessionId).sort()).toEqual(
          one.hits.map(({ sessionId }) => sessionId).sort(),
        )
        expect(merged.map(({ updatedAt }) => updatedAt)).toEqual(one.hits.map(({ updatedAt }) => updatedAt))
        const find = (hit: Hit) => one.hits.find((other) => byHost(other) === byHost(hit))
        for (const hit of merged) expect(strip(hit)).toEqual(strip(find(hit) ?? hit))
      }
    },
  )

  it('[routing.ssh-only-that] [routing.stamp] asks one host for itself, over each carrier', async () => {
    for (const [at, executionHostId] of ['local', 'ssh:devbox', 'runtime:ci'].entries()) {
      const { hits } = await search({ query: 'trouble', executionHostId, limit: 100 })
      expect(hits.map((hit) => hit.sessionId).sort()).toEqual(
        sessionsOf(at).map((session) => session.sessionId),
      )
      expect(new Set(hits.map((hit) => hit.executionHostId))).toEqual(new Set([executionHostId]))
    }
  })

  it('[routing.discard-on-change] refuses a cursor of one host on another, over each carrier', async () => {
    const ids = ['local', 'ssh:devbox', 'runtime:ci']
    for (const [at, executionHostId] of ids.entries()) {
      const { page } = await search({ query: 'trouble', executionHostId, limit: 1 })
      const elsewhere = {
        query: 'trouble',
        limit: 1,
        executionHostId: ids[(at + 1) % 3],
        cursor: page.cursor,
      }
      expect(await call('aiVault.searchSessions', elsewhere)).toMatchObject({
        kind: expect.stringMatching(/^(stale|malformed)-cursor$/),
      })
    }
  })

  it('[exposure.per-leg] [exposure.metadata-visible] gives paths and commands of the local host alone, and none to a relay', async () => {
    const { hits } = await search({ query: 'trouble', executionHostId: 'all', limit: 100 })
    for (const hit of hits) {
      const isLocal = hit.executionHostId === 'local'
      expect(hit.source.filePath !== undefined).toBe(isLocal)
      expect(hit.resumeCommand !== undefined).toBe(isLocal)
      expect(hit.cwd).toMatch(/^\/work\/app/)
      expect(hit.evidence?.snippet).toContain('[[trouble]]')
    }
    const relayed = JSON.stringify(
      await search({ query: 'trouble', executionHostId: 'all', limit: 100 }, 'relay'),
    )
    expect(relayed).not.toContain('.jsonl')
    expect(relayed).not.toContain('--resume')
  })

  it('[status.fields] [routing.status-never-all] asks one host for its status, over each carrier', async () => {
    for (const executionHostId of ['local', 'ssh:devbox', 'runtime:ci']) {
      expect(await call('aiVault.searchStatus', { executionHostId })).toMatchObject({
        enabled: true,
        phase: 'current',
        filesIndexed: 9,
        filesFailed: 0,
      })
    }
    await expect(call('aiVault.searchStatus', { executionHostId: 'all' })).rejects.toMatchObject({
      code: 'unknown_host',
    })
  })

  it('[freshness.wait] finds what was written a moment ago, over each carrier', async () => {
    for (const [at, executionHostId] of ['local', 'ssh:devbox', 'runtime:ci'].entries()) {
      await homes[at]?.writeClaude({ sessionId: `fresh-${at}`, at: day(20), user: `brandnew${at} question` })
      const { hits, truncated } = await search({
        query: `brandnew${at}`,
        executionHostId,
        freshness: 'wait-until-current',
      })
      expect(hits.map((hit) => hit.sessionId)).toEqual([`fresh-${at}`])
      expect(truncated.freshness).toBe(false)
    }
  })

  it('reads a transcript both ways, over each carrier', async () => {
    for (const [at, executionHostId] of ['local', 'ssh:devbox', 'runtime:ci'].entries()) {
      const { sessionId, user, assistant } = sessionsOf(at)[3] as Session
      const page = { executionHostId, agent: 'claude', sessionId, limit: 1 }
      const second = await call('aiVault.readSession', { ...page, around: 1 })
      expect(second).toMatchObject({
        kind: 'messages',
        messages: [{ index: 1, role: 'assistant', text: assistant }],
        page: { hasMore: false },
      })
      const { previousCursor } = (second as { page: { previousCursor: string } }).page
      expect(await call('aiVault.readSession', { ...page, cursor: previousCursor })).toMatchObject({
        messages: [{ index: 0, role: 'user', text: user }],
      })
      await expect(call('aiVault.readSession', { ...page, sessionId: 'none' })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
  })

  it('lists every host with its state, and why the bad ones are what they are', async () => {
    const { hosts } = (await call('hosts.list', {})) as HostList
    expect(hosts.map(({ executionHostId, state }) => [executionHostId, state])).toEqual([
      ['local', 'ready'],
      ['ssh:devbox', 'ready'],
      ['runtime:ci', 'ready'],
      ['runtime:gone', 'offline'],
      ['runtime:bad', 'quarantined'],
    ])
    expect(hosts[4]?.detail).toContain('url')
    expect(JSON.stringify(await call('hosts.list', {}, 'relay'))).not.toContain('detail')
  })
})
