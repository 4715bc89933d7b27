/** Transcript roots that cannot be looked at: nothing that was indexed is lost, and the status says what is wrong. */
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { giveToPlainUser, plainUid, whyNoPlainUser } from '../helpers/other-user.ts'
import { startRealAgent } from '../helpers/real-agent.ts'
import {
  agentProgram,
  createRealHome,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram } from '../helpers/served-gateway.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

/** A home that has been indexed: one session of each agent. */
async function indexedHome(): Promise<RealHome & { readonly root: string }> {
  const home = await createRealHome()
  open.push(home)
  await home.writeClaude({ sessionId: 'kept', at: '2026-01-01T00:00:00Z', user: 'keptwords' })
  await home.writeCodex({ sessionId: codexId, at: '2026-01-02T00:00:00Z', user: 'codexwords' })
  await runProgram(agentProgram, ['index'], home.env)
  return { ...home, root: join(home.homeDir, '.claude/projects') }
}

const codexId = '019b0000-0000-7000-8000-000000000001'

async function agentOf(home: RealHome, asUser?: number) {
  const agent = await startRealAgent(home, {
    exposure: 'ipc',
    ...(asUser === undefined ? {} : { uid: asUser }),
  })
  open.push(agent)
  return agent
}

describe.skipIf(whyNoBuild() !== null)('a transcript root that', () => {
  it.skipIf(whyNoPlainUser() !== null)(
    'is unreadable keeps what was indexed, degrades the status with its name, and leaves the others alone',
    async () => {
      const home = await indexedHome()
      await giveToPlainUser(dirname(home.homeDir))
      await chmod(home.root, 0o000)
      try {
        const agent = await agentOf(home, plainUid)
        const status = await agent.settledStatus()
        expect(status).toMatchObject({
          phase: 'degraded',
          filesIndexed: 2,
          degradedRoots: [{ root: home.root, reason: expect.stringContaining('may not be read') }],
        })
        expect(await agent.find('keptwords')).toEqual(['kept'])
        expect(await agent.find('codexwords')).toEqual([codexId])
        await chmod(home.root, 0o700)
        await agent.find('keptwords')
        expect(await agent.settledStatus()).toMatchObject({ phase: 'current', degradedRoots: [] })
      } finally {
        await chmod(home.root, 0o700)
      }
    },
  )

  it('has become a file keeps what was indexed and says so', async () => {
    const home = await indexedHome()
    await rename(home.root, `${home.root}-aside`)
    await writeFile(home.root, 'no folder')
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ root: home.root, reason: expect.stringContaining('is not a folder') }],
    })
    expect(await agent.find('keptwords')).toEqual(['kept'])
    expect(await agent.find('codexwords')).toEqual([codexId])
  })

  it('is gone keeps what was indexed and says so', async () => {
    const home = await indexedHome()
    await rename(join(home.homeDir, '.claude'), join(home.homeDir, 'unplugged'))
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ root: home.root, reason: expect.stringContaining('is not there') }],
    })
    expect(await agent.find('keptwords')).toEqual(['kept'])
  })

  it('goes away while the agent runs, and comes back, costs nothing', async () => {
    const home = await indexedHome()
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({ phase: 'current' })
    await rename(home.root, `${home.root}-aside`)
    expect(await agent.find('keptwords')).toEqual(['kept'])
    expect(await agent.settledStatus()).toMatchObject({ phase: 'degraded' })
    await rename(`${home.root}-aside`, home.root)
    expect(await agent.find('keptwords')).toEqual(['kept'])
    expect(await agent.settledStatus()).toMatchObject({ phase: 'current', degradedRoots: [] })
  })

  it('was never there is an agent that is not installed: no fault at all', async () => {
    const home = await createRealHome()
    open.push(home)
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'current',
      filesIndexed: 0,
      degradedRoots: [],
    })
    expect(await agent.find('anything')).toEqual([])
  })

  it('holds loops of links is walked once, and each session is found once', async () => {
    const home = await indexedHome()
    await symlink('..', join(home.root, '-work-app', 'up'))
    await symlink('loop', join(home.root, 'loop'))
    await symlink(home.root, join(home.root, 'self'))
    await symlink(join(home.root, '-work-app'), join(home.root, '-other-name'))
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'current',
      filesIndexed: 2,
      degradedRoots: [],
    })
    expect(await agent.find('keptwords')).toEqual(['kept'])
  })

  it('is itself a loop of links is told as that, and the other agent is read', async () => {
    const home = await createRealHome()
    open.push(home)
    await home.writeCodex({ sessionId: codexId, at: '2026-01-02T00:00:00Z', user: 'codexwords' })
    await mkdir(join(home.homeDir, '.claude'))
    const root = join(home.homeDir, '.claude/projects')
    await symlink('projects', root)
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ root, reason: expect.stringContaining('is a loop of links') }],
    })
    expect(await agent.find('codexwords')).toEqual([codexId])
  })

  it('lost one transcript loses that session alone, and no other', async () => {
    const home = await indexedHome()
    const gone = await home.writeClaude({ sessionId: 'gone', at: '2026-01-03T00:00:00Z', user: 'gonewords' })
    await runProgram(agentProgram, ['index'], home.env)
    await rm(gone)
    await runProgram(agentProgram, ['index'], home.env)
    const agent = await agentOf(home)
    await agent.settledStatus()
    expect(await agent.find('gonewords')).toEqual([])
    expect(await agent.find('keptwords')).toEqual(['kept'])
  })

  it('is degraded keeps trawl search from saying that nothing was found', async () => {
    const home = await indexedHome()
    await rename(home.root, `${home.root}-aside`)
    await writeFile(home.root, 'no folder')
    const shown = await runProgram(gatewayProgram, ['search', 'nothinghasthis'], home.env)
    expect(shown.exitCode).toBe(1)
    expect(shown.stderr).not.toContain('Nothing found')
    expect(shown.stderr).toContain('1 of its sources could not be read')
  })
})
