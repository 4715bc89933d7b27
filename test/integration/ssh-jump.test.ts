/** ProxyJump through real servers: every hop verified under its own name, and none left open. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planRoute } from '../../gateway/hosts/ssh/route.ts'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { parseSshTarget } from '../../gateway/hosts/ssh/target.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createSshDesk, openSockets, type SshDesk } from '../helpers/ssh-desk.ts'
import { createSshHome } from '../helpers/ssh-home.ts'
import { type Sshd, startSshd, whyNoSshd } from '../helpers/sshd.ts'

async function route(config: string, target = 'devbox') {
  const home = await createSshHome()
  await home.write('config', config)
  try {
    const plan = await planRoute(parseSshTarget(target), settingsFromConfig(home.environment))
    return plan.map(({ user, hostName, port }) => `${user}@${hostName}:${port}`)
  } finally {
    await home[Symbol.asyncDispose]()
  }
}

describe('planRoute', () => {
  it('follows a list, the first hop’s own ProxyJump, and user and port of each', async () => {
    const config = [
      'Host *\n User me',
      'Host devbox\n Port 2022\n ProxyJump first,you@second:2222',
      'Host first\n HostName 10.0.0.1\n ProxyJump door',
      'Host second\n ProxyJump ignored-as-the-list-says-how',
    ]
    expect(await route(`${[...config.slice(1), config[0]].join('\n')}\n`)).toEqual([
      'me@door:22',
      'me@10.0.0.1:22',
      'you@second:2222',
      'me@devbox:2022',
    ])
  })

  it.each([
    ['itself', 'Host *\n User me\n ProxyJump devbox\n'],
    ['a ring', 'Host devbox\n ProxyJump a\nHost a\n ProxyJump b\nHost b\n ProxyJump a\n'],
  ])('refuses a way through %s', async (_, config) => {
    await expect(route(config)).rejects.toMatchObject({
      details: { reason: 'not-configured' },
      message: expect.stringContaining('twice'),
    })
  })

  it('takes ten jumps and refuses eleven', async () => {
    const jumps = (count: number) => Array.from({ length: count }, (_, hop) => `hop-${hop}`).join(',')
    expect(await route(`Host devbox\n ProxyJump ${jumps(10)}\n`)).toHaveLength(11)
    await expect(route(`Host devbox\n ProxyJump ${jumps(11)}\n`)).rejects.toMatchObject({
      message: expect.stringContaining('more than 10'),
    })
  })

  it('refuses a hop that would be an option', async () => {
    await expect(route('Host devbox\n ProxyJump -oProxyCommand=x\n')).rejects.toMatchObject({
      details: { reason: 'not-configured' },
    })
  })
})

describe.skipIf(whyNoSshd() !== null)('openSshStream through ProxyJump', () => {
  let desk: SshDesk
  let door: Sshd
  beforeAll(async () => {
    desk = await createSshDesk()
    door = await startSshd({ authorizedKeys: [await desk.home.writeKey('door-key')] })
  })
  afterAll(async () => {
    await door[Symbol.asyncDispose]()
    await desk[Symbol.asyncDispose]()
  })

  /** devbox behind the door; each with a key of its own, so that a hop with the other's settings would not get in. */
  const behindDoor = async (port = door.port) => {
    const hop = `Host door\n HostName 127.0.0.1\n Port ${port}\n IdentityFile ~/.ssh/door-key\n`
    await desk.configure(['ProxyJump door', 'IdentityFile ~/.ssh/id_ed25519'], { after: hop })
  }
  const trust = async (...lines: string[]) => {
    await desk.home.write('known_hosts', `${lines.join('\n')}\n`)
  }
  const devboxLine = () => `[127.0.0.1]:${desk.server.port} ${desk.server.hostKey}`
  const doorLine = (port = door.port) => `[127.0.0.1]:${port} ${door.hostKey}`

  it('reaches the host through the hop, by one session, and closes both connections', async () => {
    await behindDoor()
    await trust(devboxLine(), doorLine())
    const before = openSockets()
    const doorSessions = door.count('Starting session')
    const stream = await desk.open('echo $SSH_CONNECTION; exec cat')
    const [said] = await once(stream.stdout, 'data')
    expect(String(said)).toContain(` ${desk.server.port}`)
    await stream.close()
    expect(await stream.closed).toBeNull()
    expect(openSockets()).toEqual(before)
    expect(door.count('Starting session')).toBe(doorSessions)
    expect(door.count('Accepted publickey')).toBeGreaterThan(0)
  })

  it('refuses a hop or a host that is not known, each under its own name', async () => {
    await behindDoor()
    const before = openSockets()
    await trust(devboxLine())
    await expect(desk.open('true')).rejects.toMatchObject({
      details: { reason: 'host-key' },
      message: expect.stringContaining('of door is not in known_hosts'),
    })
    await trust(doorLine())
    await expect(desk.open('true')).rejects.toMatchObject({
      details: { reason: 'host-key' },
      message: expect.stringContaining('of devbox is not in known_hosts'),
    })
    expect(openSockets()).toEqual(before)
  })

  it('says which hop could not pass the connection on', async () => {
    await desk.home.write(
      'config',
      `Host devbox\n HostName 127.0.0.1\n Port 1\n ProxyJump door\nHost door\n HostName 127.0.0.1\n Port ${door.port}\n IdentityFile ~/.ssh/door-key\n`,
    )
    await trust(doorLine())
    const before = openSockets()
    await expect(desk.open('true')).rejects.toMatchObject({
      details: { reason: 'offline' },
      message: expect.stringContaining('door could not pass the connection on to devbox'),
    })
    expect(openSockets()).toEqual(before)
  })

  it('is over when the hop is cut off', async () => {
    await using relay = await startFaultProxy(door.port)
    await behindDoor(relay.port)
    await trust(devboxLine(), doorLine(relay.port))
    const before = openSockets()
    const stream = await desk.open('cat')
    relay.cut()
    expect(await stream.closed).toMatchObject({ details: { reason: 'offline' } })
    await relay.deserted()
    expect(openSockets()).toEqual(before)
  })

  it('ends at its deadline when the second hop never answers', async () => {
    await using silent = await startFaultProxy(null)
    await desk.home.write(
      'config',
      `Host devbox\n HostName 127.0.0.1\n Port ${silent.port}\n ConnectTimeout 1\n ProxyJump door\nHost door\n HostName 127.0.0.1\n Port ${door.port}\n IdentityFile ~/.ssh/door-key\n`,
    )
    await trust(doorLine())
    const before = openSockets()
    await expect(desk.open('true')).rejects.toMatchObject({ details: { reason: 'timeout' } })
    await silent.deserted()
    expect(openSockets()).toEqual(before)
  })
})
