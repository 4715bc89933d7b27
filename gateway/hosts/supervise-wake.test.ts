import { describe, expect, it } from 'vitest'
import { openConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethod } from '../../protocol/rpc/dispatch.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import type { MessageChannel } from '../../protocol/rpc/message-channel.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { namedMethods } from '../../test/helpers/runtime-desk.ts'
import { SupervisedHost } from './supervise.ts'

/** Each attempt takes the next of these; an error is one that failed. */
function rig(...attempts: (MessageChannel | Error)[]) {
  const clock = createManualClock()
  let made = 0
  const host = new SupervisedHost({
    id: 'ssh:h',
    kind: 'ssh',
    label: 'h',
    open: async () => {
      const next = attempts[made++] ?? new Error('no more')
      if (next instanceof Error) throw next
      return next
    },
    clock,
    random: () => 0.9,
    createId: () => 'id',
  })
  host.start()
  return { clock, host, made: () => made }
}

/** A far side that answers until it is told to fall silent. */
function far() {
  const [near, other] = createInMemoryChannelPair()
  const methods = new Map<string, RpcMethod>([...namedMethods('h'), ['hang', () => new Promise(() => {})]])
  openConnection(other, { methods, maxMessageBytes: 1e6, createId: () => 'id' })
  let isSilent = false
  const channel: MessageChannel = {
    start: (handlers) => near.start(handlers),
    send: async (text) => {
      if (!isSilent) await near.send(text)
    },
    close: async () => await near.close(),
    [Symbol.asyncDispose]: async () => await near.close(),
  }
  return {
    channel,
    fallSilent: () => {
      isSilent = true
    },
  }
}

describe('SupervisedHost.wake', () => {
  it('gives up a link that does not answer within three seconds, and connects again within one more', async () => {
    const before = far()
    const { clock, host, made } = rig(before.channel, far().channel)
    await clock.pass(0)
    before.fallSilent()
    host.wake()
    await clock.pass(2_900)
    expect(host.report().state).toBe('ready')
    await clock.pass(200)
    expect(host.report()).toMatchObject({ state: 'offline', reason: 'offline' })
    await clock.pass(1_000)
    expect([host.report().state, made()]).toEqual(['ready', 2])
    await host[Symbol.asyncDispose]()
  })

  it('keeps a link that answers', async () => {
    const { clock, host, made } = rig(far().channel)
    await clock.pass(0)
    host.wake()
    await clock.pass(10_000)
    expect([host.report().state, made()]).toEqual(['ready', 1])
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })

  it('does not sit out a wait that began before, and forgets the failures before it', async () => {
    const failures = Array.from({ length: 6 }, () => new Error('offline'))
    const { clock, host, made } = rig(...failures, far().channel)
    await clock.pass(0.9 * (1_000 + 2_000 + 4_000 + 8_000 + 16_000))
    expect(made()).toBe(6)
    host.wake()
    await clock.pass(1_000)
    expect([host.report().state, made()]).toEqual(['ready', 7])
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })
})

describe('SupervisedHost.retry', () => {
  const { signal } = new AbortController()

  it('does not sit out a wait, settles when it is known what came of it, and waits no less for the next', async () => {
    const failures = Array.from({ length: 6 }, () => new Error('offline'))
    const { clock, host, made } = rig(...failures, far().channel)
    await clock.pass(0.9 * (1_000 + 2_000 + 4_000))
    expect(made()).toBe(4)
    await host.retry(signal)
    expect([host.report().state, made()]).toEqual(['offline', 5])
    await clock.pass(0.9 * 16_000 - 1)
    expect(made()).toBe(5)
    await clock.pass(1)
    expect(made()).toBe(6)
    await host.retry(signal)
    expect([host.report().state, made()]).toEqual(['ready', 7])
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })

  it('joins an attempt that is under way, and is left by whoever does not want it any more', async () => {
    let connect: (channel: MessageChannel) => void = () => {}
    const opened = new Promise<MessageChannel>((resolve) => {
      connect = resolve
    })
    const clock = createManualClock()
    const options = {
      id: 'ssh:h',
      kind: 'ssh',
      label: 'h',
      clock,
      random: () => 0.9,
      createId: () => 'id',
    } as const
    const host = new SupervisedHost({ ...options, open: async () => await opened })
    host.start()
    const leaving = new AbortController()
    const left = host.retry(leaving.signal)
    leaving.abort()
    await left
    expect(host.report().state).toBe('connecting')
    const retried = host.retry(signal)
    connect(far().channel)
    await retried
    expect(host.report().state).toBe('ready')
    await host[Symbol.asyncDispose]()
  })

  it('has a link whose breaker is open answer a ping, and asks again what does', async () => {
    const { clock, host, made } = rig(far().channel)
    await clock.pass(0)
    const hang = async () => {
      const call = host.call('hang', () => ({}), { signal, timeoutMs: 10_000 })
      await Promise.all([expect(call).rejects.toMatchObject({ code: 'timeout' }), clock.pass(10_000)])
    }
    for (let times = 0; times < 3; times++) await hang()
    expect(host.report()).toMatchObject({ state: 'ready', breaker: 'open' })
    await host.retry(signal)
    expect(host.report().breaker ?? 'closed').toBe('closed')
    expect(made()).toBe(1)
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })
})
