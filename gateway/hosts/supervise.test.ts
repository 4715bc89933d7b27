import { describe, expect, it } from 'vitest'
import { backOffMs } from '../../protocol/link/back-off.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
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

describe('the breaker of a SupervisedHost', () => {
  /** Answers pings and `echo`, refuses `refuse`, and never answers `hang`; pings may be made to hang, too. */
  async function supervised() {
    const fake = superviseFake('runtime')
    const far = { pings: 0, hangs: 0, isPingAnswered: true }
    fake.connectVia(async () => {
      const [near, other] = createInMemoryChannelPair()
      other.start({
        message: (text) => {
          const { id, method } = JSON.parse(text)
          const say = (answer: object) => void other.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
          if (method === 'host.describe') say({ result: description })
          else if (method === 'echo') say({ result: {} })
          else if (method === 'refuse') say({ error: { code: -32602, message: 'no' } })
          else if (method === 'hang') far.hangs++
          else if (method === '$/ping') {
            far.pings++
            if (far.isPingAnswered) say({ result: null })
          }
        },
        oversize: () => {},
        closed: () => {},
      })
      return near
    })
    fake.host.start()
    await fake.clock.pass(0)
    const call = async (method: string, timeoutMs = 10_000) => {
      const called = fake.host
        .call(method, () => ({}), { ...wait, timeoutMs })
        .catch((error: TrawlError) => error)
      await fake.clock.pass(method === 'hang' ? timeoutMs : 0)
      return await called
    }
    const openIt = async () => {
      for (let failure = 0; failure < 3; failure++) await call('hang')
      expect(fake.host.report().breaker).toBe('open')
    }
    return { ...fake, far, call, openIt }
  }

  it('opens after three calls that got no answer: state, reason and time of the next try are told', async () => {
    const { host, clock, reports, far, openIt } = await supervised()
    await openIt()
    expect(host.report()).toMatchObject({ state: 'ready', breaker: 'open', reason: 'timeout' })
    expect(host.report().retryAtMs).toBe(clock.now() + 30_000)
    expect(reports.at(-1)).toMatchObject({ breaker: 'open', detail: expect.stringContaining('ping') })
    expect(far.hangs).toBe(3)
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })

  it('fails every call at once while it is open, and no call closes it', async () => {
    const { host, clock, far, call, openIt } = await supervised()
    await openIt()
    await clock.pass(29_999)
    const startedMs = clock.monotonicMs()
    for (const method of ['hang', 'echo'])
      await expect(
        host.call(method, () => ({}), wait).catch((error: TrawlError) => error),
      ).resolves.toMatchObject({
        code: 'unreachable',
        details: { reason: 'timeout' },
      })
    expect(clock.monotonicMs()).toBe(startedMs)
    expect(far.hangs).toBe(3)
    expect(host.report().breaker).toBe('open')
    expect(await call('echo')).toMatchObject({ code: 'unreachable' })
    await host[Symbol.asyncDispose]()
  })

  it('is closed by the ping that is due at its time, and by none before it', async () => {
    const { host, clock, reports, far, call, openIt } = await supervised()
    await openIt()
    const before = far.pings
    await clock.pass(29_000)
    expect(far.pings).toBeGreaterThan(before)
    expect(host.report().breaker).toBe('open')
    await clock.pass(1_000)
    expect(host.report().breaker).toBeUndefined()
    expect(reports.at(-1)).not.toHaveProperty('breaker')
    expect(await call('echo')).toEqual({})
    await host[Symbol.asyncDispose]()
  })

  it('is half-open while that ping is out, and calls fail at once then, too', async () => {
    const { host, clock, reports, far, call, openIt } = await supervised()
    await openIt()
    await clock.pass(20_000)
    far.isPingAnswered = false
    await clock.pass(10_000)
    expect(host.report()).toMatchObject({ breaker: 'half-open', retryAtMs: clock.now() })
    expect(await call('echo')).toMatchObject({ code: 'unreachable' })
    await clock.pass(livenessIntervalMs)
    expect(reports.at(-1)).toMatchObject({ state: 'offline', breaker: 'open', reason: 'offline' })
    await host[Symbol.asyncDispose]()
  })

  it('does not count what was answered with an error, what was cancelled, or what was given too little time', async () => {
    const { host, call } = await supervised()
    for (let round = 0; round < 5; round++) {
      await call('hang')
      await call('hang')
      expect(await call('refuse')).toMatchObject({ code: 'invalid_input' })
      const leaving = new AbortController()
      const left = host.call('hang', () => ({}), { signal: leaving.signal, timeoutMs: 10_000 })
      leaving.abort()
      await expect(left).rejects.toMatchObject({ code: 'cancelled' })
    }
    for (let round = 0; round < 5; round++) await call('hang', 500)
    expect(host.report().breaker).toBeUndefined()
    await host[Symbol.asyncDispose]()
  })

  it('opens after three attempts that failed, not after refused logins, and a connection closes it', async () => {
    const { host, clock, connectVia, healthy } = superviseFake('runtime')
    const untilRetry = async () => await clock.pass((host.report().retryAtMs ?? 0) - clock.now())
    connectVia(async () => {
      throw new TrawlError('unreachable', 'no', { reason: 'auth-failed' })
    })
    host.start()
    for (let attempt = 0; attempt < 5; attempt++) await untilRetry()
    expect(host.report()).toMatchObject({ state: 'offline', reason: 'auth-failed' })
    expect(host.report().breaker).toBeUndefined()
    connectVia(async () => {
      throw new TrawlError('unreachable', 'no', { reason: 'offline' })
    })
    for (let attempt = 0; attempt < 3; attempt++) await untilRetry()
    expect(host.report()).toMatchObject({ state: 'offline', breaker: 'open', reason: 'offline' })
    connectVia(healthy)
    await untilRetry()
    expect(host.report()).toMatchObject({ state: 'ready' })
    expect(host.report().breaker).toBeUndefined()
    await host[Symbol.asyncDispose]()
  })
})

