/** One agent for all connections of an account: real processes on a real socket. */
import { chmod, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { whyNoBundle } from '../helpers/agent-bundle.ts'
import { type Bridge, type BridgeHome, createBridgeHome, untilGone } from '../helpers/bridged-agent.ts'

const search = { query: 'needle', freshness: 'wait-until-current' }

async function ids(bridge: Bridge): Promise<string[]> {
  const answer = (await bridge.call('aiVault.searchSessions', search)) as { hits?: { sessionId: string }[] }
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

  async function pid(): Promise<number> {
    const resident = await at.resident()
    if (resident === null) throw new Error('no resident agent runs')
    return resident.pid
  }

  it('stays when a connection ends, and answers the next one', async () => {
    const first = await at.bridge()
    expect(await ids(first)).toEqual(['one'])
    const resident = await at.resident()
    expect(resident).toMatchObject({ connections: 1 })
    expect(await first.leave()).toBe(0)
    const second = await at.bridge()
    expect(await ids(second)).toEqual(['one'])
    expect(await pid()).toBe(resident?.pid)
    expect((await at.run('status')).out).toMatch(
      /resident agent .*: process \d+, started .* ago, 1 connection\n/,
    )
  })

  it('is one for gateways that come at once, on a socket for the account alone', async () => {
    const bridges = await Promise.all(Array.from({ length: 5 }, () => at.bridge()))
    expect(await at.resident()).toMatchObject({ connections: 5 })
    for (const bridge of bridges) expect(await ids(bridge)).toEqual(['one'])
    const [socket = ''] = await at.files('.sock')
    expect((await stat(join(at.dataDir, socket))).mode & 0o777).toBe(0o600)
    expect((await stat(at.dataDir)).mode & 0o777).toBe(0o700)
  })

  it('ends when nobody has come for its grace time, with nothing left but the index', async () => {
    await at.configure('[agent]\ngraceMinutes = 0.02\n')
    const bridge = await at.bridge()
    await ids(bridge)
    const agent = await pid()
    await bridge.leave()
    await untilGone(agent)
    expect(await at.files('.sock')).toEqual([])
    expect(await at.files('-wal')).toEqual([])
  })

  it('ends on a word and on SIGTERM, and its bridges say so', async () => {
    const bridge = await at.bridge()
    const agent = await pid()
    expect((await at.run('stop')).err).toBe(`The resident agent (process ${agent}) has ended.\n`)
    await untilGone(agent)
    expect(await bridge.exited).toBe(75)
    expect(bridge.stderr()).toContain('has ended')
    expect((await at.run('stop')).err).toBe('No resident agent runs.\n')
    await at.bridge()
    const next = await pid()
    process.kill(next, 'SIGTERM')
    await untilGone(next)
    expect(await at.files('.sock')).toEqual([])
    expect(await at.files('-wal')).toEqual([])
  })

  it('that is killed ends its bridges as a crash does, and the next bridge starts another', async () => {
    const bridge = await at.bridge()
    const agent = await pid()
    process.kill(agent, 'SIGKILL')
    expect(await bridge.exited).toBe(75)
    expect(await at.files('.sock')).toHaveLength(1)
    const next = await at.bridge()
    expect(await ids(next)).toEqual(['one'])
    expect(await pid()).not.toBe(agent)
  })

  it('makes way for a newer build, which older bridges then join', async () => {
    const old = await at.bridge()
    const agent = await pid()
    const newer = await at.newerProgram()
    const bridge = await at.bridge(newer)
    expect(await old.exited).toBe(75)
    await untilGone(agent)
    const next = await pid()
    expect(next).not.toBe(agent)
    expect(await ids(await at.bridge(at.program))).toEqual(['one'])
    expect(await ids(bridge)).toEqual(['one'])
    expect(await pid()).toBe(next)
  })

  it('finishes the calls it is at before it makes way', async () => {
    const bridge = await at.bridge()
    const answers = Array.from({ length: 20 }, () => ids(bridge))
    await at.bridge(await at.newerProgram())
    for (const answer of answers) expect(await answer).toEqual(['one'])
  })

  it.each(['its program', 'its data directory'])('ends when %s has gone', async (what) => {
    const bridge = await at.bridge()
    const agent = await pid()
    if (what === 'its program') await rename(at.program, `${at.program}.gone`)
    else await rm(at.dataDir, { recursive: true, force: true, maxRetries: 20 })
    await untilGone(agent)
    expect(await bridge.exited).toBe(75)
    if (what === 'its program') await rename(`${at.program}.gone`, at.program)
  })

  it('goes by what the owner switches and sets', async () => {
    await at.write('shut', '/work/secret', 'needle two')
    const bridge = await at.bridge()
    expect(await ids(bridge)).toEqual(['one', 'shut'])
    await at.run('disable')
    expect(await bridge.call('aiVault.searchSessions', search)).toEqual({
      kind: 'unavailable',
      reason: 'disabled',
    })
    await at.run('enable')
    expect(await ids(bridge)).toEqual(['one', 'shut'])
    await at.configure('[index]\nexclude = ["/work/secret"]\n')
    expect(await bridge.exited).toBe(75)
    const next = await at.bridge()
    expect(await ids(next)).toEqual(['one'])
    expect(await next.call('aiVault.searchStatus')).toMatchObject({ filesIndexed: 1, filesDue: 0 })
  })

  it('answers relay callers, whatever a bridge asks for', async () => {
    const bridge = await at.bridge()
    const answer = JSON.stringify(await bridge.call('aiVault.searchSessions', search))
    expect(answer).toContain('"one"')
    expect(answer).not.toContain(at.home)
    const refused = await at.run('stdio', '--resident', '--exposure', 'ipc')
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('relay callers only') })
  })

  it('is none where the account wants none', async () => {
    await at.configure('[agent]\ngraceMinutes = 0\n')
    const bridge = await at.bridge()
    expect(await ids(bridge)).toEqual(['one'])
    expect(await at.resident()).toBeNull()
    expect(await bridge.leave()).toBe(0)
  })

  it('is none where its socket’s path would be too long, and goes to the runtime directory where there is one', async () => {
    const dataDir = join(at.home, 'd'.repeat(90))
    const runtimeDir = join(at.home, 'run')
    await mkdir(runtimeDir, { mode: 0o700 })
    for (const [env, isThere] of [
      [{}, false],
      [{ XDG_RUNTIME_DIR: runtimeDir }, true],
    ] as const) {
      await using far = await createBridgeHome({ TRAWL_DATA_DIR: dataDir, ...env })
      const bridge = await far.bridge()
      await bridge.call('host.describe')
      expect((await far.resident()) !== null).toBe(isThere)
      await bridge.leave()
    }
    await chmod(runtimeDir, 0o755)
    await using open = await createBridgeHome({ TRAWL_DATA_DIR: dataDir, XDG_RUNTIME_DIR: runtimeDir })
    await (await open.bridge()).leave()
    expect(await open.resident()).toBeNull()
  })

  it('that cannot start or does not answer is done without', async () => {
    // Somebody else's: it takes connections and says nothing.
    const first = await at.bridge()
    const [name = ''] = await at.files('.sock')
    await at.run('stop')
    await first.exited
    const mute = createServer((socket) => socket.resume())
    const socket = join(at.dataDir, name)
    await new Promise<void>((resolve) => mute.listen(socket, resolve))
    const bridge = await at.bridge()
    expect(await ids(bridge)).toEqual(['one'])
    await bridge.leave()
    await new Promise((resolve) => mute.close(resolve))
    // A folder in the way: no socket can be made.
    await mkdir(socket)
    expect(await ids(await at.bridge())).toEqual(['one'])
  })

  it('keeps a log that does not grow', async () => {
    await at.bridge()
    const [name = ''] = await at.files('.log')
    await at.run('stop')
    await writeFile(join(at.dataDir, name), 'x'.repeat(300_000))
    await at.bridge()
    expect((await stat(join(at.dataDir, name))).size).toBeLessThan(256 * 1024)
  })
})
