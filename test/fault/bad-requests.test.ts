/** Requests nobody would write on purpose, through a real gateway to real agents over each carrier. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { LegReport } from '../../protocol/session-search/response.ts'
import {
  agentProgram,
  createRealHome,
  gatewayProgram,
  type ListeningAgent,
  type RealHome,
  startListeningAgent,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram, type ServedGateway, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'
import { createSshDesk, type SshDesk } from '../helpers/ssh-desk.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

const texts = [
  'the reconnect loop never ends',
  'logic with AND and OR and NOT in words',
  'how NEAR(reconnect timer, 5) works in full text',
]

describe.skipIf(whyNoBuild() !== null)('a request through the whole path', () => {
  const withSsh = whyNoSshd() === null
  const hostIds = ['local', 'runtime:ci', ...(withSsh ? ['ssh:devbox'] : [])]
  const homes: RealHome[] = []
  let agent: ListeningAgent
  let desk: SshDesk | null = null
  let gateway: ServedGateway

  beforeAll(async () => {
    for (const name of ['laptop', 'ci', 'devbox']) {
      const home = await createRealHome(name)
      homes.push(home)
      for (const [at, user] of texts.entries())
        await home.writeClaude({ sessionId: `s${at}`, at: `2026-01-0${at + 1}T00:00:00Z`, user })
    }
    const [laptop, ci, devbox] = homes as [RealHome, RealHome, RealHome]
    agent = await startListeningAgent(ci)
    let toml = `[[hosts]]\nid = "runtime:ci"\nurl = "${agent.url}"\ntoken = "${agent.peerToken}"\n`
    if (withSsh) {
      desk = await createSshDesk()
      const variables = Object.entries(devbox.env).map(([name, value]) => `${name}=${value}`)
      const command = ['env', ...variables, process.execPath, agentProgram, 'stdio'].join(' ')
      const { homeDir } = desk.home.environment
      toml += `[[hosts]]\nid = "ssh:devbox"\nssh.configFile = "${join(homeDir, '.ssh/config')}"\nssh.agentCommand = "${command}"\n`
      // Keys and known_hosts are looked for in the home of whoever runs the gateway.
      const sshHome = { HOME: homeDir, CLAUDE_CONFIG_DIR: join(laptop.homeDir, '.claude') }
      gateway = await startServedGateway(laptop, {
        TRAWL_CONFIG: await writeConfig(laptop, toml),
        ...sshHome,
      })
    } else gateway = await startServedGateway(laptop, { TRAWL_CONFIG: await writeConfig(laptop, toml) })
    await search('reconnect', { freshness: 'wait-until-current' })
  })

  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]()
    await agent?.[Symbol.asyncDispose]()
    await desk?.[Symbol.asyncDispose]()
    for (const home of homes) await home[Symbol.asyncDispose]()
  })

  async function search(query: string, more: object = {}) {
    return await gateway.search({ query, executionHostId: 'all', limit: 100, ...more })
  }

  const outcomes = (hosts: readonly LegReport[] = []) =>
    hosts.map(({ executionHostId, outcome }) => [executionHostId, outcome])
  const allAnswered = hostIds.map((id) => [id, 'results'])
  /** On every host the same. */
  function sessionsOnEach(hits: readonly Hit[]): string[] {
    const [first = [], ...others] = hostIds.map((id) =>
      hits
        .filter((hit) => hit.executionHostId === id)
        .map((hit) => hit.sessionId)
        .sort(),
    )
    for (const other of others) expect(other).toEqual(first)
    return first
  }

  it.each([
    ['punctuation', '.,;:!?-–—()[]{}<>/\\|@#$%^&~`+=_', []],
    ['one double quote', '"', []],
    ['many quotes', '"""\'\'\'"" "', []],
    ['a star', '*', []],
    ['column and caret syntax', 'user_text : ^ * - +', []],
    ['AND alone', 'AND', ['s1']],
    ['an open NEAR(', 'NEAR(', ['s2']],
    ['full-text syntax', 'NEAR("reconnect" timer, 5)', ['s2']],
    ['a half-open phrase', '"reconnect loop', ['s0']],
    ['a word with a star', 'reconn*', []],
    ['NULs', '\0\0', []],
    ['white space', ' \t\n\u3000', []],
    ['nothing', '', []],
  ])('[request.query] takes %s for words, and every host answers', async (_name, query, found) => {
    const { hits, hosts } = await search(query, { filters: { agents: ['claude'] } })
    expect(outcomes(hosts)).toEqual(allAnswered)
    expect(sessionsOnEach(hits)).toEqual(expect.arrayContaining(found))
    if (found.length === 0 && !/\w/.test(query)) expect(hits).toEqual([])
  })

  it.each(['\\ud800', '\\udc00\\ud800', 'reconnect \\ud83d loop'])(
    '[request.query] takes the lone surrogate of "%s", and every host answers',
    async (escaped) => {
      const params = `{"query":"${escaped}","executionHostId":"all"}`
      const { result, error } = await gateway.post(
        `{"jsonrpc":"2.0","id":1,"method":"aiVault.searchSessions","params":${params}}`,
      )
      expect(error).toBeUndefined()
      const { kind, hits, hosts } = result as { kind: string; hits: Hit[]; hosts: LegReport[] }
      expect(kind).toBe('results')
      expect(outcomes(hosts)).toEqual(allAnswered)
      expect(sessionsOnEach(hits)).toEqual(
        escaped.includes('reconnect') ? expect.arrayContaining(['s0']) : [],
      )
    },
  )

  it('[request.query] [merge.truncation] takes a query of 10 kB, searches its beginning and says that it was cut', async () => {
    const query = `reconnect loop ${'verylongquery '.repeat(750)}`
    expect(query.length).toBeGreaterThan(10_000)
    const { hits, truncated, hosts } = await search(query)
    expect(outcomes(hosts)).toEqual(allAnswered)
    expect(truncated.query).toBe(true)
    expect(sessionsOnEach(hits)).toContain('s0')
    expect((await search('reconnect loop')).truncated.query).toBe(false)
  })

  it.each(['ssh:nobody', 'runtime:', 'ssh:a|b', 'ssh:%zz', 'LOCAL', '', 'laptop'])(
    '[routing.unknown-refused] refuses the host id "%s", names those there are, and asks nobody',
    async (executionHostId) => {
      const { result, error } = await gateway.call('aiVault.searchSessions', {
        query: 'reconnect',
        executionHostId,
      })
      expect(result).toBeUndefined()
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('runtime:ci'),
        data: { code: 'unknown_host' },
      })
    },
  )

  it.each([
    ['no base64url', 'not a cursor!'],
    ['no object', Buffer.from('[1]').toString('base64url')],
    ['no host id', Buffer.from('{"elsewhere":"x"}').toString('base64url')],
    ['no text in it', Buffer.from('{"local":7}').toString('base64url')],
    ['empty', ''],
    ['a host’s own', null],
  ])(
    '[cursor.malformed] answers a merged cursor that is none (%s) with malformed-cursor',
    async (_name, text) => {
      const own = await gateway.search({ query: 'reconnect', executionHostId: 'local', limit: 1 })
      const cursor = text ?? own.page.startCursor
      const { result } = await gateway.call('aiVault.searchSessions', {
        query: 'reconnect',
        executionHostId: 'all',
        cursor,
      })
      expect(result).toEqual({ kind: 'malformed-cursor' })
    },
  )

  it('[cursor.one-query] [merge.one-leg-fails] reports a cursor of another query on every leg', async () => {
    const first = await search('reconnect', { limit: 1 })
    expect(first.page.hasMore).toBe(true)
    const { hits, hosts } = await search('timer', { limit: 1, cursor: first.page.cursor })
    expect(hits).toEqual([])
    expect(hosts?.length).toBeGreaterThan(0)
    expect(new Set(hosts?.map(({ outcome }) => outcome))).toEqual(new Set(['malformed-cursor']))
  })

  it('[cursor.generation] refuses a ranked cursor once the index has moved, and page 1 works again', async () => {
    const ask = async (more: object) =>
      (await gateway.call('aiVault.searchSessions', { query: 'reconnect', limit: 1, ...more })).result
    const first = (await ask({})) as { page: { cursor: string }; generation: number }
    await homes[0]?.writeClaude({ sessionId: 's9', at: '2026-02-01T00:00:00Z', user: 'reconnect once more' })
    await ask({ freshness: 'wait-until-current' })
    const refused = await ask({ cursor: first.page.cursor })
    expect(refused).toMatchObject({ kind: 'stale-cursor', expectedGeneration: first.generation })
    expect(await ask({ cursor: first.page.cursor })).toEqual(refused)
    expect(await ask({})).toMatchObject({ kind: 'results', hits: [{}] })
  })

  it('prints a sentence and no stack for a bad request on the command line', async () => {
    const env = homes[0]?.env ?? {}
    const run = async (...args: string[]) => await runProgram(gatewayProgram, ['search', ...args], env)
    expect(await run('"*(')).toMatchObject({ exitCode: 1, stdout: '' })
    expect(await run(`reconnect ${'x '.repeat(5_000)}`)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/quer/i),
    })
    const unknown = await run('--host', 'ssh:nobody', 'reconnect')
    expect(unknown).toMatchObject({ exitCode: 64, stdout: '' })
    expect(unknown.stderr).toContain('No host is called "ssh:nobody"')
    const badCursor = await run('--cursor', 'not-one', 'reconnect')
    expect(badCursor).toMatchObject({ exitCode: 2, stdout: '' })
    expect(badCursor.stderr).toContain('That cursor does not belong to this search')
    for (const { stderr } of [unknown, badCursor]) expect(stderr).not.toMatch(/\n\s+at /)
  })
})
