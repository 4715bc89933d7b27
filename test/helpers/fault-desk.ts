/** A whole gateway inside the test, over hosts of the test's own: what a caller sees of them, and how long it takes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pino } from 'pino'
import { parseConfig } from '../../gateway/config.ts'
import { openConfigStore } from '../../gateway/config-store.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { type Clock, systemClock } from '../../protocol/clock.ts'
import type { HostEntry, HostList } from '../../protocol/rpc/describe.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import type { SearchResponse, SearchResults } from '../../protocol/session-search/response.ts'

export interface FaultDeskOptions {
  /** `[[hosts]]` sections. */
  readonly hosts: string
  readonly legTimeoutMs?: number
  readonly homeDir?: string
  readonly clock?: Clock
  readonly env?: NodeJS.ProcessEnv
  /** Of the one who calls; `ipc` unless said otherwise. */
  readonly exposure?: ExposureClass
  /** Whether hosts that come and go are written down, in the home's own configuration. */
  readonly isStored?: boolean
  random?(): number
}

export interface Timed {
  readonly answer: SearchResults
  readonly elapsedMs: number
  /** The longest this process was too busy to look at a timer meanwhile. */
  readonly lagMs: number
}

export interface FaultDesk extends AsyncDisposable {
  readonly dir: string
  /** As its doors would offer them to the caller. */
  readonly methods: RpcMethods
  call(method: string, params?: object, signal?: AbortSignal): Promise<unknown>
  search(params?: object, signal?: AbortSignal): Promise<SearchResponse>
  /** An `all` search. @throws Error for anything but results. */
  searchAll(params?: object): Promise<Timed>
  host(id: string): Promise<HostEntry>
  /** Resolves when what `hosts.list` says of the host fits; the test's own time ends the wait. */
  until(id: string, fits: (entry: HostEntry) => boolean): Promise<HostEntry>
  ready(...ids: string[]): Promise<void>
}

/** An agent on its stdio, for `node -e`: answers every search with nothing found. */
export const emptyAgentProgram = `
process.stdout.write('trawl-agent ready {"protocol":1,"version":"x"}\\n')
const empty = { kind: 'results', hits: [], page: { cursor: null, hasMore: false }, generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false }, durationMs: 0 }
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n'); rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    const answer = method === 'aiVault.searchSessions' ? { result: empty } : { error: { code: -32601, message: 'Method not found' } }
    if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n')
  }
})
process.stdin.on('end', () => process.exit(0))
`

export function runtimeHost(name: string, url: string): string {
  return `[[hosts]]\nid = "runtime:${name}"\nurl = "${url}"\ntoken = "t"\n`
}

export async function createFaultDesk(options: FaultDeskOptions): Promise<FaultDesk> {
  const { hosts, legTimeoutMs = 10_000, clock = systemClock, env = process.env } = options
  const dir = await mkdtemp(join(tmpdir(), 'trawl-fault-'))
  const homeDir = options.homeDir ?? dir
  const gateway = createGateway({
    config: parseConfig(`legTimeoutMs = ${legTimeoutMs}\n${hosts}`, {
      file: join(dir, 'config.toml'),
      homeDir,
      isOpenToOthers: false,
      isThere: true,
    }),
    dataDir: dir,
    ...(options.isStored === true ? { configStore: openConfigStore({ env: {}, homeDir }) } : {}),
    agentCommand: [process.execPath, '-e', emptyAgentProgram, '--'],
    env,
    homeDir,
    log: pino({ level: 'silent' }),
    clock,
    random: options.random ?? (() => 0.9),
    createId: () => 'id',
  })
  const methods = gateway.methodsFor({ exposure: options.exposure ?? 'ipc', name: 'test' })
  const call: FaultDesk['call'] = async (method, params = {}, signal = new AbortController().signal) =>
    await methods.get(method)?.(params, { signal, notify: () => {} })
  const search: FaultDesk['search'] = async (params = {}, signal) =>
    (await call(
      'aiVault.searchSessions',
      { query: 'q', executionHostId: 'all', ...params },
      signal,
    )) as SearchResponse
  const host = async (id: string) => {
    const { hosts: entries } = (await call('hosts.list')) as HostList
    const entry = entries.find(({ executionHostId }) => executionHostId === id)
    if (entry === undefined) throw new Error(`no host ${id}`)
    return entry
  }
  const until: FaultDesk['until'] = async (id, fits) => {
    for (;;) {
      const entry = await host(id)
      if (fits(entry)) return entry
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  return {
    dir,
    methods,
    call,
    search,
    host,
    until,
    async searchAll(params) {
      const lag = monitorEventLoopDelay({ resolution: 1 })
      lag.enable()
      const startedMs = performance.now()
      const answer = await search(params)
      const elapsedMs = performance.now() - startedMs
      lag.disable()
      if (answer.kind !== 'results') throw new Error(JSON.stringify(answer))
      return { answer, elapsedMs, lagMs: lag.max / 1e6 }
    },
    async ready(...ids) {
      for (const id of ids) await until(id, ({ state }) => state === 'ready')
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** `{ 'ssh:a': 'results', 'ssh:b': 'timeout' }`: each leg's outcome, or the reason of what is none. */
export function outcomes({ hosts = [] }: SearchResults): Record<string, string> {
  return Object.fromEntries(
    hosts.map(({ executionHostId, outcome, reason }) => [executionHostId, reason ?? outcome]),
  )
}
