/** A real `trawl-agent stdio` as a gateway starts it, with every byte it writes kept. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { createLineChannel } from '../../protocol/rpc/line-channel.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { awaitReadyLine } from '../../protocol/rpc/ready-line.ts'
import type { SearchResponse, SearchResults } from '../../protocol/session-search/response.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { agentProgram, type RealHome } from './real-hosts.ts'

const callTimeoutMs = 60_000

export interface RealAgent extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  call(method: string, params?: object): Promise<unknown>
  search(params: object): Promise<SearchResponse>
  /** Catches up, searches, and wants results. @returns the session ids, in order. */
  find(query: string): Promise<string[]>
  status(): Promise<SearchStatus>
  /** The status once the sweep that every start begins with is through, or has failed. */
  settledStatus(): Promise<SearchStatus>
  /** Everything it wrote to stdout so far, as bytes read one for one. */
  written(): string
  stderr(): string
}

export interface RealAgentOptions {
  /** Default: what the command does when nobody says. */
  readonly exposure?: 'ipc' | 'relay'
  /** Whoever runs it, where that is not who runs the test. */
  readonly uid?: number
  /** Shell text before the command, such as a limit: `ulimit -f 100;`. */
  readonly shellPrefix?: string
}

export async function startRealAgent(home: RealHome, options: RealAgentOptions = {}): Promise<RealAgent> {
  const args = [agentProgram, 'stdio', ...(options.exposure ? ['--exposure', options.exposure] : [])]
  const words =
    options.shellPrefix === undefined
      ? [process.execPath, ...args]
      : ['sh', '-c', `${options.shellPrefix} exec "$@"`, 'sh', process.execPath, ...args]
  const child = spawn(words[0] ?? '', words.slice(1), {
    env: home.env,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  })
  const written: Buffer[] = []
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => void written.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const { received } = await awaitReadyLine(child.stdout, {
    timeoutMs: 20_000,
    signal: new AbortController().signal,
  }).catch((error: Error) => {
    throw new Error(`${error.message} ${stderr}`)
  })
  const connection = openConnection(
    createLineChannel({
      input: child.stdout,
      output: child.stdin,
      received,
      maxMessageBytes: maxPeerMessageBytes,
    }),
    { methods: new Map(), maxMessageBytes: maxPeerMessageBytes, createId: () => 'test' },
  )
  const call = async (method: string, params: object = {}) =>
    await connection.call(method, params, { timeoutMs: callTimeoutMs })
  const search = async (params: object) =>
    (await call('aiVault.searchSessions', params)) as SearchResponse | SearchResults
  const status = async () => (await call('aiVault.searchStatus')) as SearchStatus
  return {
    child,
    call,
    search,
    async find(query) {
      const answer = await search({ query, limit: 100, freshness: 'wait-until-current' })
      if (answer.kind !== 'results') throw new Error(JSON.stringify(answer))
      return answer.hits.map((hit) => hit.sessionId)
    },
    status,
    async settledStatus() {
      for (;;) {
        const seen = await status()
        if (seen.phase !== 'indexing') return seen
      }
    },
    written: () => Buffer.concat(written).toString('latin1'),
    stderr: () => stderr,
    async [Symbol.asyncDispose]() {
      await connection.close()
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}
