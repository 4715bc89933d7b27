/** The search box from the command line to a real agent's index: one text, read by the gateway and by the host. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { runCommand } from '../helpers/command.ts'
import { agentProgram, createRealHome, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'

describe.skipIf(whyNoBuild() !== null)('trawl search, its operators', () => {
  let home: RealHome
  beforeAll(async () => {
    home = await createRealHome()
    await home.writeClaude({
      sessionId: '11111111-0000-4000-8000-000000000001',
      at: '2026-01-10T10:00:00Z',
      user: 'the zebra crossing 🎉',
      assistant: 'painted',
    })
    await home.writeClaude({
      sessionId: '11111111-0000-4000-8000-000000000002',
      at: '2026-02-10T10:00:00Z',
      user: 'a draft',
      assistant: 'the zebra crossing, drafted',
      cwd: '/work/app-other',
    })
    await home.writeCodex({
      sessionId: '11111111-0000-4000-8000-000000000003',
      at: '2026-03-10T10:00:00Z',
      user: 'zebra crossings',
      cwd: '/srv/My Files/x',
    })
  })
  afterAll(async () => await home[Symbol.asyncDispose]())

  const run = async (...args: string[]) =>
    await runCommand(['search', ...args], {
      dataDir: home.dataDir,
      env: { HOME: home.homeDir },
      agentCommand: [process.execPath, agentProgram],
    })
  const found = async (...args: string[]) => {
    const { stdout, stderr } = await run(...args, '--json')
    if (stdout === '') throw new Error(stderr)
    const { hits } = JSON.parse(stdout) as SearchResults
    return hits.map((hit) => hit.sessionId.slice(-1)).sort()
  }

  it('finds by each of them', async () => {
    expect(await found('zebra')).toEqual(['1', '2', '3'])
    expect(await found('zebra agent:codex')).toEqual(['3'])
    expect(await found('zebra role:user')).toEqual(['1', '3'])
    expect(await found('zebra path:/work/app')).toEqual(['1'])
    expect(await found('path:"/srv/My Files" zeb*')).toEqual(['3'])
    expect(await found('zebra branch:main before:2026-02-10T12:00+03:00')).toEqual(['1'])
    expect(await found('after:2026-02-10', '-agent:codex')).toEqual(['2'])
    expect(await found('🎉')).toEqual(['1'])
  })

  it('leaves out words and phrases after a minus, as arguments of their own too', async () => {
    expect(await found('zebra', '-draft')).toEqual(['1', '3'])
    expect(await found('-"zebra crossing"')).toEqual(['3'])
  })

  it('asks the hosts of host:, and says so where none is left', async () => {
    expect(await found('zebra host:local -agent:codex')).toEqual(['1', '2'])
    expect(await found('host:local')).toEqual(['1', '2', '3'])
    const none = await run('zebra', '-host:local')
    expect(none.exitCode).toBe(2)
    expect(none.stderr).toContain('No host was asked: host: leaves none.')
    const other = await run('zebra', 'host:devbox', '--host', 'local')
    expect(other.exitCode).toBe(1)
    expect(other.stderr).toContain('local was not asked')
    const unknown = await run('zebra host:devbox')
    expect(unknown.stderr).toContain('devbox was not searched: not usable as configured.')
  })

  it('[response.debug-on] says how the gateway and the host read the query', async () => {
    const { stdout } = await run('zebbra host:local before:soon', '--host', 'local', '--debug', '--json')
    const { debug } = JSON.parse(stdout) as SearchResults
    expect(debug).toMatchObject({
      route: 'typo+or',
      reading: {
        words: ['zebbra', 'before:soon'],
        operators: [{ name: 'host', value: 'local', negative: false, means: 'only local' }],
        repairs: [{ from: 'zebbra', to: 'zebra' }],
        tier: 'or',
      },
    })
  })
})
