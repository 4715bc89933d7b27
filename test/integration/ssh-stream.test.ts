/** One exec channel to a real sshd: bytes both ways, how it ends, and what is left. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSshLink } from '../../gateway/hosts/ssh/ssh-link.ts'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { systemClock } from '../../protocol/clock.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createSshDesk, openSockets, type SshDesk } from '../helpers/ssh-desk.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

const mebibyte = 1024 * 1024
/** Pays no heed to the end of its stdin, and ends only when nobody can hear it any more. */
const stubborn = 'while echo tick; do sleep 0.2; done'

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe.skipIf(whyNoSshd() !== null)('openSshStream with a real sshd', () => {
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

  it('finds the host by its alias and carries a megabyte both ways unchanged', async () => {
    const sent = randomBytes(mebibyte)
    const stream = await desk.open('cat')
    const received = readAll(stream.stdout)
    stream.stdin.end(sent)
    expect((await received).equals(sent)).toBe(true)
    expect(await stream.closed).toBeNull()
  })

  it('takes user, host and port from the target itself', async () => {
    const target = `${desk.server.user}@127.0.0.1:${desk.server.port}`
    const stream = await desk.open('echo here', { target })
    expect(String(await readAll(stream.stdout))).toBe('here\n')
    await stream.closed
  })

  it('opens one session and no more', async () => {
    const before = desk.server.count('Starting session')
    const stream = await desk.open('cat')
    await stream.close()
    expect(desk.server.count('Starting session') - before).toBe(1)
  })

  it('leaves no socket and no timer behind after it is closed', async () => {
    const before = openSockets()
    const armed = vi.spyOn(globalThis, 'setInterval')
    const cleared = vi.spyOn(globalThis, 'clearInterval')
    try {
      const stream = await desk.open('cat')
      expect(openSockets()).not.toEqual(before)
      await stream.close()
      expect(openSockets()).toEqual(before)
      const timers = armed.mock.results.map(({ value }) => value)
      expect(timers.length).toBeGreaterThan(0)
      for (const timer of timers) expect(cleared).toHaveBeenCalledWith(timer)
    } finally {
      armed.mockRestore()
      cleared.mockRestore()
    }
  })

  it('goes on through new keys agreed mid-stream', async () => {
    await using strict = await createSshDesk(['RekeyLimit 256K', 'LogLevel DEBUG1'])
    const sent = randomBytes(4 * mebibyte)
    const stream = await strict.open('cat')
    const received = readAll(stream.stdout)
    stream.stdin.end(sent)
    expect((await received).equals(sent)).toBe(true)
    expect(await stream.closed).toBeNull()
    expect(strict.server.count('SSH2_MSG_NEWKEYS received')).toBeGreaterThan(2)
  })

  it('cuts the connection when an agent does not end with its stdin', async () => {
    const before = openSockets()
    const stream = await desk.open(stubborn)
    await stream.close(1)
    expect(await stream.closed).toBeNull()
    expect(openSockets()).toEqual(before)
  })

  it('lets an agent end by itself though nobody reads what it still writes', async () => {
    const stream = await desk.open('head -c 9000000 /dev/zero; cat >/dev/null')
    await once(stream.stdout, 'readable')
    // The grace is longer than this test may take.
    await stream.close(60_000)
    expect(await stream.closed).toBeNull()
  })

  it('is over at once when the connection is cut while nobody reads', async () => {
    await using relay = await startFaultProxy(desk.server.port)
    await desk.trust(relay.port)
    await desk.configure([], { port: relay.port })
    try {
      const stream = await desk.open('exec yes')
      await once(stream.stdout, 'readable')
      // Until it is full, and the channel behind it stands still.
      while (stream.stdout.readableLength < stream.stdout.readableHighWaterMark) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      relay.cut()
      expect(await stream.closed).toMatchObject({ details: { reason: 'offline' } })
    } finally {
      await desk.trust()
    }
  })

  it('says that the agent is not installed', async () => {
    const stream = await desk.open('trawl-agent-that-is-nowhere stdio')
    expect(await stream.closed).toMatchObject({
      code: 'unreachable',
      details: { reason: 'agent-missing' },
      message: expect.stringMatching(/was not found on devbox .*ssh\.agentCommand.*not found/s),
    })
  })

  it('says that the agent crashed, with the end of what it wrote to stderr', async () => {
    const stream = await desk.open('yes early | head -c 20000 >&2; echo the last words >&2; exit 3')
    const end = await stream.closed
    expect(end).toMatchObject({
      details: { reason: 'crashed' },
      message: expect.stringContaining('status 3'),
    })
    expect(end?.message).toMatch(/the last words$/)
    expect(stream.stderrTail()).toHaveLength(8 * 1024)
  })

  it('says that the agent was killed, by which signal', async () => {
    const stream = await desk.open('kill -KILL $$')
    expect(await stream.closed).toMatchObject({
      details: { reason: 'crashed' },
      message: expect.stringContaining('SIGKILL'),
    })
  })

  it('goes on while the agent floods its stderr', async () => {
    const stream = await desk.open('head -c 5000000 /dev/zero >&2; echo done')
    expect(String(await readAll(stream.stdout))).toBe('done\n')
  })

  it('takes no more from the network than its reader keeps up with', async () => {
    await using relay = await startFaultProxy(desk.server.port)
    await desk.trust(relay.port)
    await desk.configure([], { port: relay.port })
    try {
      const total = 48 * mebibyte
      const stream = await desk.open(`head -c ${total} /dev/zero`)
      let read = 0
      let furthestAhead = 0
      while (!stream.stdout.readableEnded) {
        const chunk: Buffer | null = stream.stdout.read(16 * 1024) ?? stream.stdout.read()
        read += chunk?.length ?? 0
        furthestAhead = Math.max(furthestAhead, relay.toClient.bytes() - read)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(read).toBe(total)
      // A channel's window, what its stream holds, and the socket buffers; all of it without back-pressure.
      expect(furthestAhead).toBeLessThan(16 * mebibyte)
    } finally {
      await desk.trust()
    }
  })

  it('becomes a link once the agent behind a talkative login shell is ready', async () => {
    const ready = `printf 'welcome\\nto the farm\\ntrawl-agent ready {"protocol":1,"version":"1"}\\n'`
    const open = openSshLink({
      target: 'devbox',
      agentCommand: `${ready}; exec cat`,
      resolveSettings: settingsFromConfig(desk.home.environment),
      clock: systemClock,
      timeoutMs: 15_000,
    })
    const channel = await open(new AbortController().signal)
    const echoed = new Promise<string>((resolve) => {
      channel.start({ message: resolve, oversize: () => {}, closed: () => {} })
    })
    await channel.send('{"jsonrpc":"2.0","method":"$/ping","id":1}')
    expect(await echoed).toBe('{"jsonrpc":"2.0","method":"$/ping","id":1}')
    await channel.close()
  })

  it.each([
    ['trawl-agent-that-is-nowhere', 'agent-missing'],
    ['exit 9', 'crashed'],
    ['head -c 70000 /dev/zero; exec cat', 'protocol'],
  ])('fails a link to %s as %s and leaves nothing open', async (agentCommand, reason) => {
    const before = openSockets()
    const open = openSshLink({
      target: 'devbox',
      agentCommand,
      resolveSettings: settingsFromConfig(desk.home.environment),
      clock: systemClock,
      timeoutMs: 15_000,
    })
    await expect(open(new AbortController().signal)).rejects.toMatchObject({ details: { reason } })
    expect(openSockets()).toEqual(before)
  })
})
