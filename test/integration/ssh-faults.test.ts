/** Networks and servers that fail on the way to an SSH host: each in bounded time, for its own reason, leaving nothing. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { openSshStream } from '../../gateway/hosts/ssh/ssh-stream.ts'
import { type Clock, systemClock } from '../../protocol/clock.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createSshDesk, openSockets, type SshDesk } from '../helpers/ssh-desk.ts'
import { createSshHome } from '../helpers/ssh-home.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

/** A clock that stands still until it is told that the time is up. */
function stoppedClock() {
  const timers = new Map<() => void, number>()
  const clock: Clock = {
    now: () => 0,
    monotonicMs: () => 0,
    after(ms, work) {
      timers.set(work, ms)
      return () => void timers.delete(work)
    },
  }
  const expire = (ms: number) => {
    for (const [work, due] of timers) if (due <= ms) work()
  }
  return { clock, expire, timers }
}

async function open(port: number, clock: Clock, config = '', signal = new AbortController().signal) {
  const home = await createSshHome()
  await home.write('config', config)
  try {
    return await openSshStream({
      target: `me@127.0.0.1:${port}`,
      resolveSettings: settingsFromConfig(home.environment),
      clock,
      timeoutMs: 5_000,
      signal,
    })
  } finally {
    await home[Symbol.asyncDispose]()
  }
}

const unreachable = (reason: string, text: string | RegExp) => ({
  code: 'unreachable',
  details: { reason },
  message: expect.stringMatching(text),
})

describe('openSshStream without an SSH server', () => {
  it('ends at its deadline when the server accepts and says nothing', async () => {
    await using silent = await startFaultProxy(null)
    const { clock, expire, timers } = stoppedClock()
    const before = openSockets()
    const opening = open(silent.port, clock)
    await silent.connected
    expire(4_999)
    expect(timers.size).toBe(1)
    expire(5_000)
    await expect(opening).rejects.toMatchObject(unreachable('timeout', /within 5 s \(greeting\)/))
    expect(timers.size).toBe(0)
    await silent.deserted()
    expect(openSockets()).toEqual(before)
  })

  it('ends earlier where ConnectTimeout says so', async () => {
    await using silent = await startFaultProxy(null)
    const { clock, expire, timers } = stoppedClock()
    const opening = open(silent.port, clock, 'ConnectTimeout 2\n')
    await silent.connected
    expire(2_000)
    await expect(opening).rejects.toMatchObject(unreachable('timeout', 'ConnectTimeout of 2 s'))
    expect(timers.size).toBe(0)
  })

  it('ends at once when the caller leaves', async () => {
    await using silent = await startFaultProxy(null)
    const caller = new AbortController()
    const opening = open(silent.port, systemClock, '', caller.signal)
    await silent.connected
    caller.abort()
    await expect(opening).rejects.toMatchObject({ code: 'cancelled' })
    await silent.deserted()
  })

  it('says that nothing listens', async () => {
    const relay = await startFaultProxy(null)
    await relay[Symbol.asyncDispose]()
    await expect(open(relay.port, systemClock)).rejects.toMatchObject(
      unreachable('offline', 'nothing listens there'),
    )
  })

  it('says that a name has no address', async () => {
    const home = await createSshHome()
    const opening = openSshStream({
      target: 'no-such-host.invalid',
      resolveSettings: settingsFromConfig(home.environment),
      clock: systemClock,
      timeoutMs: 20_000,
      signal: new AbortController().signal,
    })
    await expect(opening).rejects.toMatchObject(unreachable('offline', /no address|looked up/))
    await home[Symbol.asyncDispose]()
  })

  it.each([
    ['hangs up', '', 'offline', 'before the SSH handshake'],
    ['speaks SSH 1', 'SSH-1.5-old\r\n', 'protocol', 'do not understand each other'],
    [
      'sends rubbish after its greeting',
      `SSH-2.0-x\r\n${'rubbish'.repeat(5_000)}`,
      'protocol',
      'do not understand',
    ],
  ])('says what happened when the server %s', async (_, greeting, reason, text) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.resume()
      socket.end(greeting)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    await expect(open(port, systemClock)).rejects.toMatchObject(unreachable(reason, text))
    await new Promise((resolve) => server.close(resolve))
  })
})

describe.skipIf(whyNoSshd() !== null)('openSshStream when the link fails', () => {
  let desk: SshDesk
  beforeAll(async () => {
    desk = await createSshDesk()
  })
  afterAll(async () => {
    await desk[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await desk.configure()
  })

  const throughRelay = async (lines: readonly string[] = []) => {
    const relay = await startFaultProxy(desk.server.port)
    await desk.trust(relay.port)
    await desk.configure(lines, { port: relay.port })
    return relay
  }

  it('tells stdout, every write and `closed` of a connection that was cut mid-stream', async () => {
    await using relay = await throughRelay()
    const before = openSockets()
    const stream = await desk.open('while echo tick; do sleep 0.2; done')
    await once(stream.stdout, 'data')
    const outcome = new Promise<Error | null | undefined>((resolve) => {
      // More than the channel's window, so that this write is under way for good.
      stream.stdin.write(Buffer.alloc(8 * 1024 * 1024), resolve)
    })
    const lost = once(stream.stdout, 'error')
    relay.cut()
    const [loss] = await lost
    expect(loss).toMatchObject(unreachable('offline', 'was lost'))
    expect(await outcome).toMatchObject({ code: 'unreachable' })
    expect(await stream.closed).toMatchObject(unreachable('offline', 'devbox'))
    await relay.deserted()
    expect(openSockets()).toEqual(before)
    await stream.close()
  })

  it('notices a link that went silent, by keepalive', async () => {
    await using relay = await throughRelay(['ServerAliveInterval 1', 'ServerAliveCountMax 1'])
    const before = openSockets()
    const stream = await desk.open('cat')
    relay.freeze()
    const startedMs = performance.now()
    expect(await stream.closed).toMatchObject(unreachable('timeout', 'stopped answering'))
    expect(performance.now() - startedMs).toBeLessThan(4_000)
    // The relay's own sockets, which nobody told that all is over.
    relay.cut()
    await relay.deserted()
    expect(openSockets()).toEqual(before)
  })

  it('ends at its deadline when the link goes silent during the login', async () => {
    await using relay = await throughRelay()
    const { clock, expire, timers } = stoppedClock()
    const resolveSettings = settingsFromConfig(desk.home.environment)
    relay.freezeAfter('SSH-2.0')
    const opening = desk.open('cat', { clock, timeoutMs: 5_000, resolveSettings })
    await relay.frozen
    expire(5_000)
    await expect(opening).rejects.toMatchObject(unreachable('timeout', 'within 5 s'))
    expect(timers.size).toBe(0)
  })

  it('says that the server takes no session', async () => {
    await using strict = await createSshDesk(['MaxSessions 0'])
    const before = openSockets()
    await expect(strict.open('true')).rejects.toMatchObject(unreachable('protocol', 'starting the agent'))
    expect(openSockets()).toEqual(before)
  })
})
