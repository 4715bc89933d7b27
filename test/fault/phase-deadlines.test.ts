/**
 * A host that hangs, in every phase of connecting, asking and answering, over the real `ws` and a real sshd behind the
 * fault proxy: whatever hangs, an `all` search is over within the leg's time and 50 ms.
 */
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { openDeafPort } from '../helpers/deaf-port.ts'
import {
  createFaultDesk,
  emptyAgentProgram,
  type FaultDesk,
  type FaultDeskOptions,
  outcomes,
  runtimeHost,
} from '../helpers/fault-desk.ts'
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'
import { createSshDesk, type SshDesk } from '../helpers/ssh-desk.ts'
import { whyNoSshd } from '../helpers/sshd.ts'
import { startWsAgents, type WsAgents } from '../helpers/ws-agents.ts'

const legTimeoutMs = 300
const marginMs = 50

const open: AsyncDisposable[] = []
function keep<One extends AsyncDisposable>(one: One): One {
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

/** What the test machine itself was late is not the gateway's: a timer may be that late, and so may what it leads to. */
async function expectInTime(desk: FaultDesk, legs: Record<string, string>): Promise<void> {
  const { answer, elapsedMs, lagMs } = await desk.searchAll()
  expect(outcomes(answer)).toEqual({ local: 'results', ...legs })
  expect(elapsedMs).toBeLessThan(legTimeoutMs + marginMs + 2 * lagMs)
  for (const { durationMs } of answer.hosts ?? [])
    expect(durationMs).toBeLessThan(legTimeoutMs + marginMs + 2 * lagMs)
}

describe('an `all` search, while a runtime host', () => {
  let agents: WsAgents
  let proxy: FaultProxy
  beforeEach(async () => {
    agents = keep(await startWsAgents())
    proxy = keep(await startFaultProxy(agents.port))
  })
  // A link that hangs would be waited for when it is closed.
  afterEach(() => proxy.cut())

  const start = async (more: Partial<FaultDeskOptions> = {}) => {
    const desk = await createFaultDesk({
      hosts: runtimeHost('far', `ws://127.0.0.1:${proxy.port}/hosts/far`),
      legTimeoutMs,
      ...more,
    })
    await keep(desk).ready('local')
    return desk
  }

  it('[link.3] is a machine that takes no TCP connection and refuses none, is in time', async (context) => {
    const deaf = await openDeafPort()
    if (deaf === null) return context.skip('this kernel takes every connection')
    keep(deaf)
    const desk = await start({ hosts: runtimeHost('far', `ws://127.0.0.1:${deaf.port}/rpc`) })
    await expectInTime(desk, { 'runtime:far': 'connecting' })
  })

  it('[link.3] accepts and never says a word, is in time', async () => {
    proxy.welcome('silence')
    const desk = await start()
    await proxy.connected
    await expectInTime(desk, { 'runtime:far': 'connecting' })
  })

  it('[link.16] stops in the middle of the handshake, is in time', async () => {
    proxy.toClient.cutAfter(20, 'hold')
    const desk = await start()
    while (proxy.toClient.bytes() < 20) await new Promise((resolve) => setTimeout(resolve, 2))
    await expectInTime(desk, { 'runtime:far': 'connecting' })
  })

  it('[link.16] shakes hands and never says who it is, is in time', async () => {
    agents.behave('far', 'mute')
    const desk = await start()
    await expectInTime(desk, { 'runtime:far': 'connecting' })
  })

  it('[link.16] goes silent before the first byte of its answer, is in time', async () => {
    const desk = await start()
    await desk.ready('runtime:far')
    proxy.freeze()
    await expectInTime(desk, { 'runtime:far': 'timeout' })
  })

  it('[link.17] answers pings and hangs with every search, is in time', async () => {
    agents.behave('far', 'hang')
    const desk = await start()
    await desk.ready('runtime:far')
    await expectInTime(desk, { 'runtime:far': 'timeout' })
  })

  it('[link.16] [link.65] stops in the middle of its answer, is in time', async () => {
    const desk = await start()
    await desk.ready('runtime:far')
    proxy.toClient.cutAfter(100, 'hold')
    await expectInTime(desk, { 'runtime:far': 'timeout' })
  })

  it('[link.36] drips its answer, a byte now and then, is in time', async () => {
    const desk = await start()
    await desk.ready('runtime:far')
    proxy.toClient.throttle(200)
    await expectInTime(desk, { 'runtime:far': 'timeout' })
  })

  it('[link.2] is behind a link that went half-open, is told offline within two ping intervals', async () => {
    const speed = 25
    const desk = await start({ clock: createScaledClock(speed), legTimeoutMs: 10_000 })
    await desk.ready('runtime:far')
    proxy.freeze()
    const startedMs = performance.now()
    await desk.until('runtime:far', ({ state }) => state === 'offline')
    expect(performance.now() - startedMs).toBeLessThan((2 * livenessIntervalMs) / speed + 100)
  })
})

describe.skipIf(whyNoSshd() !== null)('an `all` search, while an SSH host', () => {
  let ssh: SshDesk
  let agentFile: string
  beforeEach(async () => {
    ssh = keep(await createSshDesk(['MaxStartups 100']))
    agentFile = join(ssh.home.homeDir, 'agent.cjs')
    await writeFile(agentFile, emptyAgentProgram)
  })

  const section = (name: string, command = `${process.execPath} ${agentFile}`) =>
    `[[hosts]]\nid = "ssh:${name}"\nssh.configFile = "${join(ssh.home.sshDir, 'config')}"\nssh.agentCommand = "${command}"\n`

  /** The way to `devbox` leads through a proxy. */
  async function start({ command = '', ...more }: Partial<FaultDeskOptions> & { command?: string } = {}) {
    const proxy = keep(await startFaultProxy(ssh.server.port))
    await ssh.trust(proxy.port)
    await ssh.configure([], { port: proxy.port })
    const begin = async () => {
      const hosts = command === '' ? section('devbox') : section('devbox', command)
      const desk = await createFaultDesk({ hosts, legTimeoutMs, homeDir: ssh.home.homeDir, ...more })
      await keep(desk).ready('local')
      return desk
    }
    return { proxy, begin }
  }

  it('[link.3] has a configuration that cannot be read to its end, is in time', async () => {
    const pipe = join(ssh.home.sshDir, 'config')
    spawnSync('rm', [pipe])
    spawnSync('mkfifo', [pipe])
    const desk = await createFaultDesk({ hosts: section('devbox'), legTimeoutMs, homeDir: ssh.home.homeDir })
    // A reader that waits for somebody to write is let go by somebody who does; who reads next finds a file.
    keep({
      [Symbol.asyncDispose]: async () => {
        const moved = `mv "${pipe}" "${pipe}.pipe"; : > "${pipe}"; exec timeout 2 sh -c ': > "${pipe}.pipe"'`
        spawnSync('sh', ['-c', moved])
      },
    })
    await desk.ready('local')
    await expectInTime(desk, { 'ssh:devbox': 'connecting' })
    await desk[Symbol.asyncDispose]()
  })

  it('[link.62] is a machine that takes no TCP connection and refuses none, is in time', async (context) => {
    const deaf = await openDeafPort()
    if (deaf === null) return context.skip('this kernel takes every connection')
    keep(deaf)
    const { begin } = await start()
    await ssh.configure([], { port: deaf.port })
    await expectInTime(await begin(), { 'ssh:devbox': 'connecting' })
  })

  it('[link.3] [link.62] accepts and never says a word, is in time', async () => {
    const { proxy, begin } = await start()
    proxy.welcome('silence')
    const desk = await begin()
    await proxy.connected
    await expectInTime(desk, { 'ssh:devbox': 'connecting' })
  })

  it('[link.16] goes silent after any part of handshake, login and start, is in time', async () => {
    const { proxy, begin } = await start()
    const first = await begin()
    await first.ready('ssh:devbox')
    const whole = proxy.toClient.bytes()
    await first[Symbol.asyncDispose]()
    const parts = [0.02, 0.2, 0.4, 0.55, 0.7, 0.8, 0.9, 0.97]
    const proxies = await Promise.all(parts.map(async () => keep(await startFaultProxy(ssh.server.port))))
    proxies.forEach((each, at) => void each.toClient.cutAfter(Math.floor(whole * (parts[at] ?? 0)), 'hold'))
    const known = proxies.map(({ port }) => `[127.0.0.1]:${port} ${ssh.server.hostKey}\n`)
    await ssh.home.write('known_hosts', known.join(''))
    const aliases = proxies.map(({ port }, at) => `Host part${at}\n  HostName 127.0.0.1\n  Port ${port}\n`)
    await ssh.home.write('config', aliases.join(''))
    const desk = keep(
      await createFaultDesk({
        hosts: parts.map((_, at) => section(`part${at}`)).join(''),
        legTimeoutMs,
        homeDir: ssh.home.homeDir,
      }),
    )
    await desk.ready('local')
    for (const [at, each] of proxies.entries())
      while (each.toClient.bytes() < Math.floor(whole * (parts[at] ?? 0)))
        await new Promise((resolve) => setTimeout(resolve, 2))
    await expectInTime(desk, Object.fromEntries(parts.map((_, at) => [`ssh:part${at}`, 'connecting'])))
  })

  it('[link.33] runs a command that is no agent and says nothing, is in time', async () => {
    const { begin } = await start({ command: 'sleep 1000' })
    const desk = await begin()
    await ssh.server.logged('Starting session')
    await expectInTime(desk, { 'ssh:devbox': 'connecting' })
  })

  it('[link.33] goes silent before the first byte of its answer, is in time, and connects again when it can', async () => {
    const { proxy, begin } = await start()
    const desk = await begin()
    await desk.ready('ssh:devbox')
    proxy.freeze()
    await expectInTime(desk, { 'ssh:devbox': 'timeout' })
    proxy.thaw()
    proxy.cut()
    await desk.until('ssh:devbox', ({ state }) => state === 'offline')
    await desk.ready('ssh:devbox')
    await expectInTime(desk, { 'ssh:devbox': 'results' })
  })

  it('[link.65] stops in the middle of its answer, is in time', async () => {
    const { proxy, begin } = await start()
    const desk = await begin()
    await desk.ready('ssh:devbox')
    proxy.toClient.cutAfter(70, 'hold')
    await expectInTime(desk, { 'ssh:devbox': 'timeout' })
  })

  it('[link.36] drips its answer, a byte now and then, is in time', async () => {
    const { proxy, begin } = await start()
    const desk = await begin()
    await desk.ready('ssh:devbox')
    proxy.toClient.throttle(200)
    await expectInTime(desk, { 'ssh:devbox': 'timeout' })
  })

  it('[link.2] [link.46] is behind a link that went half-open, is told offline within two ping intervals', async () => {
    const speed = 5
    const { proxy, begin } = await start({ clock: createScaledClock(speed), legTimeoutMs: 10_000 })
    const desk = await begin()
    await desk.ready('ssh:devbox')
    proxy.freeze()
    const startedMs = performance.now()
    await desk.until('ssh:devbox', ({ state }) => state === 'offline')
    expect(performance.now() - startedMs).toBeLessThan((2 * livenessIntervalMs) / speed + 200)
  })
})
