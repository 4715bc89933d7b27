/** A real `trawl serve` as a process of its own, and real `trawl` commands beside it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RpcErrorObject } from '../../protocol/rpc/errors.ts'
import type { SearchResponse, SearchResults } from '../../protocol/session-search/response.ts'
import type { CommandRun } from './command.ts'
import { send } from './doors.ts'
import { end, firstMatch, gatewayProgram, type RealHome } from './real-hosts.ts'

export interface ServedGateway extends AsyncDisposable {
  readonly child: ChildProcess
  readonly socketPath: string
  /** Of the TCP door, as in `http://127.0.0.1:40123`. */
  readonly url: string
  /** @param body the JSON text itself, where `params` cannot say it. */
  post(body: string): Promise<{ result?: unknown; error?: RpcErrorObject }>
  call(method: string, params: object): Promise<{ result?: unknown; error?: RpcErrorObject }>
  /** @throws Error for anything but results. */
  search(params: object): Promise<SearchResults>
}

/** Writes the configuration where the command will look for it. @returns its path. */
export async function writeConfig(home: RealHome, toml: string): Promise<string> {
  const path = join(home.homeDir, 'config.toml')
  await writeFile(path, toml, { mode: 0o600 })
  return path
}

export async function startServedGateway(
  home: RealHome,
  env: NodeJS.ProcessEnv = {},
  args: readonly string[] = ['--listen', '127.0.0.1:0'],
): Promise<ServedGateway> {
  const child = spawn(process.execPath, [gatewayProgram, 'serve', ...args], {
    env: { ...home.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const url = await firstMatch(child, /Listening on (\S+)/)
  const socketPath = join(home.dataDir, 'gateway.sock')
  const post = async (body: string) => JSON.parse((await send({ socketPath }, { body })).text)
  const call: ServedGateway['call'] = async (method, params) =>
    await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return {
    child,
    socketPath,
    url,
    post,
    call,
    async search(params) {
      const answer = await call('aiVault.searchSessions', params)
      const result = answer.result as SearchResponse | undefined
      if (result?.kind !== 'results') throw new Error(JSON.stringify(answer))
      return result
    },
    [Symbol.asyncDispose]: async () => await end(child),
  }
}

/** Runs a real command to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  uid?: number,
): Promise<CommandRun> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { NO_COLOR: '1', ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  await once(child, 'close')
  return { exitCode: child.exitCode ?? -1, stdout, stderr }
}
