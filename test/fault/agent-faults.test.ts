/** Agents that misbehave, as real child processes: each costs its own leg and nothing else. */
import { afterEach, describe, expect, it } from 'vitest'
import { openLocalLink } from '../../gateway/hosts/local.ts'
import { createHostRegistry } from '../../gateway/hosts/registry.ts'
import { SupervisedHost } from '../../gateway/hosts/supervise.ts'
import { searchSessions } from '../../gateway/search/search-sessions.ts'
import { systemClock } from '../../protocol/clock.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { listedHit, listedHost } from '../helpers/listed-host.ts'

/** What every one of them is made of: a loop over its lines, and an answer to the description. */
const agentBody = `
const ready = () => process.stdout.write('trawl-agent ready {"protocol":1,"version":"x"}\\n')
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
const hit = (sessionId, more = {}) => ({ agent: 'claude', sessionId, title: 't', cwd: null, branch: null,
  updatedAt: '2026-01-01T00:00:00Z', messageCount: 1, score: 0, source: { presence: 'present' }, evidence: null, ...more })
const results = (hits) => ({ kind: 'results', hits, page: { cursor: null, hasMore: false }, generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false }, durationMs: 1 })
const onSearch = (answer) => {
  let rest = ''
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\\n')
    rest = lines.pop()
    for (const line of lines) {
      const { id, method } = JSON.parse(line)
      if (method === 'aiVault.searchSessions') answer(id)
      else if (id !== undefined) say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
    }
  })
  process.stdin.on('end', () => process.exit(0))
}
`

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

function start(script: string, env: NodeJS.ProcessEnv = process.env): SupervisedHost {
  const host = new SupervisedHost({
    id: 'ssh:odd',
    kind: 'ssh',
    label: 'odd',
    open: openLocalLink({
      command: [process.execPath, '-e', `${agentBody}${script}`],
      env,
      clock: systemClock,
    }),
    clock: systemClock,
    random: () => 0.9,
    createId: () => 'id',
  })
  open.push(host)
  host.start()
  return host
}

/** Asks the odd host and a good one together. */
async function searchBeside(odd: SupervisedHost, legTimeoutMs = 5_000): Promise<SearchResults> {
  const good = listedHost('local', 'local', [listedHit('good', '2026-02-02T00:00:00Z')])
  const answer = await searchSessions(
    { registry: createHostRegistry([good, odd]), legTimeoutMs, clock: systemClock },
    { query: 'q', limit: 20, executionHostId: 'all' },
    { exposure: 'ipc', signal: new AbortController().signal, notify: () => {} },
  )
  if (answer.kind !== 'results') throw new Error(answer.kind)
  expect(answer.hits[0]).toMatchObject({ executionHostId: 'local', sessionId: 'good' })
  return answer
}

const oddLeg = (answer: SearchResults) => answer.hosts?.find((leg) => leg.executionHostId === 'ssh:odd')

