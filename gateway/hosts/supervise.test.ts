import { describe, expect, it } from 'vitest'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { backOffMs } from './back-off.ts'
import type { LinkReport } from './host.ts'
import { connectTimeoutMs, type OpenLink } from './open-link.ts'
import { SupervisedHost } from './supervise.ts'

const description = {
  version: '9.9.9',
  protocol: 1,
  platform: 'linux',
  agents: [],
  searchModes: [],
  methods: [],
  limits: { maxMessageBytes: 1, maxLimit: 1, maxQueryUnits: 1 },
}
const wait = { signal: new AbortController().signal, timeoutMs: 10_000 }

/** A host whose far side is in the test's hands. */
function superviseFake(kind: 'ssh' | 'runtime' = 'ssh') {
  const clock = createManualClock()
  const reports: LinkReport[] = []
  const far: RpcConnection[] = []
  let attempts = 0
  let next: OpenLink = async () => {
    throw new TrawlError('unreachable', 'refused', { reason: 'offline' })
  }
  const host = new SupervisedHost({
    id: 'ssh:h',
    kind,
    label: 'h',
    open: async (signal) => {
      attempts++
      return await next(signal)
    },
    clock,
    random: () => 0.5,
    createId: () => 'id',
    onChange: (report) => reports.push(report),
  })
  const answering =
    (methods: RpcMethods): OpenLink =>
    async () => {
      const [near, other] = createInMemoryChannelPair()
      far.push(openConnection(other, { methods, maxMessageBytes: 1e6, createId: () => 'id', clock }))
      return near
    }
  return {
    host,
    clock,
    reports,
    far,
    attempts: () => attempts,
    connectVia: (open: OpenLink) => {
      next = open
    },
    answering,
    healthy: answering(
      new Map<string, (params: unknown) => unknown>([
        ['host.describe', () => description],
        ['echo', (params) => params],
      ]),
    ),
  }
}

describe('SupervisedHost', () => {
  it('connects, learns the version, and passes calls on', async () => {
    const { host, clock, connectVia, healthy } = superviseFake()
    connectVia(healthy)
    host.start()
    await clock.pass(0)
    expect(host.report()).toMatchObject({ state: 'ready', version: '9.9.9', retryAtMs: null })
    await expect(host.call('echo', (leftMs) => ({ leftMs }), wait)).resolves.toEqual({ leftMs: 10_000 })
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })

  it('lets a query wait for the first attempt inside its own time, and only for that one', async () => {
    const { host, clock, connectVia, healthy, attempts } = superviseFake()
    connectVia(() => new Promise(() => {}))
    host.start()
    const early = host
      .call('echo', () => ({}), { ...wait, timeoutMs: 300 })
      .catch((error: TrawlError) => error)
    await clock.pass(300)
    await expect(early).resolves.toMatchObject({ code: 'unreachable', details: { reason: 'connecting' } })
    await clock.pass(connectTimeoutMs)
    expect(host.report()).toMatchObject({ state: 'offline', reason: 'timeout' })
    await expect(host.call('echo', () => ({}), wait)).rejects.toMatchObject({
      details: { reason: 'timeout' },
    })
    expect(attempts()).toBe(1)
    connectVia(healthy)
    await clock.pass(500)
    expect(host.report().state).toBe('ready')
    await host[Symbol.asyncDispose]()
  })

  it('[boundary.no-fallback] never connects because of a query: a link that is down answers at once', async () => {
    const { host, clock, attempts } = superviseFake()
    host.start()
    await clock.pass(0)
    for (let call = 0; call < 3; call++) {
      await expect(host.call('echo', () => ({}), wait)).rejects.toMatchObject({
        code: 'unreachable',
        details: { reason: 'offline' },
      })
    }
    expect(attempts()).toBe(1)
    await host[Symbol.asyncDispose]()
  })

  it('backs off further with each failure, and forgets them after 30 healthy seconds', async () => {
    const { host, clock, reports, connectVia, healthy, far } = superviseFake()
    host.start()
    await clock.pass(0)
    const waits: number[] = []
    for (let failure = 0; failure < 4; failure++) {
      const { retryAtMs } = host.report()
      waits.push((retryAtMs ?? 0) - clock.now())
      await clock.pass((retryAtMs ?? 0) - clock.now())
    }
    expect(waits).toEqual([500, 1000, 2000, 4000])
    connectVia(healthy)
    await clock.pass(60_000)
    expect(host.report().state).toBe('ready')
    await clock.pass(31_000)
    await far.at(-1)?.close()
    await clock.pass(0)
    expect((reports.at(-1)?.retryAtMs ?? 0) - clock.now()).toBe(500)
    await host[Symbol.asyncDispose]()
  })

  it('gives a link up when two ping intervals pass in silence, and fails what was waiting', async () => {
    const { host, clock, connectVia } = superviseFake('runtime')
    connectVia(async () => {
      const [near, other] = createInMemoryChannelPair()
      // Answers the description, and nothing after it: a half-open link.
      other.start({
        message: (text) => {
          const { id, method } = JSON.parse(text)
          if (method === 'host.describe')
            void other.send(JSON.stringify({ jsonrpc: '2.0', id, result: description }))
        },
        oversize: () => {},
        closed: () => {},
      })
      return near
    })
    host.start()
    await clock.pass(0)
    const hanging = host
      .call('echo', () => ({}), { ...wait, timeoutMs: 300_000 })
      .catch((error: TrawlError) => error)
    await clock.pass(2 * livenessIntervalMs)
    expect(host.report()).toMatchObject({ state: 'offline', reason: 'offline' })
    await expect(hanging).resolves.toMatchObject({ code: 'unreachable' })
    await host[Symbol.asyncDispose]()
  })

  it('calls a channel that simply ended crashed, and a socket that ended offline', async () => {
    for (const [kind, reason] of [
      ['ssh', 'crashed'],
      ['runtime', 'offline'],
    ] as const) {
      const { host, clock, connectVia, healthy, far } = superviseFake(kind)
      connectVia(healthy)
      host.start()
      await clock.pass(0)
      await far[0]?.close()
      await clock.pass(0)
      expect(host.report()).toMatchObject({ state: 'offline', reason })
      await host[Symbol.asyncDispose]()
      expect(clock.pending).toBe(0)
    }
  })

  it('takes an agent that does not know host.describe, and refuses one that answers nonsense to nothing', async () => {
    const { host, clock, connectVia, answering } = superviseFake()
    connectVia(answering(new Map()))
    host.start()
    await clock.pass(0)
    expect(host.report()).toMatchObject({ state: 'ready', version: null })
    await host[Symbol.asyncDispose]()
  })

  it('leaves nothing armed when it is closed while it connects', async () => {
    const { host, clock, connectVia } = superviseFake()
    connectVia(
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new TrawlError('cancelled'))),
        ),
    )
    host.start()
    await clock.pass(10)
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })
})

describe('backOffMs', () => {
  it('caps first and jitters after, so that nobody waits exactly the cap', () => {
    expect([1, 2, 3, 10, 1000].map((failures) => backOffMs({ failures, random: 0.5 }))).toEqual([
      500, 1000, 2000, 30_000, 30_000,
    ])
    expect(backOffMs({ failures: 1, random: 0 })).toBe(0)
  })

  it('gives a peer that said 1012 or 1013 more time', () => {
    expect(backOffMs({ failures: 1, random: 0, closeCode: 1012 })).toBe(5_000)
    expect(backOffMs({ failures: 1, random: 0, closeCode: 1006 })).toBe(0)
  })
})
