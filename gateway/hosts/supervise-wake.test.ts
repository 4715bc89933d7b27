import { describe, expect, it } from 'vitest'
import { openConnection } from '../../protocol/rpc/connection.ts'
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
  openConnection(other, { methods: namedMethods('h'), maxMessageBytes: 1e6, createId: () => 'id' })
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
