import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CallContext } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Hit } from '../../protocol/session-search/hit.ts'
import type { LegReport, SearchResults } from '../../protocol/session-search/response.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { type RunOptions, runCommand } from '../helpers/command.ts'
import { openTestDoors, type TestDoors } from '../helpers/doors.ts'

const nowMs = Date.parse('2026-11-30T12:00:00Z')
const hit: Hit = {
  executionHostId: 'ssh:devbox',
  agent: 'claude',
  sessionId: '4f1c',
  title: 'Fix the reconnect loop',
  cwd: '/home/mira/src/gateway',
  branch: 'main',
  updatedAt: '2026-11-30T10:00:00Z',
  messageCount: 12,
  score: 1,
  source: { presence: 'present' },
  evidence: { snippet: 'the [[reconnect loop]] never resets', role: 'assistant', timestamp: null },
}
const leg = (executionHostId: string, overrides: Partial<LegReport> = {}): LegReport => ({
  executionHostId,
  outcome: 'results',
  durationMs: 6,
  ...overrides,
})
const silent = leg('runtime:ci', { outcome: 'unreachable', reason: 'timeout', durationMs: 10_000 })
const answer = (overrides: Partial<SearchResults> = {}): SearchResults => ({
  kind: 'results',
  hits: [hit],
  page: { cursor: null, hasMore: false },
  generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false },
  durationMs: 31,
  hosts: [leg('local'), leg('ssh:devbox', { durationMs: 31 })],
  ...overrides,
})
const upToDate: SearchStatus = {
  enabled: true,
  phase: 'current',
  filesIndexed: 9,
  filesDue: 0,
  filesFailed: 0,
  degradedRoots: [],
  lastReconcileAt: nowMs,
  lastSweepCompletedAt: nowMs,
  generation: 1,
}

/** What the gateway behind the socket answers in this test, and what it was asked. */
let onSearch: (params: unknown, context: CallContext) => unknown = () => answer()
let onStatus: (params: unknown) => unknown = () => upToDate
let asked: unknown[] = []

