/** `trawl search` while hosts are lost: what it prints, and what it exits with. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandRun, runCommand } from '../helpers/command.ts'
import { emptyAgentProgram, runtimeHost } from '../helpers/fault-desk.ts'
import { answerOf, startWsAgents, type WsAgents } from '../helpers/ws-agents.ts'

describe('trawl search', () => {
  let agents: WsAgents
  let dataDir: string
  beforeEach(async () => {
    agents = await startWsAgents()
    dataDir = await mkdtemp(join(tmpdir(), 'trawl-honest-'))
  })
  afterEach(async () => {
    await agents[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** @param local whether this machine's own agent works. */
  async function run(names: readonly string[], args: readonly string[], local = true): Promise<CommandRun> {
    const config = join(dataDir, 'config.toml')
    const hosts = names.map((name) => runtimeHost(name, agents.url(name))).join('')
    await writeFile(config, `legTimeoutMs = 5000\n${hosts}`, { mode: 0o600 })
    return await runCommand(['search', ...args, 'q'], {
      dataDir,
      env: { TRAWL_CONFIG: config },
      agentCommand: [process.execPath, '-e', local ? emptyAgentProgram : 'process.exit(1)', '--'],
    })
  }
  const sorry = /nothing found|no results/i

  it.each([
    [[], 2],
    [['--strict'], 3],
  ])(
    '[link.20] [link.25] [link.56] %j exits with %i when all hosts are lost, and does not say that nothing was found',
    async (args, code) => {
      agents.kill('gone')
      const { exitCode, stdout, stderr } = await run(['gone'], args, false)
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
      expect(stderr).not.toMatch(sorry)
      expect(stderr).toContain('runtime:gone')
      expect(stderr).toContain('local')
    },
  )

  it('[link.25] --json gives the whole list of lost hosts', async () => {
    agents.kill('gone')
    const { exitCode, stdout } = await run(['gone'], ['--json'], false)
    expect(exitCode).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      hits: [],
      hosts: [
        { executionHostId: 'local', outcome: 'unreachable', reason: 'crashed' },
        { executionHostId: 'runtime:gone', outcome: 'unreachable', reason: 'offline' },
      ],
    })
  })

  it('[link.20] says of whom nothing was found, and of whom it does not know', async () => {
    agents.kill('gone')
    agents.behave('empty', { answer: { ...answerOf('empty'), hits: [] } })
    const { exitCode, stderr } = await run(['empty', 'gone'], [])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('Nothing found on runtime:empty.')
    expect(stderr).toMatch(/runtime:gone was not searched/)
  })

  it.each([
    [[], 0],
    [['--strict'], 3],
  ])(
    '[link.21] [link.56] %j shows the hits there are beside who is lost, exits with %i, and says nothing of nothing found',
    async (args, code) => {
      agents.kill('gone')
      const { exitCode, stdout, stderr } = await run(['a', 'gone'], args)
      expect(exitCode).toBe(code)
      expect(stdout).toContain('session-of-a')
      expect(stderr).not.toMatch(sorry)
      expect(stderr).toContain('runtime:gone')
    },
  )
})
