import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  agentProgram,
  createRealHome,
  end,
  firstMatch,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

const session = {
  sessionId: 'aaaaaaaa-0000-4000-8000-000000000001',
  at: '2026-01-02T03:04:05.000Z',
  user: 'why does the quokka parser stall',
}

function agentProcess(home: RealHome, ...args: string[]) {
  return spawn(process.execPath, [agentProgram, ...args], {
    env: home.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

describe.skipIf(whyNoBuild() !== null)('runtime hosts, as people set them up', () => {
  it('pairs with a host that listens, finds its sessions, and finds none once it is unpaired or disabled', async () => {
    await using laptop = await createRealHome('laptop')
    await using ci = await createRealHome('ci')
    await ci.writeClaude(session)
    const config = await writeConfig(laptop, '# mine\n')
    const env = { ...laptop.env, TRAWL_CONFIG: config }
    const trawl = async (...args: string[]) => await runProgram(gatewayProgram, args, env)
    const agent = async (...args: string[]) => await runProgram(agentProgram, args, ci.env)
    const listening = agentProcess(ci, 'listen', '--listen', '127.0.0.1:0', '--tls')
    try {
      await firstMatch(listening, /Pair a gateway/)
      const offered = await agent('pair')
      expect(offered.stdout).toMatch(/^trawl-pair\.\S+\n$/)
      const added = await trawl('hosts', 'add', 'runtime:ci', offered.stdout.trim(), '--name', 'laptop')
      expect(added).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await readFile(config, 'utf8')).toMatch(/^# mine\n\n\[\[hosts\]\]\n/)

      const found = await trawl('search', 'quokka', '--host', 'runtime:ci', '--wait', '--json')
      expect(JSON.parse(found.stdout).hits).toMatchObject([{ sessionId: session.sessionId }])
      // A remote host's answer, wherever it runs.
      expect(found.stdout).not.toContain(ci.homeDir)

      expect(await agent('disable')).toMatchObject({ exitCode: 0 })
      const disabled = await trawl('search', 'quokka', '--host', 'runtime:ci')
      expect(disabled.stderr).toContain('switched off on runtime:ci')
      expect((await agent('status')).stdout).toContain('trawl-agent enable')
      expect((await agent('index')).exitCode).toBe(2)
      await agent('enable')
      const again = await trawl('search', 'quokka', '--host', 'runtime:ci', '--wait', '--json')
      expect(JSON.parse(again.stdout).hits).toHaveLength(1)

      expect((await agent('pairs')).stdout).toMatch(/^laptop\tpaired /)
      expect(await agent('unpair', 'laptop')).toMatchObject({ exitCode: 0 })
      const refused = await trawl('search', 'quokka', '--host', 'runtime:ci')
      expect(refused.exitCode).toBe(2)
      expect(refused.stderr).toContain('auth-failed')
    } finally {
      await end(listening)
    }
  })

  it('invites a host that cannot be dialled, which dials in and is searched', async () => {
    await using desk = await createRealHome('desk')
    await using laptop = await createRealHome('laptop')
    await laptop.writeClaude(session)
    const config = await writeConfig(desk, 'agentsListen = "127.0.0.1:0"\n')
    const env = { TRAWL_CONFIG: config }
    const trawl = async (...args: string[]) => await runProgram(gatewayProgram, args, { ...desk.env, ...env })
    const early = await trawl('hosts', 'invite', 'runtime:laptop')
    expect(early.stderr).toContain('No gateway runs here')
    expect(await readFile(config, 'utf8')).not.toContain('[[hosts]]')

    await using gateway = await startServedGateway(desk, env)
    const invited = await trawl('hosts', 'invite', 'runtime:laptop')
    expect(invited.exitCode).toBe(0)
    expect(await readFile(config, 'utf8')).toContain('[[hosts]]\nid = "runtime:laptop"\ndialsIn = true\n')
    const connected = agentProcess(laptop, 'connect', invited.stdout.trim())
    try {
      await firstMatch(connected, /: connected$/)
      const found = await gateway.search({
        query: 'quokka',
        executionHostId: 'runtime:laptop',
        freshness: 'wait-until-current',
      })
      expect(found.hits).toMatchObject([{ sessionId: session.sessionId }])
    } finally {
      await end(connected)
    }
    const stored = await readFile(join(laptop.dataDir, 'dialled-gateways.json'), 'utf8')
    expect(JSON.parse(stored).gateways).toMatchObject([{ executionHostId: 'runtime:laptop' }])
    // Without an offer it dials where it was invited before.
    const back = agentProcess(laptop, 'connect')
    try {
      await firstMatch(back, /: connected$/)
      const url: string = JSON.parse(stored).gateways[0].url
      const pairs = await runProgram(agentProgram, ['pairs'], laptop.env)
      expect(pairs.stdout).toBe(`${url}\tdialled from here\tas runtime:laptop\n`)
      const exited = once(back, 'exit')
      const unpaired = await runProgram(agentProgram, ['unpair', url], laptop.env)
      expect(unpaired.exitCode).toBe(0)
      // Its only gateway is gone, and so is it.
      expect((await exited)[0]).toBe(2)
    } finally {
      await end(back)
    }
    expect((await runProgram(agentProgram, ['connect', 'wss://other.example'], laptop.env)).stderr).toContain(
      'No gateway was connected to at wss://other.example',
    )
  })
})