describe('an agent that', () => {
  it('prints a banner and garbage before it is ready is heard all the same', async () => {
    const odd = start(
      `process.stdout.write('Welcome!\\n\\x1b[31m{"jsonrpc":"2.0"}\\x1b[0m\\n'); ready(); onSearch((id) => say({ jsonrpc: '2.0', id, result: results([hit('a')]) }))`,
    )
    const answer = await searchBeside(odd)
    expect(oddLeg(answer)).toMatchObject({ outcome: 'results' })
    expect(answer.hits.map((hit) => hit.sessionId)).toEqual(['good', 'a'])
  })

  it('[link.63] prints garbage between its answers is heard all the same', async () => {
    const odd = start(
      `ready(); onSearch((id) => { process.stdout.write('npm warn deprecated\\n\\u0000\\u0000\\n[1,2\\n'); say({ jsonrpc: '2.0', id, result: results([hit('a')]) }) })`,
    )
    expect(oddLeg(await searchBeside(odd))).toMatchObject({ outcome: 'results' })
  })

  it('never says it is ready is given up with the first line it printed', async () => {
    const odd = start(`process.stdout.write('bash: trawl-agent: command not found\\n'); process.exit(127)`)
    await odd.firstAttempt
    expect(odd.report()).toMatchObject({
      state: 'offline',
      reason: 'crashed',
      detail: expect.stringContaining('command not found'),
    })
    expect(oddLeg(await searchBeside(odd))).toMatchObject({ outcome: 'unreachable', reason: 'crashed' })
  })

  it('answers late is timed out, and its late answer harms nobody', async () => {
    const odd = start(
      `ready(); let first = true; onSearch((id) => { const answer = () => say({ jsonrpc: '2.0', id, result: results([hit('late')]) }); if (first) { first = false; process.stdin.once('data', answer) } else answer() })`,
    )
    await odd.firstAttempt
    const timedOut = await searchBeside(odd, 200)
    expect(oddLeg(timedOut)).toMatchObject({ outcome: 'unreachable', reason: 'timeout' })
    expect(timedOut.durationMs).toBeLessThan(200 + 150)
    expect(oddLeg(await searchBeside(odd))).toMatchObject({ outcome: 'results', hits: 1 })
  })

  it('answers twice, and with a wrong id first, is heard once', async () => {
    const odd = start(
      `ready(); onSearch((id) => { say({ jsonrpc: '2.0', id: id + 1000, result: results([hit('wrong')]) }); for (const n of [1, 2]) say({ jsonrpc: '2.0', id, result: results([hit('right' + n)]) }) })`,
    )
    const answer = await searchBeside(odd)
    expect(answer.hits.map((hit) => hit.sessionId)).toEqual(['good', 'right1'])
  })

  it('[link.39] [link.61] answers with 17 MB fails that call alone: the link goes on', async () => {
    const odd = start(
      `ready(); let calls = 0; onSearch((id) => say({ jsonrpc: '2.0', id, result: calls++ === 0 ? 'x'.repeat(17 * 1024 * 1024) : results([hit('small')]) }))`,
    )
    await odd.firstAttempt
    expect(oddLeg(await searchBeside(odd))).toMatchObject({ outcome: 'unreachable', reason: 'protocol' })
    expect(odd.report().state).toBe('ready')
    expect(oddLeg(await searchBeside(odd))).toMatchObject({ outcome: 'results' })
  })

  it('[routing.stamp] claims to be another host is stamped with the id that was asked', async () => {
    const odd = start(
      `ready(); onSearch((id) => say({ jsonrpc: '2.0', id, result: results([hit('a', { executionHostId: 'local', source: { presence: 'present', filePath: '/planted' }, resumeCommand: 'planted' })]) }))`,
    )
    const answer = await searchBeside(odd)
    expect(answer.hits[1]?.executionHostId).toBe('ssh:odd')
    expect(JSON.stringify(answer)).not.toContain('planted')
  })

  it('dies in the middle of its answer is reported crashed, at once', async () => {
    const odd = start(
      `ready(); onSearch(() => { process.stdout.write('{"jsonrpc":"2.0","id":2,"result":{"kind":"resul', () => process.exit(3)) })`,
    )
    await odd.firstAttempt
    const answer = await searchBeside(odd)
    expect(oddLeg(answer)).toMatchObject({ outcome: 'unreachable', reason: 'crashed' })
    expect(answer.durationMs).toBeLessThan(4_000)
    expect(odd.report()).toMatchObject({
      state: 'offline',
      reason: 'crashed',
      detail: expect.stringContaining('exit code 3'),
    })
  })

  it('cannot be started at all is agent-missing', async () => {
    const odd = new SupervisedHost({
      id: 'ssh:odd',
      kind: 'ssh',
      label: 'odd',
      open: openLocalLink({ command: ['/nowhere/trawl-agent'], env: {}, clock: systemClock }),
      clock: systemClock,
      random: () => 0.9,
      createId: () => 'id',
    })
    open.push(odd)
    odd.start()
    expect(oddLeg(await searchBeside(odd))).toMatchObject({ outcome: 'unreachable', reason: 'agent-missing' })
  })

  it('hangs when it is told to end is killed, and nothing is left of it', async () => {
    const odd =
      start(`ready(); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.stdin.resume()
      const { writeFileSync } = require('node:fs'); onSearch((id) => say({ jsonrpc: '2.0', id, result: results([hit(String(process.pid))]) })); process.stdin.removeAllListeners('end')`)
    const answer = await searchBeside(odd)
    const pid = Number(answer.hits[1]?.sessionId)
    await odd[Symbol.asyncDispose]()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })
})
