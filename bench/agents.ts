/** Real host agents over made-up homes: the built commands, each with a home and a data directory of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openLocalLink } from '../gateway/hosts/local.ts'
import { SupervisedHost } from '../gateway/hosts/supervise.ts'
import { askHost } from '../gateway/search/ask-host.ts'
import { systemClock } from '../protocol/clock.ts'
import type { SearchRequest } from '../protocol/session-search/request.ts'
import type { SearchResults } from '../protocol/session-search/response.ts'
import { searchStatusSchema } from '../protocol/session-search/status.ts'

const callTimeoutMs = 60_000
const pollMs = 50

/** One machine: where its transcripts lie and where its index goes. */
export interface AgentPlace {
  readonly binDir: string
  readonly homeDir: string
  readonly dataDir: string
}

/** What a command of that machine is started with; nothing of the user's own agents or settings is let in. */
export function agentEnv({ homeDir, dataDir }: AgentPlace): Record<string, string | undefined> {
  return { PATH: process.env.PATH, HOME: homeDir, TRAWL_DATA_DIR: dataDir }
}

/** Runs a program of Node's to its end. @throws Error, with what it wrote, unless it ends with 0. */
export async function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-4000)
    })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${written}`)
}

/** `trawl-agent index`, in a process of its own, from whatever the data directory holds to everything there is. */
export async function buildIndex(place: AgentPlace): Promise<void> {
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  await runToEnd([join(place.binDir, 'trawl-agent.js'), 'index'], agentEnv(place))
}

export interface RunningAgent extends AsyncDisposable {
  /** @throws Error for any answer but results. */
  search(request: Pick<SearchRequest, 'query' | 'limit' | 'freshness'>): Promise<SearchResults>
}

/** The agent as a gateway keeps its local host, once it has nothing left to index. */
export async function startAgent(place: AgentPlace): Promise<RunningAgent> {
  const host = new SupervisedHost({
    id: 'local',
    kind: 'local',
    label: 'local',
    open: openLocalLink({
      command: [process.execPath, join(place.binDir, 'trawl-agent.js'), 'stdio', '--exposure', 'ipc'],
      env: agentEnv(place),
      clock: systemClock,
    }),
    clock: systemClock,
    random: () => 0.5,
    createId: () => 'bench',
  })
  host.start()
  const call = { signal: new AbortController().signal, timeoutMs: callTimeoutMs, clock: systemClock }
  for (;;) {
    const status = searchStatusSchema.parse(await host.call('aiVault.searchStatus', () => ({}), call))
    if (status.phase === 'current') break
    if (status.phase === 'degraded' || status.phase === 'closed')
      throw new Error(`the index is ${status.phase}: ${JSON.stringify(status)}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  return {
    async search(request) {
      const { response } = await askHost(host, request, call)
      if (response.kind !== 'results') throw new Error(`the agent answered ${JSON.stringify(response)}`)
      return response
    },
    [Symbol.asyncDispose]: async () => await host[Symbol.asyncDispose](),
  }
}
