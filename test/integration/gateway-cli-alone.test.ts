/** The subcommands with a gateway of their own, and `trawl serve`. */
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BundledProgram, bundleProgram } from '../helpers/bundle.ts'
import { type RunOptions, runCommand } from '../helpers/command.ts'

describe('without a running gateway', () => {
  let program: BundledProgram
  let agentCommand: readonly string[] = []
  let dataDir = ''
  /** The agent writes its process id down before it starts. */
  const isAgentRunning = async () => {
    const pid = Number(await readFile(join(dataDir, 'agent.pid'), 'utf8'))
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  beforeAll(async () => {
    program = await bundleProgram('test/helpers/scripted-agent.ts')
  })
  afterAll(async () => await program[Symbol.asyncDispose]())
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'trawl-cli-'))
    const script = 'echo $$ > "$0"; exec "$@"'
    agentCommand = ['sh', '-c', script, join(dataDir, 'agent.pid'), process.execPath, program.path]
  })
  afterEach(async () => await rm(dataDir, { recursive: true }))
  const run = async (args: readonly string[], options: Partial<RunOptions> = {}) =>
    await runCommand(args, { dataDir, agentCommand, ...options })

  it('runs one inside itself for the call, and ends its agent', async () => {
    const shown = await run(['search', 'x'])
    expect(shown.exitCode).toBe(2)
    expect(shown.stderr).toBe('local was not searched: its index is not ready yet.\n')
    expect(existsSync(join(dataDir, 'gateway.sock'))).toBe(false)
    expect(await isAgentRunning()).toBe(false)
  })

  it('waits for the first connections before it lists the hosts', async () => {
    const shown = await run(['hosts', '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({ hosts: [{ executionHostId: 'local', state: 'ready' }] })
  })

  it('says why the agent did not come up', async () => {
    const shown = await run(['hosts', '--json'], {
      agentCommand: [process.execPath, '--eval', 'console.error("no disk"); process.exit(1)'],
    })
    expect(JSON.parse(shown.stdout)).toMatchObject({ hosts: [{ state: 'offline', reason: 'crashed' }] })
  })

  it('exits 78 on a configuration that is not TOML, naming the line', async () => {
    const file = join(dataDir, 'config.toml')
    await writeFile(file, 'legTimeoutMs = \n')
    const shown = await run(['search', 'x'], { env: { TRAWL_CONFIG: file } })
    expect(shown.exitCode).toBe(78)
    expect(shown.stderr).toContain(`${file}, line 1, column`)
  })

  it('exits 77 on a data directory that others can enter', async () => {
    await writeFile(join(dataDir, 'something'), '')
    await chmod(dataDir, 0o755)
    const shown = await run(['search', 'x'])
    expect(shown.exitCode).toBe(77)
    expect(shown.stderr).toContain(`chmod 700 ${dataDir}`)
  })

  describe('trawl serve', () => {
    /** Resolves when the gateway says that it listens. */
    function serve(args: readonly string[] = [], env: Record<string, string> = {}) {
      const leaving = new AbortController()
      let onListening: (port: number) => void = () => {}
      const listening = new Promise<number>((resolve) => {
        onListening = resolve
      })
      const ended = run(['serve', '--listen', '127.0.0.1:0', ...args], {
        env,
        signal: leaving.signal,
        onStderr: (text) => {
          const found = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(text)
          if (found !== null) onListening(Number(found[1]))
        },
      })
      return { listening, ended, stop: () => leaving.abort() }
    }

    it('serves the commands until it is told to stop, and leaves no socket file', async () => {
      const gateway = serve()
      const port = await gateway.listening
      expect(statSync(join(dataDir, 'token')).mode & 0o777).toBe(0o600)
      expect(statSync(join(dataDir, 'gateway.sock')).mode & 0o777).toBe(0o600)
      const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim()
      const answered = await fetch(`http://127.0.0.1:${port}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hosts.list' }),
      })
      expect(await answered.json()).toMatchObject({
        id: 1,
        result: { hosts: [{ executionHostId: 'local' }] },
      })
      expect((await run(['search', 'planted-query'])).stderr).toContain('its index is not ready yet')
      expect(await isAgentRunning()).toBe(true)
      gateway.stop()
      const { exitCode, stdout, stderr } = await gateway.ended
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
      expect(stderr).not.toContain(token)
      expect(stderr).not.toContain('planted-query')
      expect(existsSync(join(dataDir, 'gateway.sock'))).toBe(false)
      expect(await isAgentRunning()).toBe(false)
    })

    it('starts with a bad host left out, and says which, where and why', async () => {
      const file = join(dataDir, 'config.toml')
      await writeFile(file, 'typo = 1\n\n[[hosts]]\nid = "runtime:ci"\n')
      const gateway = serve([], { TRAWL_CONFIG: file })
      await gateway.listening
      const listed = JSON.parse((await run(['hosts', '--json'])).stdout) as unknown
      expect(listed).toMatchObject({
        hosts: [
          { executionHostId: 'local' },
          {
            executionHostId: 'runtime:ci',
            state: 'quarantined',
            reason: 'not-configured',
            detail: 'It needs url = "wss://…", or dialsIn = true.',
          },
        ],
      })
      gateway.stop()
      const { stderr } = await gateway.ended
      expect(stderr).toContain(`${file}, line 3: runtime:ci is left out. It needs url`)
      expect(stderr).toContain('unknown key "typo"')
    })

    it('writes its log to $TRAWL_LOG_FILE, readable by the user alone', async () => {
      const file = join(dataDir, 'log', 'trawl.log')
      const gateway = serve([], { TRAWL_LOG_FILE: file })
      await gateway.listening
      gateway.stop()
      expect((await gateway.ended).stderr).not.toContain('"level"')
      expect(await readFile(file, 'utf8')).toContain('"msg":"listening"')
      expect(statSync(file).mode & 0o077).toBe(0)
    })

    it('refuses a token that others can read', async () => {
      await writeFile(join(dataDir, 'token'), 'A'.repeat(43))
      await chmod(join(dataDir, 'token'), 0o644)
      const shown = await serve().ended
      expect(shown.exitCode).toBe(77)
      expect(shown.stderr).toContain(`chmod 600 ${join(dataDir, 'token')}`)
    })
  })
})
