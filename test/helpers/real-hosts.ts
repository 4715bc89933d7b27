/** Real agents as a user has them: the built command, a home with transcripts, a data directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { repositoryRoot } from './bundle.ts'

export const agentProgram = join(repositoryRoot, 'bin/trawl-agent.js')
export const gatewayProgram = join(repositoryRoot, 'bin/trawl.js')

/** For `describe.skipIf`: these tests run what `npm run build` has made. */
export function whyNoBuild(): string | null {
  if (existsSync(join(repositoryRoot, 'dist/trawl-agent.js'))) return null
  const reason = 'skipped: dist/ is not built (npm run build)'
  process.stderr.write(`${reason}\n`)
  return reason
}

export interface Session {
  readonly sessionId: string
  /** ISO time of its only exchange. */
  readonly at: string | null
  readonly user: string
  readonly assistant?: string
  readonly cwd?: string
}

export interface RealHome extends AsyncDisposable {
  readonly homeDir: string
  readonly dataDir: string
  /** What a process of this machine is started with. */
  readonly env: NodeJS.ProcessEnv
  /** Writes a Claude Code transcript. @returns its path. */
  writeClaude(session: Session): Promise<string>
  /** Writes a Codex rollout under `codexHome`, or the default home. */
  writeCodex(session: Session, codexHome?: string): Promise<string>
}

export async function createRealHome(name = 'home', env: NodeJS.ProcessEnv = {}): Promise<RealHome> {
  const dir = await mkdtemp(join(tmpdir(), 'trawl-real-'))
  const homeDir = join(dir, name)
  const dataDir = join(dir, `${name}-data`)
  await mkdir(homeDir)
  await mkdir(dataDir, { mode: 0o700 })
  const write = async (path: string, records: readonly object[]) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    return path
  }
  return {
    homeDir,
    dataDir,
    env: { PATH: process.env.PATH, HOME: homeDir, TRAWL_DATA_DIR: dataDir, ...env },
    writeClaude: async (session) =>
      await write(
        join(homeDir, '.claude/projects/-work-app', `${session.sessionId}.jsonl`),
        claudeRecords(session),
      ),
    writeCodex: async (session, codexHome = join(homeDir, '.codex')) =>
      await write(
        join(codexHome, 'sessions/2026/01/02', `rollout-2026-01-02T00-00-00-${session.sessionId}.jsonl`),
        codexRecords(session),
      ),
    [Symbol.asyncDispose]: async () =>
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  }
}

function claudeRecords({ sessionId, at, user, assistant = 'Done.', cwd = '/work/app' }: Session): object[] {
  const common = {
    sessionId,
    cwd,
    gitBranch: 'main',
    version: '2.0.0',
    ...(at === null ? {} : { timestamp: at }),
  }
  return [
    {
      ...common,
      type: 'user',
      uuid: `${sessionId}-1`,
      parentUuid: null,
      message: { role: 'user', content: user },
    },
    {
      ...common,
      type: 'assistant',
      uuid: `${sessionId}-2`,
      parentUuid: `${sessionId}-1`,
      message: { id: `msg_${sessionId}`, role: 'assistant', content: [{ type: 'text', text: assistant }] },
    },
  ]
}

function codexRecords({ sessionId, at, user, assistant = 'Done.', cwd = '/work/app' }: Session): object[] {
  const timestamp = at ?? undefined
  const message = (role: string, type: string, text: string) => ({
    timestamp,
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  })
  return [
    {
      timestamp,
      type: 'session_meta',
      payload: { id: sessionId, cwd, git: { branch: 'main' }, source: 'cli' },
    },
    message('user', 'input_text', user),
    message('assistant', 'output_text', assistant),
  ]
}

export interface ListeningAgent extends AsyncDisposable {
  readonly url: string
  /** The token that grants `relay`. */
  readonly peerToken: string
  /** The token that grants `runtime`. */
  readonly localToken: string
}

export async function startListeningAgent(
  home: RealHome,
  args: readonly string[] = [],
): Promise<ListeningAgent> {
  const child = spawn(
    process.execPath,
    [agentProgram, 'listen', '--listen', '127.0.0.1:0', '--peer-token', ...args],
    {
      env: home.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const url = await firstMatch(child, /Listening on (\S+)/)
  const read = async (name: string) => (await readFile(join(home.dataDir, name), 'utf8')).trim()
  return {
    url,
    peerToken: await read('peer-token'),
    localToken: await read('token'),
    [Symbol.asyncDispose]: async () => await end(child),
  }
}

/** @returns what the pattern found in the first line of stderr that it fits. @throws Error when the process ends first. */
export async function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  const { stderr } = child
  if (stderr === null) throw new Error('stderr is not a pipe')
  const seen: string[] = []
  const lines = createInterface(stderr)
  return await new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      seen.push(line)
      const found = pattern.exec(line)
      if (found !== null) resolve(found[1] ?? found[0])
    })
    lines.on('close', () => reject(new Error(`it ended: ${seen.join(' / ')}`)))
  })
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