describe('a half-open link of a SupervisedHost', () => {
  it('is noticed two ping intervals after the last sign of life, though that came while a ping was out', async () => {
    const { host, clock, reports, connectVia } = superviseFake('runtime')
    let answerEcho = () => {}
    connectVia(async () => {
      const [near, other] = createInMemoryChannelPair()
      other.start({
        message: (text) => {
          const { id, method } = JSON.parse(text)
          const say = (result: unknown) => void other.send(JSON.stringify({ jsonrpc: '2.0', id, result }))
          if (method === 'host.describe') say(description)
          if (method === 'echo') answerEcho = () => say({})
        },
        oversize: () => {},
        closed: () => {},
      })
      return near
    })
    host.start()
    await clock.pass(0)
    const late = host.call('echo', () => ({}), { ...wait, timeoutMs: 100_000 })
    await clock.pass(livenessIntervalMs + 1_000)
    answerEcho()
    await late
    // The ping that was out, and one more: both go unanswered within the two intervals.
    await clock.pass(livenessIntervalMs)
    expect(host.report().state).toBe('ready')
    await clock.pass(livenessIntervalMs)
    expect(reports.map(({ state }) => state)).toContain('offline')
    await host[Symbol.asyncDispose]()
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

describe('SupervisedHost.retire', () => {
  it('ends what is out as not configured at once, though its link takes its time to close', async () => {
    const { host, clock, connectVia, answering } = superviseFake()
    const open = answering(
      new Map<string, () => unknown>([
        ['host.describe', () => description],
        ['hang', () => new Promise(() => {})],
      ]),
    )
    connectVia(async (signal) => {
      const channel = await open(signal)
      return {
        start: (handlers) => channel.start(handlers),
        send: async (text) => await channel.send(text),
        async close() {
          await new Promise<void>((resolve) => clock.after(2_000, resolve))
          await channel.close()
        },
        [Symbol.asyncDispose]: async () => await channel.close(),
      }
    })
    host.start()
    await clock.pass(0)
    const out = host.call('hang', () => ({}), { ...wait, timeoutMs: 60_000 })
    const retiring = host.retire()
    await expect(out).rejects.toMatchObject({ code: 'unreachable', details: { reason: 'not-configured' } })
    await clock.pass(2_000)
    await retiring
    await expect(host.call('hang', () => ({}), wait)).rejects.toMatchObject({
      details: { reason: 'not-configured' },
    })
    expect(clock.pending).toBe(0)
  })

  it('ends a call that waits for the first connection, too', async () => {
    const { host, clock, connectVia } = superviseFake()
    connectVia(() => new Promise(() => {}))
    host.start()
    const out = host.call('echo', () => ({}), wait)
    const retiring = host.retire()
    await expect(out).rejects.toMatchObject({ details: { reason: 'not-configured' } })
    await retiring
    expect(clock.pending).toBe(0)
  })
})

describe('SupervisedHost with others before it', () => {
  it('has all of an attempt’s time once it is its turn, and ends the turn when its channel is open', async () => {
    const clock = createManualClock()
    let myTurn: () => void = () => {}
    let ended = 0
    const host = new SupervisedHost({
      id: 'ssh:h',
      kind: 'ssh',
      label: 'h',
      takeTurn: async () => {
        await new Promise<void>((resolve) => {
          myTurn = resolve
        })
        return () => void ended++
      },
      open: async () => {
        await new Promise<void>((resolve) => clock.after(connectTimeoutMs - 1, resolve))
        const [near, other] = createInMemoryChannelPair()
        const methods = new Map([['host.describe', () => description]])
        openConnection(other, { methods, maxMessageBytes: 1e6, createId: () => 'id', clock })
        return near
      },
      clock,
      random: () => 0.5,
      createId: () => 'id',
    })
    host.start()
    await clock.pass(10 * connectTimeoutMs)
    expect(host.report()).toMatchObject({ state: 'connecting', reason: 'connecting' })
    expect(ended).toBe(0)
    myTurn()
    await clock.pass(connectTimeoutMs)
    expect(host.report().state).toBe('ready')
    expect(ended).toBeGreaterThan(0)
    await host[Symbol.asyncDispose]()
  })

  it('gives up its place when it is closed before its turn', async () => {
    const clock = createManualClock()
    const host = new SupervisedHost({
      id: 'ssh:h',
      kind: 'ssh',
      label: 'h',
      takeTurn: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('left')))),
      open: async () => {
        throw new Error('it was not its turn')
      },
      clock,
      random: () => 0.5,
      createId: () => 'id',
    })
    host.start()
    await host[Symbol.asyncDispose]()
    await host.firstAttempt
    expect(clock.pending).toBe(0)
  })
})
