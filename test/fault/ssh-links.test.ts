/** SSH hosts on bad days, with a real sshd: who they are, why they are lost, and what a far one costs. */
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { wrapForLoginShell } from '../../gateway/hosts/ssh/remote-command.ts'
import {
  createFaultDesk,
  emptyAgentProgram,
  type FaultDesk,
  type FaultDeskOptions,
  outcomes,
} from '../helpers/fault-desk.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'
import { createSshDesk, type SshDesk } from '../helpers/ssh-desk.ts'
import { startSshd, whyNoSshd } from '../helpers/sshd.ts'
import { answerOf } from '../helpers/ws-agents.ts'

const open: AsyncDisposable[] = []
function keep<One extends AsyncDisposable>(one: One): One {
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

describe.skipIf(whyNoSshd() !== null)('an SSH host', () => {
  let ssh: SshDesk
  beforeEach(async () => {
    ssh = keep(await createSshDesk())
    await writeFile(join(ssh.home.homeDir, 'agent.cjs'), emptyAgentProgram)
  })
  const agent = (name = 'agent.cjs') => `${process.execPath} ${join(ssh.home.homeDir, name)}`
  const section = (command: string, more = '') =>
    `[[hosts]]\nid = "ssh:devbox"\nssh.configFile = "${join(ssh.home.sshDir, 'config')}"\nssh.agentCommand = "${command}"\n${more}`

  async function start(command = agent(), more: Partial<FaultDeskOptions> = {}): Promise<FaultDesk> {
    const desk = await createFaultDesk({ hosts: section(command), homeDir: ssh.home.homeDir, ...more })
    await keep(desk).ready('local')
    return desk
  }
  async function throughProxy() {
    const proxy = keep(await startFaultProxy(ssh.server.port))
    await ssh.trust(proxy.port)
    await ssh.configure([], { port: proxy.port })
    return proxy
  }
  const untilLost = async (desk: FaultDesk) =>
    await desk.until('ssh:devbox', ({ state }) => state === 'offline')

  it('[link.14] is who its key says: another machine at its address is not asked', async () => {
    const proxy = await throughProxy()
    const desk = await start()
    await desk.ready('ssh:devbox')
    const authorizedKeys = [await readFile(join(ssh.home.sshDir, 'id_ed25519.pub'), 'utf8')]
    const impostor = keep(await startSshd({ authorizedKeys }))
    proxy.retarget(impostor.port)
    proxy.cut()
    await desk.until('ssh:devbox', ({ reason }) => reason === 'host-key')
    expect(outcomes((await desk.searchAll()).answer)['ssh:devbox']).toBe('host-key')
    expect(impostor.log()).not.toContain('Accepted')
    proxy.retarget(ssh.server.port)
    await desk.ready('ssh:devbox')
  })

  it.each([
    ['nothing listens', 'offline', async () => await ssh.configure([], { port: 1 })],
    ['its key is refused', 'auth-failed', async () => void (await ssh.home.writeKey('id_ed25519'))],
    [
      'it is not on record',
      'host-key',
      async () => void (await ssh.home.write('known_hosts', 'elsewhere ssh-ed25519 AAAA\n')),
    ],
  ])('[link.22] [link.23] is reported by its true cause when %s: %s', async (_what, reason, spoil) => {
    await spoil()
    const desk = await start()
    await untilLost(desk)
    expect((await desk.host('ssh:devbox')).reason).toBe(reason)
    expect(outcomes((await desk.searchAll()).answer)['ssh:devbox']).toBe(reason)
  })

  it.each([
    ['no-such-agent-anywhere', 'agent-missing'],
    ['exit 9', 'crashed'],
    ['echo hello from the shell; exec cat /dev/zero', 'protocol'],
  ])('[link.22] [link.23] whose command is `%s` is reported as %s', async (command, reason) => {
    const desk = await start(command)
    await untilLost(desk)
    expect((await desk.host('ssh:devbox')).reason).toBe(reason)
  })

  it('[link.40] [link.66] that is 150 ms away is ready in a dozen round trips', async () => {
    const roundTripMs = 150
    const near = await start()
    await near.ready('ssh:devbox')
    const nearMs = (await near.host('ssh:devbox')).roundTripMs ?? 0
    await near[Symbol.asyncDispose]()
    const proxy = await throughProxy()
    for (const lane of [proxy.toServer, proxy.toClient]) lane.delay(roundTripMs / 2)
    const far = await start()
    await far.ready('ssh:devbox')
    const farMs = (await far.host('ssh:devbox')).roundTripMs ?? 0
    // The way there and back is the difference; the rest is what the two machines do meanwhile.
    expect((farMs - nearMs) / roundTripMs).toBeLessThan(12 + 2)
  })

  it('[link.45] is looked for where its configuration says now, not where it was', async () => {
    const before = await throughProxy()
    const desk = await start()
    await desk.ready('ssh:devbox')
    const moved = keep(await startFaultProxy(ssh.server.port))
    await ssh.home.write(
      'known_hosts',
      [before, moved].map(({ port }) => `[127.0.0.1]:${port} ${ssh.server.hostKey}\n`).join(''),
    )
    await ssh.configure([], { port: moved.port })
    before.welcome('reset')
    before.cut()
    await untilLost(desk)
    await desk.ready('ssh:devbox')
    expect(moved.clients().now).toBe(1)
  })

  it('[link.61] [link.63] may print what it likes before its agent is ready, and answers in pieces that cut letters', async () => {
    const title = 'Überprüfung 日本語 🎉'
    const [hit] = answerOf('x').hits
    const answer = JSON.stringify({ ...answerOf('x'), hits: [{ ...hit, title }] })
    await writeFile(
      join(ssh.home.homeDir, 'noisy.cjs'),
      `console.log('Last login: today\\n{"jsonrpc":"2.0","id":1,"result":{}}\\n#< CLIXML\\n\\x1b[31m' + 'x'.repeat(20000))
${emptyAgentProgram.replace('const empty =', `const planted = ${JSON.stringify(answer)}\nconst empty = JSON.parse(planted) ||`)}`,
    )
    const proxy = await throughProxy()
    proxy.toClient.throttle(100_000)
    const desk = await start(agent('noisy.cjs'))
    await desk.ready('ssh:devbox')
    const { hits } = (await desk.searchAll()).answer
    expect(hits.map((each) => each.title)).toEqual([title])
  })
})

describe.skipIf(whyNoSshd() !== null || spawnSync('ssh', ['-V']).error !== undefined)(
  'an SSH host through the system’s ssh',
  () => {
    let ssh: SshDesk
    beforeEach(async () => {
      ssh = keep(await createSshDesk())
      await writeFile(join(ssh.home.homeDir, 'agent.cjs'), emptyAgentProgram)
    })

    it('[link.42] [link.70] whose control socket is taken by one who says nothing holds nobody up, and is reached once that is gone', async () => {
      const control = join(ssh.home.sshDir, 'control')
      const taken = new Set<Socket>()
      const mute: Server = createServer((socket) => {
        taken.add(socket)
        socket.on('error', () => {}).resume()
      })
      await new Promise<void>((resolve) => mute.listen(control, resolve))
      await ssh.configure([
        `IdentityFile ${join(ssh.home.sshDir, 'id_ed25519')}`,
        `UserKnownHostsFile ${ssh.home.knownHostsFile}`,
        `ControlPath ${control}`,
      ])
      const desk = keep(
        await createFaultDesk({
          hosts: `[[hosts]]\nid = "ssh:devbox"\nssh.client = "openssh"\nssh.configFile = "${join(ssh.home.sshDir, 'config')}"\nssh.agentCommand = "${process.execPath} ${join(ssh.home.homeDir, 'agent.cjs')}"\n`,
          homeDir: ssh.home.homeDir,
          clock: createScaledClock(4),
          legTimeoutMs: 4_000,
        }),
      )
      await desk.ready('local')
      while (taken.size === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      const { answer, elapsedMs, lagMs } = await desk.searchAll()
      expect(outcomes(answer)['ssh:devbox']).toBe('connecting')
      expect(elapsedMs).toBeLessThan(4_000 / 4 + 50 + lagMs)
      await desk.until('ssh:devbox', ({ state }) => state === 'offline')
      for (const socket of taken) socket.destroy()
      await new Promise((resolve) => mute.close(resolve))
      await desk.ready('ssh:devbox')
      expect(outcomes((await desk.searchAll()).answer)['ssh:devbox']).toBe('results')
    }, 60_000)
  },
)

describe('wrapForLoginShell', () => {
  const shells = ['sh', 'dash', 'bash', 'zsh', 'fish', 'csh', 'tcsh'].filter(
    (shell) => spawnSync(shell, ['-c', 'exit 0']).status === 0,
  )

  it.each(shells)('[link.58] reaches sh unchanged through %s', (shell) => {
    const command = `x='a b'; printf '%s|' "$x" '!$HOME' "it's" \`echo y\``
    const { stdout } = spawnSync(shell, ['-c', wrapForLoginShell(command)], { encoding: 'utf8' })
    expect(stdout).toBe("a b|!$HOME|it's|y|")
  })
})
