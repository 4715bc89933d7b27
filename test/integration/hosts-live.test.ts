/** Hosts that come and go while the gateway runs: by `trawl hosts`, and by an edited configuration. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { type HostEntry, hostListSchema } from '../../protocol/rpc/describe.ts'
import { createFaultDesk, outcomes, runtimeHost } from '../helpers/fault-desk.ts'
import {
  agentProgram,
  createRealHome,
  end,
  firstMatch,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram, type ServedGateway, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

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

async function list(gateway: ServedGateway): Promise<Record<string, HostEntry>> {
  const { result } = await gateway.call('hosts.list', {})
  return Object.fromEntries(
    hostListSchema.parse(result).hosts.map((entry) => [entry.executionHostId, entry] as const),
  )
}

async function until(gateway: ServedGateway, fits: (hosts: Record<string, HostEntry>) => boolean) {
  for (;;) {
    const hosts = await list(gateway)
    if (fits(hosts)) return hosts
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe.skipIf(whyNoBuild() !== null)('hosts of a gateway that runs', () => {
  it('a host that listens is taken up at once, tested, and let go on both sides', async () => {
    await using laptop = await createRealHome('laptop')
    await using ci = await createRealHome('ci')
    await ci.writeClaude(session)
    const config = await writeConfig(laptop, '# mine\n')
    const env = { ...laptop.env, TRAWL_CONFIG: config }
    const trawl = async (...args: string[]) => await runProgram(gatewayProgram, args, env)
    const listening = agentProcess(ci, 'listen', '--listen', '127.0.0.1:0', '--tls')
    await using gateway = await startServedGateway(laptop, { TRAWL_CONFIG: config })
    try {
      await firstMatch(listening, /Pair a gateway/)
      const offer = (await runProgram(agentProgram, ['pair'], ci.env)).stdout.trim()
      const added = await trawl('hosts', 'add', 'runtime:ci', offer)
      expect(added).toMatchObject({ exitCode: 0, stderr: '' })
      expect(added.stdout).toMatch(/\nhost key .*\nlogin .*\nagent +\d.* trawl-agent .*\nfirst query /)
      expect(added.stdout).toContain('the gateway that runs connects to it now')
      const hosts = await until(gateway, (all) => all['runtime:ci']?.state === 'ready')
      expect(hosts['runtime:ci']?.readyAt).toBeGreaterThan(0)
      const found = await gateway.search({
        query: 'quokka',
        executionHostId: 'all',
        freshness: 'wait-until-current',
      })
      expect(found.hits).toMatchObject([{ executionHostId: 'runtime:ci' }])

      const tested = await trawl('hosts', 'test', 'runtime:ci', '--json')
      expect(JSON.parse(tested.stdout)).toMatchObject({ failed: null })
      expect(JSON.parse(tested.stdout).steps.map(({ step }: { step: string }) => step)).toEqual([
        'resolve',
        'connect',
        'host key',
        'login',
        'agent',
        'first query',
      ])
      const local = await trawl('hosts', 'test', 'local')
      expect(local).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^agent .*\nfirst query /) })

      const tokenFile = join(dirname(config), 'ci.token')
      await access(tokenFile)
      const removed = await trawl('hosts', 'remove', 'runtime:ci')
      expect(removed).toMatchObject({ exitCode: 0, stderr: '' })
      expect(removed.stdout).toContain('ended on both sides')
      expect(await readFile(config, 'utf8')).toBe('# mine\n')
      await expect(access(tokenFile)).rejects.toMatchObject({ code: 'ENOENT' })
      expect(Object.keys(await list(gateway))).toEqual(['local'])
      expect((await runProgram(agentProgram, ['pairs'], ci.env)).stdout).toBe('')
      const unknown = await trawl('hosts', 'test', 'runtime:ci')
      expect(unknown.exitCode).toBe(64)
    } finally {
      await end(listening)
    }
  })

  it('a host that cannot be told of its end is let go all the same, and the person is', async () => {
    await using laptop = await createRealHome('laptop')
    await using ci = await createRealHome('ci')
    const config = await writeConfig(laptop, '')
    const env = { ...laptop.env, TRAWL_CONFIG: config }
    const trawl = async (...args: string[]) => await runProgram(gatewayProgram, args, env)
    const listening = agentProcess(ci, 'listen', '--listen', '127.0.0.1:0', '--tls')
    await firstMatch(listening, /Pair a gateway/)
    const offer = (await runProgram(agentProgram, ['pair'], ci.env)).stdout.trim()
    expect(await trawl('hosts', 'add', 'runtime:ci', offer)).toMatchObject({ exitCode: 0 })
    await end(listening)
    const tested = await trawl('hosts', 'test', 'runtime:ci')
    expect(tested.exitCode).toBe(2)
    expect(tested.stdout).toMatch(/^resolve .*\nconnect +failed .*trawl-agent listen/)
    const removed = await trawl('hosts', 'remove', 'runtime:ci')
    expect(removed.exitCode).toBe(0)
    expect(removed.stderr).toContain('trawl-agent unpair NAME')
    await expect(access(join(dirname(config), 'ci.token'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('a host that dials in is tested by its gateway, and ends its dialling when it is removed', async () => {
    await using desk = await createRealHome('desk')
    await using laptop = await createRealHome('laptop')
    const config = await writeConfig(desk, 'agentsListen = "127.0.0.1:0"\n')
    const trawl = async (...args: string[]) =>
      await runProgram(gatewayProgram, args, { ...desk.env, TRAWL_CONFIG: config })
    await using gateway = await startServedGateway(desk, { TRAWL_CONFIG: config })
    const invited = await trawl('hosts', 'invite', 'runtime:laptop')
    expect(await readFile(config, 'utf8')).toContain('[[hosts]]\nid = "runtime:laptop"\ndialsIn = true\n')
    const away = await trawl('hosts', 'test', 'runtime:laptop')
    expect(away.exitCode).toBe(2)
    expect(away.stdout).toContain('It is not here; it was not seen')
    const connected = agentProcess(laptop, 'connect', invited.stdout.trim())
    try {
      await firstMatch(connected, /: connected$/)
      await until(gateway, (all) => all['runtime:laptop']?.state === 'ready')
      const here = await trawl('hosts', 'test', 'runtime:laptop')
      expect(here.stdout).toMatch(/^agent .* dialled in since 2.*, last seen .*\nfirst query /)
      const refused = firstMatch(connected, /does not know this host any more/)
      const exited = once(connected, 'exit')
      const removed = await trawl('hosts', 'remove', 'runtime:laptop')
      expect(removed).toMatchObject({ exitCode: 0 })
      await refused
      expect((await exited)[0]).toBe(2)
    } finally {
      await end(connected)
    }
    const again = agentProcess(laptop, 'connect')
    try {
      await firstMatch(again, /does not know this host any more/)
    } finally {
      await end(again)
    }
  })

  it('SIGHUP has an edited configuration read: what stays keeps its link, and a bad file changes nothing', async () => {
    await using desk = await createRealHome('desk')
    const agents = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(agents, 'listening')
    let connections = 0
    agents.on('connection', (socket) => {
      connections++
      socket.on('message', (data) => {
        const { id } = JSON.parse(String(data))
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'x' } }))
      })
    })
    const { port } = agents.address() as { port: number }
    const stays = runtimeHost('stays', `ws://127.0.0.1:${port}/`)
    const config = await writeConfig(desk, stays + runtimeHost('goes', `ws://127.0.0.1:${port}/`))
    await using gateway = await startServedGateway(desk, { TRAWL_CONFIG: config })
    const before = await until(gateway, (all) =>
      ['runtime:stays', 'runtime:goes'].every((id) => all[id]?.state === 'ready'),
    )
    const comes = runtimeHost('comes', `ws://127.0.0.1:${port}/`)
    const bad = '[[hosts]]\nid = "runtime:bad"\n'
    await writeFile(config, `# moved\n\n${comes}${bad}${stays}`)
    const leftOut = firstMatch(gateway.child, /runtime:bad is left out/)
    gateway.child.kill('SIGHUP')
    const after = await until(gateway, (all) => all['runtime:comes']?.state === 'ready')
    await leftOut
    expect(Object.keys(after)).toEqual(['local', 'runtime:comes', 'runtime:bad', 'runtime:stays'])
    expect(after['runtime:stays']?.readyAt).toBe(before['runtime:stays']?.readyAt)
    expect(connections).toBe(3)

    await writeFile(config, `${stays}\nhosts = nonsense\n`)
    const told = firstMatch(gateway.child, /line 6, column/)
    gateway.child.kill('SIGHUP')
    await told
    expect(Object.keys(await list(gateway))).toEqual(Object.keys(after))
    agents.close()
    for (const socket of agents.clients) socket.terminate()
  })
})

describe.skipIf(whyNoBuild() !== null)('SIGHUP', () => {
  it('says which changed settings count from the next start on', async () => {
    await using desk = await createRealHome('desk')
    const config = await writeConfig(desk, '')
    await using gateway = await startServedGateway(desk, { TRAWL_CONFIG: config })
    // Where it listens was said on the command line.
    await writeFile(
      config,
      'listen = "127.0.0.1:9"\nlegTimeoutMs = 500\n[index]\nhistoryDays = 9\n[[hosts]]\nid = "runtime:laptop"\ndialsIn = true\n',
    )
    const said = firstMatch(gateway.child, /^Changed, and taken up when .*/)
    gateway.child.kill('SIGHUP')
    expect(await said).toBe(
      'Changed, and taken up when trawl serve is started again: agentsListen, legTimeoutMs, index.',
    )
    const hosts = await until(gateway, (all) => all['runtime:laptop']?.state === 'offline')
    expect(hosts['runtime:laptop']?.detail).toContain('cannot dial in: no door for agents is open')
  })
})

