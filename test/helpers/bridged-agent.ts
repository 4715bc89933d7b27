/** A home with the built agent in it, and bridges to its resident agent, as an SSH server starts them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { createLineChannel } from '../../protocol/rpc/line-channel.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { awaitReadyLine } from '../../protocol/rpc/ready-line.ts'
import { agentBundleFile, packagesDir } from './agent-bundle.ts'

export interface Bridge {
  readonly child: ChildProcess
  /** Settles with the exit code once all it wrote was read. */
  readonly exited: Promise<number | null>
  stderr(): string
  call(method: string, params?: object): Promise<unknown>
  /** Ends its stdin, as a gateway that leaves does. */
  leave(): Promise<number | null>
}

interface ResidentLine {
  readonly pid: number
  readonly connections: number
}

export interface BridgeHome extends AsyncDisposable {
  readonly home: string
  readonly dataDir: string
  readonly program: string
  readonly env: NodeJS.ProcessEnv
  /** A copy that counts as written later. @returns its path. */
  newerProgram(): Promise<string>
  configure(toml: string): Promise<void>
  /** A session of Claude's. */
  write(name: string, cwd: string, words: string): Promise<void>
  /** @param more variables beside `env`. */
  bridge(program?: string, more?: NodeJS.ProcessEnv): Promise<Bridge>
  run(...args: string[]): Promise<{ code: number | null; out: string; err: string }>
  residents(): Promise<ResidentLine[]>
  /** The only one, or null. @throws Error where there are several. */
  resident(): Promise<ResidentLine | null>
  /** Names in the data directory that hold `part`. */
  files(part: string): Promise<string[]>
}

export async function createBridgeHome(env: NodeJS.ProcessEnv = {}): Promise<BridgeHome> {
  const home = await mkdtemp(join(tmpdir(), 'trawl-bridge-'))
  const dataDir = env.TRAWL_DATA_DIR ?? join(home, '.local/share/trawl')
  const program = join(home, 'agent/trawl-agent.mjs')
  await mkdir(join(home, 'agent'))
  await copyFile(agentBundleFile, program)
  const variables = { PATH: process.env.PATH, HOME: home, NODE_PATH: packagesDir, ...env }
  const children = new Set<ChildProcess>()
  const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    const env = { ...variables, ...more }
    const child = spawn(process.execPath, [...args], { env, cwd: '/', stdio: 'pipe' })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const run: BridgeHome['run'] = async (...args) => {
    const child = start([program, ...args])
    child.stdin.end()
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return { code: child.exitCode, out, err }
  }
  const residents = async (): Promise<ResidentLine[]> =>
    JSON.parse((await run('status', '--json')).out).residents
  return {
    home,
    dataDir,
    program,
    env: variables,
    async newerProgram() {
      // It starts itself by this name as its own thread.
      const path = join(home, 'newer/trawl-agent.mjs')
      await mkdir(join(home, 'newer'))
      await copyFile(agentBundleFile, path)
      return path
    },
    async configure(toml) {
      await mkdir(join(home, '.config/trawl'), { recursive: true })
      await writeFile(join(home, '.config/trawl/config.toml'), toml)
    },
    async write(name, cwd, words) {
      const folder = join(home, '.claude/projects/p')
      await mkdir(folder, { recursive: true })
      const line = {
        type: 'user',
        sessionId: name,
        cwd,
        uuid: name,
        timestamp: '2026-01-01T00:00:00.000Z',
        message: { role: 'user', content: words },
      }
      await writeFile(join(folder, `${name}.jsonl`), `${JSON.stringify(line)}\n`)
    },
    async bridge(file = program, more = {}) {
      const child = start([file, 'stdio', '--resident'], more)
      let stderr = ''
      child.stderr.setEncoding('utf8').on('data', (more: string) => {
        stderr += more
      })
      const exited = once(child, 'close').then(([code]) => code as number | null)
      const { received } = await awaitReadyLine(child.stdout, {
        timeoutMs: 20_000,
        signal: new AbortController().signal,
      })
      const channel = createLineChannel({
        input: child.stdout,
        output: child.stdin,
        received,
        maxMessageBytes: maxPeerMessageBytes,
      })
      const connection = openConnection(channel, {
        methods: new Map(),
        maxMessageBytes: maxPeerMessageBytes,
        createId: () => 'test',
      })
      return {
        child,
        exited,
        stderr: () => stderr,
        call: async (method, params = {}) => await connection.call(method, params, { timeoutMs: 20_000 }),
        async leave() {
          child.stdin.end()
          return await exited
        },
      }
    },
    run,
    residents,
    async resident() {
      const [one = null, ...others] = await residents()
      if (others.length > 0) throw new Error('several resident agents run')
      return one
    },
    files: async (part) => (await readdir(dataDir).catch(() => [])).filter((name) => name.includes(part)),
    async [Symbol.asyncDispose]() {
      for (const child of children) child.kill()
      await run('stop')
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** For tests of other things: each connection has an agent of its own, and nothing stays behind. */
export async function wantNoResident(home: string): Promise<void> {
  await mkdir(join(home, '.config/trawl'), { recursive: true })
  await writeFile(join(home, '.config/trawl/config.toml'), '[agent]\ngraceMinutes = 0\n')
}

/** Never returns while the process runs; the test's own time ends the wait. */
export async function untilGone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
