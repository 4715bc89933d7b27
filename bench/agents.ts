/** Real host agents over made-up homes: the built commands, each with a home and a data directory of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLocalLink } from '../gateway/hosts/local.ts'
import { SupervisedHost } from '../gateway/hosts/supervise.ts'
import { askHost } from '../gateway/search/ask-host.ts'
import { systemClock } from '../protocol/clock.ts'
import type { SearchRequest } from '../protocol/session-search/request.ts'
import type { SearchResults } from '../protocol/session-search/response.ts'
import { type SearchStatus, searchStatusSchema } from '../protocol/session-search/status.ts'

const callTimeoutMs = 60_000
const pollMs = 5

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

type Env = Readonly<Record<string, string | undefined>>

/** Runs a program of Node's to its end. @throws Error, with what it wrote, unless it ends with 0. */
export async function runToEnd(args: readonly string[], env: Env): Promise<void> {
  await outputOf(args, env)
}

/** @returns the end of what it wrote. @throws Error, with that, unless the program ends with 0. */
export async function outputOf(args: readonly string[], env: Env): Promise<string> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-4000)
    })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${written}`)
  return written
}

/** `trawl-agent index`, in a process of its own, from whatever the data directory holds to everything there is. */
export async function buildIndex(place: AgentPlace): Promise<void> {
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  await runToEnd([join(place.binDir, 'trawl-agent.js'), 'index'], agentEnv(place))
}

export interface RunningAgent extends AsyncDisposable {
  readonly pid: number
  /** @throws Error for any answer but results. */
  search(request: Pick<SearchRequest, 'query' | 'limit' | 'freshness'>): Promise<SearchResults>
  status(): Promise<SearchStatus>
  /** Resolves when there is nothing left to index. @throws Error when it never will be so. */
  untilCurrent(): Promise<void>
}

/** The agent as a gateway keeps its local host, once it has nothing left to index. */
export async function startAgent(place: AgentPlace): Promise<RunningAgent> {
  const agent = launchAgent(place)
  await agent.untilCurrent()
  return agent
}

/** The same, at once: it may have much to index yet. Its process id is there once it has answered. */
export function launchAgent(place: AgentPlace): RunningAgent {
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  // The shell notes its process id and then becomes the agent.
  const pidFile = join(place.dataDir, 'bench-pid')
  // As the gateway starts it (gateway/main.ts).
  const agentScript = join(place.binDir, 'trawl-agent.js')
  const agentCommand = [
    process.execPath,
    '--max-semi-space-size=4',
    agentScript,
    'stdio',
    '--exposure',
    'ipc',
  ]
  const host = new SupervisedHost({
    id: 'local',
    kind: 'local',
    label: 'local',
    open: openLocalLink({
      command: ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', pidFile, ...agentCommand],
      env: agentEnv(place),
      clock: systemClock,
    }),
    clock: systemClock,
    random: () => 0.5,
    createId: () => 'bench',
  })
  host.start()
  const call = { signal: new AbortController().signal, timeoutMs: callTimeoutMs, clock: systemClock }
  const status = async () =>
    searchStatusSchema.parse(await host.call('aiVault.searchStatus', () => ({}), call))
  return {
    get pid() {
      return Number(readFileSync(pidFile, 'utf8'))
    },
    status,
    async untilCurrent() {
      for (;;) {
        const seen = await status()
        if (seen.phase === 'current') return
        if (seen.phase === 'degraded' || seen.phase === 'closed')
          throw new Error(`the index is ${seen.phase}: ${JSON.stringify(seen)}`)
        await new Promise((resolve) => setTimeout(resolve, pollMs))
      }
    },
    async search(request) {
      const { response } = await askHost(host, request, call)
      if (response.kind !== 'results') throw new Error(`the agent answered ${JSON.stringify(response)}`)
      return response
    },
    [Symbol.asyncDispose]: async () => await host[Symbol.asyncDispose](),
  }
}