describe('hosts.add and hosts.remove', () => {
  it('say where a host that dials in finds no door yet', async () => {
    await using desk = await createFaultDesk({ hosts: '', isStored: true })
    await mkdir(join(desk.dir, '.config/trawl'), { recursive: true })
    expect(await desk.call('hosts.add', { host: { id: 'runtime:laptop', dialsIn: true } })).toMatchObject({
      executionHostId: 'runtime:laptop',
      note: expect.stringContaining('Start trawl serve again, and it opens one'),
    })
  })

  it('are refused to relay callers, whose call changes nothing', async () => {
    await using desk = await createFaultDesk({ hosts: '', exposure: 'relay' })
    for (const [method, params] of [
      ['hosts.add', { host: { id: 'ssh:x' } }],
      ['hosts.remove', { executionHostId: 'local' }],
    ] as const)
      await expect(desk.call(method, params)).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('write the file and go by it; a leg that is out when its host goes is not configured', async () => {
    const silent = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(silent, 'listening')
    const asked = new Promise<void>((resolve) => {
      silent.on('connection', (socket) =>
        socket.on('message', (data) => {
          const { id, method } = JSON.parse(String(data))
          if (method === 'aiVault.searchSessions') return resolve()
          socket.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'x' } }))
        }),
      )
    })
    const { port } = silent.address() as { port: number }
    await using desk = await createFaultDesk({ hosts: '', isStored: true })
    const file = join(desk.dir, '.config/trawl/config.toml')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '# mine\n', { mode: 0o600 })
    const host = { id: 'runtime:ci', url: `ws://127.0.0.1:${port}/`, token: 't', label: 'CI' }
    await expect(desk.call('hosts.add', { host: { ...host, urll: 'x' } })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('Did you mean url?'),
    })
    await chmod(file, 0o644)
    await expect(desk.call('hosts.add', { host })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('chmod 600'),
    })
    expect(await readFile(file, 'utf8')).toBe('# mine\n')
    await chmod(file, 0o600)
    expect(await desk.call('hosts.add', { host })).toEqual({ executionHostId: 'runtime:ci', file })
    expect(await readFile(file, 'utf8')).toContain('id = "runtime:ci"')
    await desk.ready('runtime:ci')
    await expect(desk.call('hosts.add', { host })).rejects.toMatchObject({ code: 'invalid_input' })

    const searching = desk.searchAll()
    await asked
    await desk.call('hosts.remove', { executionHostId: 'runtime:ci' })
    const { answer } = await searching
    expect(outcomes(answer)).toEqual({ local: 'results', 'runtime:ci': 'not-configured' })
    await expect(desk.host('runtime:ci')).rejects.toThrow('no host')
    await expect(desk.call('hosts.remove', { executionHostId: 'runtime:ci' })).rejects.toMatchObject({
      code: 'unknown_host',
    })
    silent.close()
  })
})
