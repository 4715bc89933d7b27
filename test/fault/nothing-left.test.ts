/** After trouble nothing is left: sockets, timers, listeners, child processes and files are as many as before. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/random.ts'
import { createFaultDesk, emptyAgentProgram, outcomes, runtimeHost } from '../helpers/fault-desk.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'
import { createSshDesk } from '../helpers/ssh-desk.ts'
import { createSshHome } from '../helpers/ssh-home.ts'
import { whyNoSshd } from '../helpers/sshd.ts'
import { startWsAgents } from '../helpers/ws-agents.ts'

/** What this process holds, by kind and count; `children` where the system tells. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1
  for (const event of process.eventNames()) {
    const listeners = process.listenerCount(event)
    if (listeners > 0) counts[`on ${String(event)}`] = listeners
  }
  counts.children = childCount()
  return counts
}

function childCount(): number {
  try {
    const tasks = readdirSync('/proc/self/task')
    const lists = tasks.map((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8'))
    return lists.join(' ').split(' ').filter(Boolean).length
  } catch {
    return 0
  }
}

/** What was closed is given up in the turns after; the test's own time ends the wait for what never is. */
async function untilNoMoreThan(before: Record<string, number>): Promise<void> {
  const more = () => Object.entries(held()).filter(([kind, count]) => count > (before[kind] ?? 0))
  for (let turn = 0; turn < 100 && more().length > 0; turn++) await delay(20)
  expect(more()).toEqual([])
}

describe('a gateway that is closed', () => {
  it('leaves nothing of hosts that answered, hung, died, were cut, frozen or never reached', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onWarning)
    await using agents = await startWsAgents()
    await using frozen = await startFaultProxy(agents.port)
    await using cut = await startFaultProxy(agents.port)
    await using mute = await startFaultProxy(null)
    // Timers that a first use of this or that leaves for good are none of the gateway's.
    await (await createFaultDesk({ hosts: runtimeHost('first', agents.url('first')) }))[Symbol.asyncDispose]()
    const before = held()
    const dirs: string[] = []
    for (let round = 0; round < 3; round++) {
      const names = ['good', 'hung', 'dying', 'silent']
      const behind = ({ port }: { port: number }, name: string) =>
        runtimeHost(name, `ws://127.0.0.1:${port}/hosts/${name}`)
      for (const name of ['dying', 'cut', 'frozen']) agents.revive(name)
      agents.behave('dying', 'answer')
      const desk = await createFaultDesk({
        hosts: [
          ...names.map((name) => runtimeHost(name, agents.url(name))),
          behind(frozen, 'frozen'),
          behind(cut, 'cut'),
          behind(mute, 'mute'),
          ...Array.from({ length: 40 }, (_, at) => runtimeHost(`more${at}`, agents.url(`more${at}`))),
        ].join(''),
        legTimeoutMs: 300,
      })
      dirs.push(desk.dir)
      agents.behave('hung', 'hang')
      await desk.ready('local', ...[...names, 'frozen', 'cut', 'more39'].map((name) => `runtime:${name}`))
      agents.behave('dying', 'die')
      frozen.freeze()
      const leaving = new AbortController()
      const left = desk.search({}, leaving.signal).catch(() => {})
      const { answer } = await desk.searchAll()
      cut.cut()
      await desk.searchAll()
      leaving.abort()
      await left
      expect(outcomes(answer)).toMatchObject({ 'runtime:good': 'results', 'runtime:hung': 'timeout' })
      frozen.thaw()
      await desk[Symbol.asyncDispose]()
    }
    for (const proxy of [frozen, cut, mute]) await proxy.deserted()
    await untilNoMoreThan(before)
    expect(dirs.filter((dir) => existsSync(dir))).toEqual([])
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  it.skipIf(whyNoSshd() !== null)(
    'leaves nothing of SSH hosts that answered, were cut or frozen',
    async () => {
      await using ssh = await createSshDesk()
      const file = join(ssh.home.homeDir, 'agent.cjs')
      await writeFile(file, emptyAgentProgram)
      const agent = `${process.execPath} ${file}`
      await using proxy = await startFaultProxy(ssh.server.port)
      await ssh.trust(proxy.port)
      await ssh.configure([], { port: proxy.port })
      const start = async () => {
        const hosts = `[[hosts]]\nid = "ssh:devbox"\nssh.configFile = "${join(ssh.home.sshDir, 'config')}"\nssh.agentCommand = "${agent}"\n`
        const desk = await createFaultDesk({ hosts, homeDir: ssh.home.homeDir, legTimeoutMs: 300 })
        await desk.ready('local', 'ssh:devbox')
        return desk
      }
      await (await start())[Symbol.asyncDispose]()
      await proxy.deserted()
      const before = held()
      for (const trouble of [() => {}, () => proxy.cut(), () => proxy.freeze()]) {
        const desk = await start()
        await desk.searchAll()
        trouble()
        await desk.searchAll()
        await desk[Symbol.asyncDispose]()
        proxy.thaw()
        proxy.cut()
        await proxy.deserted()
      }
      await untilNoMoreThan(before)
    },
  )
})

describe('a storm of reconnecting hosts', () => {
  const hostCount = 200

  it('[link.43] of 200 behind one SSH server opens at most four handshakes at once, again and again', async () => {
    const callers = new Set<Socket>()
    let most = 0
    let ever = 0
    // Says who it is, and turns everybody away after a moment.
    const server = createServer((socket) => {
      callers.add(socket)
      ever++
      most = Math.max(most, callers.size)
      socket.on('error', () => {})
      socket.on('close', () => callers.delete(socket))
      socket.resume().write('SSH-2.0-busy\r\n')
      setTimeout(() => socket.destroy(), 5)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await using home = await createSshHome()
    const names = Array.from({ length: hostCount }, (_, at) => `box${at}`)
    const config = await home.write(
      'config',
      `Host box*\n  HostName 127.0.0.1\n  Port ${port}\n  IdentityAgent none\n`,
    )
    const desk = await createFaultDesk({
      hosts: names.map((name) => `[[hosts]]\nid = "ssh:${name}"\nssh.configFile = "${config}"\n`).join(''),
      homeDir: home.homeDir,
      clock: createScaledClock(4),
      random: seededRandom(7),
    })
    try {
      while (ever < 3 * hostCount) await delay(10)
      expect(most).toBe(4)
      for (const name of names)
        expect(await desk.host(`ssh:${name}`)).toMatchObject({ state: expect.stringMatching(/offline/) })
    } finally {
      await desk[Symbol.asyncDispose]()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
