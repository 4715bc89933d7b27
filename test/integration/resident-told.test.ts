/** Which resident agent a connection gets: of its own configuration and folders, of the newest version, and one at a time. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { whyNoBundle } from '../helpers/agent-bundle.ts'
import { type Bridge, type BridgeHome, createBridgeHome, untilGone } from '../helpers/bridged-agent.ts'

async function ids(bridge: Bridge): Promise<string[]> {
  const answer = (await bridge.call('aiVault.searchSessions', {
    query: 'needle',
    freshness: 'wait-until-current',
  })) as { hits?: { sessionId: string }[] }
  return (answer.hits ?? []).map((hit) => hit.sessionId).toSorted()
}

// Many processes one after another.
vi.setConfig({ testTimeout: 120_000 })

describe.skipIf(whyNoBundle() !== null || process.platform === 'win32')('the resident agent', () => {
  let at: BridgeHome
  beforeEach(async () => {
    at = await createBridgeHome()
    await at.write('one', '/work/one', 'needle one')
  })
  afterEach(async () => {
    await at[Symbol.asyncDispose]()
  })

  /** Another home of Claude's with one session in it. */
  async function otherFolder(name: string): Promise<string> {
    const folder = join(at.home, name)
    const record = { type: 'user', sessionId: name, uuid: name, message: { role: 'user', content: 'needle' } }
    await mkdir(join(folder, 'projects/p'), { recursive: true })
    await writeFile(join(folder, 'projects/p', `${name}.jsonl`), `${JSON.stringify(record)}\n`)
    return folder
  }

  it('is another one for a connection with folders, a configuration or a data directory of its own', async () => {
    const folder = await otherFolder('moved')
    const config = join(at.home, 'other.toml')
    await writeFile(config, `[sources]\nclaude = ["${await otherFolder('named')}/projects"]\n`)
    const dataDir = join(at.home, 'other-data')
    const first = await at.bridge()
    expect(await ids(first)).toEqual(['one'])
    expect(await ids(await at.bridge(at.program, { CLAUDE_CONFIG_DIR: folder }))).toContain('moved')
    expect(await ids(await at.bridge(at.program, { TRAWL_CONFIG: config }))).toContain('named')
    const far = { CLAUDE_CONFIG_DIR: folder, TRAWL_DATA_DIR: dataDir }
    expect(await ids(await at.bridge(at.program, far))).toEqual(['moved'])
    // The same again, said in another way.
    await at.bridge(at.program, { TRAWL_CONFIG: join(at.home, '.config/trawl/config.toml') })
    const residents = await at.residents()
    expect(residents.map(({ connections }) => connections).toSorted()).toEqual([1, 1, 2])
    expect((await at.run('stop')).err.match(/has ended/g)).toHaveLength(3)
    for (const { pid } of residents) await untilGone(pid)
    expect(await at.files('.sock')).toEqual([])
    await using other = await createBridgeHome({ TRAWL_DATA_DIR: dataDir })
    expect(await other.residents()).toHaveLength(1)
  })

  it('of a newer version stays, whichever gateway comes next', async () => {
    const newer = await at.newerProgram()
    await at.bridge()
    await at.bridge(newer)
    const resident = await at.resident()
    for (const program of [at.program, newer, at.program, newer]) {
      const bridge = await at.bridge(program)
      expect(await ids(bridge)).toEqual(['one'])
      await bridge.leave()
      expect(await at.resident()).toMatchObject({ pid: resident?.pid })
    }
  })

  it('ends when the configuration it was told is deleted, with a connection and without, and the next one goes by none', async () => {
    await at.configure('[index]\nexclude = ["/work/one"]\n')
    const bridge = await at.bridge()
    expect(await ids(bridge)).toEqual([])
    const told = await at.resident()
    await rm(join(at.home, '.config'), { recursive: true })
    expect(await bridge.exited).toBe(75)
    if (told !== null) await untilGone(told.pid)
    await at.configure('[agent]\ngraceMinutes = 600\n')
    const idle = await at.bridge()
    const left = await at.resident()
    await idle.leave()
    await rm(join(at.home, '.config'), { recursive: true })
    if (left !== null) await untilGone(left.pid)
    expect(await at.files('.sock')).toEqual([])
    expect(await ids(await at.bridge())).toEqual(['one'])
  })

  it('leaves no socket for good when it is killed, at whatever moment', async () => {
    await at.bridge()
    const killed = await at.resident()
    if (killed !== null) process.kill(killed.pid, 'SIGKILL')
    const [socket = ''] = await at.files('.sock')
    // As one leaves it that is killed between the two steps of making it.
    await writeFile(join(at.dataDir, `${socket}.4194303`), '')
    await at.bridge()
    expect(await at.files('.sock')).toEqual([socket])
    const next = await at.resident()
    if (next !== null) process.kill(next.pid, 'SIGKILL')
    expect((await at.run('stop')).err).toBe('No resident agent runs.\n')
    expect(await at.files('.sock')).toEqual([])
  })

  it('is none, and nobody waits for one, where the runtime directory it needs is missing', async () => {
    const dataDir = join(at.home, 'd'.repeat(90))
    await using far = await createBridgeHome({
      TRAWL_DATA_DIR: dataDir,
      XDG_RUNTIME_DIR: join(at.home, 'gone'),
    })
    const bridge = await far.bridge()
    await bridge.call('host.describe')
    expect(await far.files('resident')).toEqual([])
    expect(await bridge.leave()).toBe(0)
  })
})