describe('with a running gateway', () => {
  let gateway: TestDoors
  beforeEach(async () => {
    asked = []
    onSearch = () => answer()
    onStatus = () => upToDate
    gateway = await openTestDoors(
      () =>
        new Map<string, (params: unknown, context: CallContext) => unknown>([
          [
            'aiVault.searchSessions',
            (params, context) => {
              asked.push(params)
              return onSearch(params, context)
            },
          ],
          ['aiVault.searchStatus', (params) => onStatus(params)],
          [
            'hosts.list',
            () => ({
              hosts: [
                {
                  executionHostId: 'local',
                  kind: 'local',
                  label: 'local',
                  state: 'ready',
                  retryAt: null,
                  lastSeenAt: nowMs,
                  roundTripMs: 1,
                  version: '0.1.0',
                  capabilities: [],
                },
                {
                  executionHostId: 'runtime:bad',
                  kind: 'runtime',
                  label: 'bad',
                  state: 'quarantined',
                  reason: 'not-configured',
                  detail: 'It needs url = "wss://…", or dialsIn = true.',
                  retryAt: null,
                  lastSeenAt: null,
                  roundTripMs: null,
                  version: null,
                  capabilities: [],
                },
              ],
            }),
          ],
        ]),
    )
  })
  afterEach(async () => await gateway[Symbol.asyncDispose]())
  const run = async (args: readonly string[], options: Partial<RunOptions> = {}) =>
    await runCommand(args, { dataDir: gateway.dataDir, nowMs, ...options })

  describe('trawl search', () => {
    it('prints hits on stdout, the summary on stderr, and exits 0', async () => {
      const shown = await run(['search', 'reconnect', 'loop'])
      expect(shown).toEqual({
        exitCode: 0,
        stdout:
          'ssh:devbox\tclaude\t4f1c\t2026-11-30T10:00:00Z\tFix the reconnect loop\tthe [reconnect loop] never resets\n',
        stderr: '1 hit · local 0 in 6 ms · ssh:devbox 1 in 31 ms\n',
      })
    })

    it('shows hits in two lines on a terminal', async () => {
      const { stdout } = await run(['search', 'x'], { columns: 100 })
      expect(stdout.split('\n')).toEqual([
        'Fix the reconnect loop                              devbox · claude · ~/src/gateway (main) · 2 h ago',
        '  the [reconnect loop] never resets                                                        assistant',
        '',
      ])
    })

    it('asks every host for complete pages, and passes each flag on', async () => {
      await run(['search', 'a b', 'c'])
      expect(asked).toEqual([{ query: 'a b c', executionHostId: 'all', paging: 'complete', filters: {} }])
      asked = []
      const flags = '--host ssh:devbox --agent claude --agent codex --path /x --since 2h --sort newest'
      await run([
        'search',
        ...flags.split(' '),
        ...'--scope conversation --limit 5 --cursor c --wait --debug q'.split(' '),
      ])
      expect(asked).toEqual([
        {
          query: 'q',
          executionHostId: 'ssh:devbox',
          paging: 'complete',
          scope: 'conversation',
          limit: 5,
          cursor: 'c',
          freshness: 'wait-until-current',
          debug: true,
          filters: {
            agents: ['claude', 'codex'],
            scopePaths: ['/x'],
            since: '2026-11-30T10:00:00.000Z',
            sort: 'newest',
          },
        },
      ])
    })

    it('[request.paths-of-host] leaves paths to the host; only this machine’s may be relative', async () => {
      await run(['search', 'q', '--path', 'C:\\src', '--path', '~/src'])
      await run(['search', 'q', '--host', 'local', '--path', '../there'])
      expect(asked).toMatchObject([
        { filters: { scopePaths: ['C:\\src', '~/src'] } },
        { filters: { scopePaths: ['/work/there'] } },
      ])
      const refused = await run(['search', 'q', '--path', 'src'])
      expect(refused.exitCode).toBe(64)
      expect(refused.stderr).toContain('must be absolute')
    })

    it('gives the command for the next page, quoted for the shell', async () => {
      onSearch = () => answer({ page: { cursor: 'NEXT', hasMore: true } })
      const { stderr } = await run(['search', "it's a loop", '--limit', '1', '--cursor', 'OLD'])
      expect(stderr).toContain("More: trawl search --cursor=NEXT 'it'\\''s a loop' --limit 1\n")
      const again = await run(['search', '--cursor=OLD', '--', '--cursor=literal'])
      expect(again.stderr).toContain('More: trawl search --cursor=NEXT -- --cursor=literal\n')
    })

    it('exits 1 and says "Nothing found" when every host answered completely', async () => {
      onSearch = () => answer({ hits: [] })
      const shown = await run(['search', 'x'])
      expect(shown).toEqual({ exitCode: 1, stdout: '', stderr: 'Nothing found on local and ssh:devbox.\n' })
    })

    it('says who did not answer, and why, when nothing was found', async () => {
      onSearch = () => answer({ hits: [], hosts: [leg('local'), leg('ssh:devbox'), silent] })
      const shown = await run(['search', 'x'])
      expect(shown.exitCode).toBe(1)
      expect(shown.stderr).toBe(
        'Nothing found on local and ssh:devbox. runtime:ci was not searched: timeout after 10 s.\n',
      )
    })

    it.each<[string, () => unknown, string]>([
      [
        'is still indexing',
        () => ({ ...upToDate, phase: 'indexing', filesDue: 3 }),
        'it is still indexing (9 of 12 files)',
      ],
      [
        'has a source it could not read',
        () => ({ ...upToDate, phase: 'degraded', degradedRoots: [{ reason: 'x' }] }),
        '1 of its sources could not be read',
      ],
      [
        'cannot say how far it is',
        () => {
          throw new TrawlError('timeout')
        },
        'how far its index is could not be asked',
      ],
    ])('never says "Nothing found" of a host that %s', async (_what, status, words) => {
      onSearch = () => answer({ hits: [], hosts: [leg('local')] })
      onStatus = status
      expect((await run(['search', 'x'])).stderr).toBe(`local has nothing so far: ${words}.\n`)
    })

    it('never says "Nothing found" when the indexes did not catch up', async () => {
      const truncated = { candidates: false, snippets: 0, query: false, freshness: true }
      onSearch = () => answer({ hits: [], hosts: [leg('local')], truncated })
      const { stderr } = await run(['search', 'x', '--wait'])
      expect(stderr).not.toContain('Nothing found')
      expect(stderr).toContain('an index did not catch up within 5 s')
    })

    it('exits 3 with --strict when a host did not answer, else 0', async () => {
      onSearch = () => answer({ hosts: [leg('local'), silent] })
      expect((await run(['search', 'x'])).exitCode).toBe(0)
      const strict = await run(['search', 'x', '--strict'])
      expect(strict.exitCode).toBe(3)
      expect(strict.stdout).toContain('reconnect loop')
      onSearch = () => answer()
      expect((await run(['search', 'x', '--strict'])).exitCode).toBe(0)
    })

    it('exits 2 when no host answered at all', async () => {
      onSearch = () => answer({ hits: [], hosts: [silent] })
      const shown = await run(['search', 'x'])
      expect(shown.exitCode).toBe(2)
      expect(shown.stderr).toBe('runtime:ci was not searched: timeout after 10 s.\n')
    })

    it.each<[unknown, string]>([
      [
        { kind: 'stale-cursor', generation: 2 },
        'The index has changed since that page, so its cursor no longer holds. Start again: trawl search x',
      ],
      [
        { kind: 'malformed-cursor' },
        'That cursor does not belong to this search. Start again: trawl search x',
      ],
      [{ kind: 'unavailable', reason: 'not-ready' }, 'The index of all is not ready yet.'],
      [{ kind: 'unavailable', reason: 'disabled' }, 'Search is switched off on all.'],
      [{ kind: 'unavailable', reason: 'no-service' }, 'all offers no session search'],
    ])('turns %j into a sentence with the next step, and exits 2', async (response, sentence) => {
      onSearch = () => response
      const shown = await run(['search', 'x', '--cursor', 'OLD'])
      expect(shown).toMatchObject({ exitCode: 2, stdout: '' })
      expect(shown.stderr).toContain(sentence)
    })

    it('prints one JSON document with --json, whatever the answer is', async () => {
      const { stdout, stderr } = await run(['search', 'x', '--json'], { columns: 80 })
      expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, ...answer() })
      expect(stderr).toBe('')
      onSearch = () => ({ kind: 'malformed-cursor' })
      const refused = await run(['search', 'x', '--json'])
      expect(JSON.parse(refused.stdout)).toEqual({ schemaVersion: 1, kind: 'malformed-cursor' })
      expect(refused.exitCode).toBe(2)
    })

    it.each<[TrawlError, number, string]>([
      [
        new TrawlError('unknown_host', 'No such host: ssh:nowhere'),
        64,
        'No such host: ssh:nowhere. Those there are: trawl hosts\n',
      ],
      [
        new TrawlError('unreachable', undefined, { reason: 'auth-failed' }),
        2,
        'The host could not be asked. (auth-failed) Why, and when it is tried again: trawl hosts\n',
      ],
      [
        new TrawlError('timeout'),
        124,
        'The host did not answer in time. See whether it is reachable: trawl hosts\n',
      ],
    ])('turns the error %s into exit code %i and a sentence', async (error, exitCode, sentence) => {
      onSearch = () => {
        throw error
      }
      expect(await run(['search', 'x'])).toEqual({ exitCode, stdout: '', stderr: sentence })
    })

    it('[boundary.parse-both] refuses an answer that is none', async () => {
      onSearch = () => ({ kind: 'results', hits: 'many' })
      expect((await run(['search', 'x'])).exitCode).toBe(2)
    })

    it('aborts the call and exits 130 on Ctrl-C, without a word', async () => {
      const leaving = new AbortController()
      const aborted = new Promise<void>((resolve) => {
        onSearch = async (_params, { signal }) => {
          leaving.abort()
          await new Promise<void>((done) => signal.addEventListener('abort', () => done()))
          resolve()
        }
      })
      const shown = await run(['search', 'x'], { signal: leaving.signal })
      expect(shown).toEqual({ exitCode: 130, stdout: '', stderr: '' })
      await aborted
    })

    it.each([
      [['search'], 'What shall be searched for?'],
      [['search', 'x', '--hots', 'y'], 'Did you mean --host?'],
      [['search', 'x', '--limit', '0'], 'from 1 to 100'],
      [['search', 'x', '--limit', '101'], 'from 1 to 100'],
      [['search', 'x', '--limit', '1.5'], 'from 1 to 100'],
      [['search', 'x', '--sort', 'oldest'], '--sort takes relevance or newest.'],
      [['search', 'x', '--scope', 'x'], '--scope takes conversation or all.'],
      [['search', 'x', '--since', 'soon'], '--since takes an age'],
      [['status', 'x'], 'It takes no words'],
      [['hosts', 'x'], 'It takes no words'],
      [['serve', '--listen', 'x'], '--listen takes an address and a port'],
      [['serach', 'x'], 'Did you mean trawl search?'],
      [[], 'trawl COMMAND --help'],
    ])('refuses %j with exit code 64 and asks nothing', async (args, sentence) => {
      const shown = await run(args)
      expect(shown).toMatchObject({ exitCode: 64, stdout: '' })
      expect(shown.stderr).toContain(sentence)
      expect(asked).toEqual([])
    })
  })

  it('trawl status shows one host, local where none is named', async () => {
    const hosts: unknown[] = []
    onStatus = (params) => {
      hosts.push(params)
      return upToDate
    }
    const shown = await run(['status'])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toContain('local: current\n  9 files indexed, 0 due, 0 failed · generation 1\n')
    const asJson = await run(['status', '--host', 'ssh:devbox', '--json'])
    expect(JSON.parse(asJson.stdout)).toEqual({
      schemaVersion: 1,
      executionHostId: 'ssh:devbox',
      status: upToDate,
    })
    expect(hosts).toEqual([{ executionHostId: 'local' }, { executionHostId: 'ssh:devbox' }])
  })

  it('trawl status --watch goes on until Ctrl-C, and shows what has changed', async () => {
    const leaving = new AbortController()
    let asked = 0
    onStatus = () => {
      asked++
      if (asked === 4) leaving.abort()
      return { ...upToDate, filesIndexed: Math.min(asked, 2) }
    }
    const shown = await run(['status', '--watch'], { signal: leaving.signal })
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout.match(/\d+ files? indexed/g)).toEqual(['1 file indexed', '2 files indexed'])
  })

  it('trawl search says how far an index is that did not catch up, though there are hits', async () => {
    onSearch = () => answer({ truncated: { candidates: false, snippets: 0, query: false, freshness: true } })
    onStatus = () => ({
      ...upToDate,
      phase: 'indexing',
      filesIndexed: 12,
      filesDue: 88,
      progress: {
        filesDone: 12,
        filesTotal: 100,
        bytesDone: 1,
        bytesTotal: 9,
        bytesPerSec: 41e6,
        msLeft: 120_000,
      },
    })
    const shown = await run(['search', 'x'])
    expect(shown.stderr).toContain('local: it is still indexing (12 of 100 files, 41 MB/s, 2 min left).')
  })

  it('trawl hosts shows every host, and why one is left out', async () => {
    const shown = await run(['hosts'], { columns: 120 })
    expect(shown.stdout).toContain('runtime:bad  quarantined  not-configured')
    expect(shown.stdout).toContain('runtime:bad: It needs url = "wss://…", or dialsIn = true.\n')
    const piped = await run(['hosts'])
    expect(piped.stdout.split('\n')[0]).toBe('local\tready\t–\t–\tjust now\t1 ms\t0.1.0\t')
    expect(JSON.parse((await run(['hosts', '--json'])).stdout)).toMatchObject({
      schemaVersion: 1,
      hosts: [{}, {}],
    })
  })

  it.each(['search', 'status', 'hosts', 'serve'])('trawl %s --help says how, on stdout', async (command) => {
    const shown = await run([command, '--help'])
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' })
    expect(shown.stdout).toMatch(new RegExp(`^Usage: trawl ${command}`))
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })

  it('says its version and its help', async () => {
    expect(await run(['--version'])).toEqual({ exitCode: 0, stdout: 'trawl 9.9.9\n', stderr: '' })
    for (const word of ['--help', '-h', 'help']) expect((await run([word])).stdout).toContain('trawl serve')
  })

  it('trawl serve says that a gateway runs already', async () => {
    const shown = await run(['serve', '--listen', '127.0.0.1:0'])
    expect(shown.exitCode).toBe(2)
    expect(shown.stderr).toContain(`is held by trawl 9.9.9 (process ${process.pid})`)
  })
})
