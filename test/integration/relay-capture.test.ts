/**
 * Every byte a relay client receives, over a socket and over stdio, and none of what this machine keeps to itself in
 * it. The same questions asked with the machine's own token are answered with all of it, so the plants are there to find.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { degradedRootSentence } from '../../protocol/session-search/exposure.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { startRealAgent } from '../helpers/real-agent.ts'
import {
  agentProgram,
  createRealHome,
  type ListeningAgent,
  type RealHome,
  startListeningAgent,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram } from '../helpers/served-gateway.ts'

const sessions = 9
const codexId = (at: number) => `019b0000-0000-7000-8000-00000000000${at}`

interface Answer {
  readonly id: number | null
  readonly result?: {
    readonly kind?: string
    readonly hits?: { agent: string; sessionId: string }[]
    readonly page?: { cursor: string | null; previousCursor?: string | null }
    readonly degradedRoots?: object[]
  }
  readonly error?: { readonly data?: { readonly code?: string } }
}

/** Sends one message as it is, and gives the answer to it. */
type Ask = (text: string) => Promise<Answer>

describe.skipIf(whyNoBuild() !== null)('a relay client', () => {
  let home: RealHome
  let env: NodeJS.ProcessEnv
  /** What no byte of may leave, by what it is. */
  let secrets: Record<string, string>

  beforeEach(async () => {
    home = await createRealHome('plantedhome')
    const codexHome = join(dirname(home.homeDir), 'plantedcodex')
    const degradedRoot = join(home.homeDir, 'planteddegraded')
    const config = join(dirname(home.homeDir), 'plantedconfig.toml')
    for (let at = 0; at < sessions; at++) {
      const day = `2026-01-0${at + 1}T00:00:00Z`
      const user = `plain words about timer ${at}`
      if (at % 2 === 0) await home.writeClaude({ sessionId: `s${at}`, at: day, user })
      else await home.writeCodex({ sessionId: codexId(at), at: day, user }, codexHome)
    }
    await writeFile(degradedRoot, 'a file where a folder should be')
    await mkdir(dirname(config), { recursive: true })
    const roots = [join(home.homeDir, '.claude/projects'), degradedRoot]
    await writeFile(config, `[sources]\nclaude = ${JSON.stringify(roots)}\n`)
    env = { ...home.env, CODEX_HOME: codexHome, TRAWL_CONFIG: config }
    await runProgram(agentProgram, ['index'], env)
    secrets = {
      'the folder of everything': basename(dirname(home.homeDir)),
      'home directory': 'plantedhome',
      'data directory': 'plantedhome-data',
      'Codex home': 'plantedcodex',
      'degraded root': 'planteddegraded',
      'why it is degraded': 'is not a folder',
      'configuration file': 'plantedconfig',
      'transcript folder': '-work-app',
      'transcript file': '.jsonl',
      'rollout file': 'rollout-',
      'resume command of Claude Code': 'claude --resume',
      'resume command of Codex': 'codex resume',
      'index file': 'index.sqlite',
      'what is broken inside': 'no such table',
      'program file': 'trawl-agent.js',
      'a stack': 'node:internal',
    }
  })

  afterEach(async () => await home?.[Symbol.asyncDispose]())

  function found(captured: string): string[] {
    return Object.entries(secrets).flatMap(([name, text]) => (captured.includes(text) ? [name] : []))
  }

  /** Everything there is to ask, rightly and wrongly. @returns what the answers were, in short. */
  async function askEverything(ask: Ask): Promise<string[]> {
    const seen: string[] = []
    let id = 1
    const call = async (method: string, params: unknown) => {
      const answer = await ask(JSON.stringify({ jsonrpc: '2.0', id: id++, method, params }))
      seen.push(answer.error?.data?.code ?? answer.result?.kind ?? (answer.error ? 'error' : 'value'))
      return answer
    }
    const search = async (params: object) => await call('aiVault.searchSessions', params)
    const claims = { exposure: 'ipc', transport: 'ipc', clientKind: 'desktop', local: true }
    const cursors: string[] = []
    await search({ query: 'timer', freshness: 'wait-until-current', ...claims })
    for (const scope of ['all', 'conversation'])
      for (const sort of ['relevance', 'newest']) {
        let cursor: string | null | undefined
        do {
          const page = { limit: 2, debug: true, ...(cursor ? { cursor } : {}), ...claims }
          const { result } = await search({ query: 'plain timer', scope, filters: { sort }, ...page })
          cursor = result?.page?.cursor
          if (cursor) cursors.push(cursor)
        } while (cursor)
      }
    expect(cursors.length).toBe(4 * 4)
    await search({ query: 'tmier', debug: true })
    await search({ query: 'agent:codex', filters: { scopePaths: ['/work/app'] } })
    const all = await search({ query: 'timer', limit: 100 })
    expect(all.result?.hits).toHaveLength(sessions)
    await call('host.describe', claims)
    for (const hit of all.result?.hits ?? []) {
      const session = { agent: hit.agent, sessionId: hit.sessionId, limit: 1 }
      const { result } = await call('aiVault.readSession', { ...session, ...claims })
      await call('aiVault.readSession', { ...session, cursor: result?.page?.cursor ?? undefined })
      await call('aiVault.readSession', { ...session, around: 1 })
    }
    const status = await call('aiVault.searchStatus', claims)
    expect(status.result?.degradedRoots).toHaveLength(1)

    await search({ query: 7, filters: { sort: 'oldest', scopePaths: [''] } })
    await search({ query: 'timer', cursor: 'nonsense' })
    await search({ query: 'another', cursor: cursors[0] })
    await search({ query: 'timer', executionHostId: 'ssh:elsewhere' })
    await call('aiVault.searchStatus', { executionHostId: 'ssh:elsewhere' })
    await call('host.describe', { executionHostId: 'ssh:elsewhere' })
    await call('aiVault.readSession', { agent: 'claude', sessionId: join(home.homeDir, '..') })
    await call('aiVault.readSession', { agent: 'claude', sessionId: 's0', cursor: 'nonsense' })
    await call('no.such', {})
    await call('aiVault.searchSessions', [1])
    for (const text of ['{"jsonrpc":"2.0","id":', '{"jsonrpc":"2.0"}', '[]', '1']) {
      const { error } = await ask(text)
      expect(error).toBeDefined()
    }
    // From here on nothing works inside, and the answers to that must not say what.
    using db = loadSqlDriver().open(join(home.dataDir, 'index.sqlite'), { readOnly: false })
    db.exec('ALTER TABLE files RENAME TO elsewhere')
    await search({ query: 'timer' })
    await search({ query: 'timer', freshness: 'wait-until-current' })
    await call('aiVault.readSession', { agent: 'claude', sessionId: 's0' })
    await call('aiVault.searchStatus', {})
    return Array.from(new Set(seen)).sort()
  }

  const everyKind = [
    'error',
    'internal',
    'invalid_input',
    'malformed-cursor',
    'messages',
    'not_found',
    'results',
    'unavailable',
    'value',
  ]

  async function askOverSocket(agent: ListeningAgent, token: string): Promise<string> {
    const chunks: Buffer[] = []
    const port = Number(new URL(agent.url).port)
    await using relay = await startFaultProxy(port, { onToClient: (chunk) => void chunks.push(chunk) })
    const url = `ws://127.0.0.1:${relay.port}/rpc`
    const refused = new WebSocket(url, { headers: { authorization: 'Bearer wrong' } })
    await new Promise((resolve) => refused.once('error', resolve))
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const ask: Ask = (text) =>
      new Promise((resolve) => {
        socket.once('message', (data) => resolve(JSON.parse(String(data)) as Answer))
        socket.send(text)
      })
    expect(await askEverything(ask)).toEqual(everyKind)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.close()
    await closed
    return Buffer.concat(chunks).toString('latin1')
  }

  it('[exposure.relay] [exposure.count-kept] [exposure.class-from-connection] of a listening agent receives no byte of it', async () => {
    await using agent = await startListeningAgent({ ...home, env })
    const captured = await askOverSocket(agent, agent.peerToken)
    expect(found(captured)).toEqual([])
    expect(captured).toContain(degradedRootSentence)
    // It is the conversation that was captured.
    expect(captured).toContain('[[timer]]')
    expect(captured).toContain('"cwd":"/work/app"')
    expect(captured).not.toContain(agent.localToken)
  })

  it('[exposure.relay] of trawl-agent stdio, as SSH starts it, receives no byte of it, on stderr neither', async () => {
    await using agent = await startRealAgent({ ...home, env })
    const waiting: ((answer: Answer) => void)[] = []
    let rest = ''
    agent.child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) waiting.shift()?.(JSON.parse(line) as Answer)
    })
    const ask: Ask = (text) =>
      new Promise((resolve) => {
        waiting.push(resolve)
        agent.child.stdin.write(`${text}\n`)
      })
    expect(await askEverything(ask)).toEqual(everyKind)
    expect(found(agent.written())).toEqual([])
    expect(found(agent.stderr())).toEqual([])
    expect(agent.stderr()).toMatch(/aiVault\.searchSessions failed \([0-9a-f-]{36}\)/)
    expect(agent.written()).toContain(degradedRootSentence)
    expect(agent.written()).toContain('[[timer]]')
  })

  it('[exposure.ipc] would have found it all: with the local token the same questions are answered with it', async () => {
    await using agent = await startListeningAgent({ ...home, env })
    const captured = await askOverSocket(agent, agent.localToken)
    expect(found(captured).sort()).toEqual(
      Object.keys(secrets)
        .filter((name) => !['configuration file', 'program file', 'a stack'].includes(name))
        .sort(),
    )
    expect(captured).not.toContain(degradedRootSentence)
  })
})
