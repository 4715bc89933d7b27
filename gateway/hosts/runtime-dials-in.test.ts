import { describe, expect, it } from 'vitest'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { namedMethods } from '../../test/helpers/runtime-desk.ts'
import type { LinkReport } from './host.ts'
import { type Arrival, DialInHost } from './runtime-dials-in.ts'

function rig(isDoorOpen = true) {
  const clock = createManualClock()
  const changes: LinkReport[] = []
  const host = new DialInHost({
    id: 'runtime:laptop',
    label: 'laptop',
    clock,
    isDoorOpen,
    createId: () => 'id',
    onChange: (report) => void changes.push(report),
  })
  const ask = async (timeoutMs = 10_000) =>
    await host.call('who', () => ({}), { signal: new AbortController().signal, timeoutMs })
  return { clock, host, ask, changes }
}

interface Came extends Arrival {
  readonly dismissed: number[]
  leave(): Promise<void>
}

/** An agent at the other end; a silent one never describes itself. */
function agent(name: string, isSilent = false): Came {
  const [near, far] = createInMemoryChannelPair()
  const dismissed: number[] = []
  const methods = isSilent
    ? new Map([['host.describe', async () => await new Promise(() => {})]])
    : namedMethods(name)
  const connection = openConnection(far, {
    methods,
    maxMessageBytes: maxPeerMessageBytes,
    createId: () => name,
  })
  return {
    channel: near,
    dismissed,
    dismiss: (code) => void dismissed.push(code),
    leave: async () => await connection.close(),
  }
}

describe('DialInHost', () => {
  it('has a query wait for the agent’s return after a start, for five seconds and not again', async () => {
    const { clock, host, ask } = rig()
    host.start()
    const early = ask()
    host.arrive(agent('a'))
    expect(await early).toBe('a')
    await host[Symbol.asyncDispose]()

    const other = rig()
    other.host.start()
    const waiting = other.ask().catch((error) => error.details.reason)
    await other.clock.pass(5_000)
    expect(await waiting).toBe('offline')
    expect(other.host.report()).toMatchObject({
      state: 'offline',
      reason: 'offline',
      retryAtMs: null,
      detail: expect.stringContaining('has not dialled in'),
    })
    await expect(other.ask()).rejects.toMatchObject({ code: 'unreachable' })
    await other.host[Symbol.asyncDispose]()
    expect(clock.pending + other.clock.pending).toBe(0)
  })

  it('waits for nobody where no door is open', async () => {
    const { host, ask } = rig(false)
    host.start()
    expect(host.report().state).toBe('offline')
    await expect(ask()).rejects.toMatchObject({ code: 'unreachable', details: { reason: 'offline' } })
  })

  it('keeps the older link until the newer agent has described itself, then dismisses it', async () => {
    const { clock, host, ask } = rig()
    host.start()
    const older = agent('older')
    host.arrive(older)
    await clock.pass(0)
    const mute = agent('mute', true)
    host.arrive(mute)
    await clock.pass(0)
    expect(await ask()).toBe('older')
    const newer = agent('newer')
    host.arrive(newer)
    await clock.pass(0)
    expect(await ask()).toBe('newer')
    expect([older.dismissed, mute.dismissed, newer.dismissed]).toEqual([[4001], [4001], []])
    await host[Symbol.asyncDispose]()
    expect(newer.dismissed).toEqual([1012])
    expect(clock.pending).toBe(0)
  })

  it('is offline when its link is lost, without a retry of its own, and back with the next arrival', async () => {
    const { clock, host, ask, changes } = rig()
    host.start()
    const first = agent('first')
    host.arrive(first)
    await clock.pass(0)
    await first.leave()
    await clock.pass(0)
    expect(host.report()).toMatchObject({ state: 'offline', reason: 'offline', retryAtMs: null })
    await expect(ask()).rejects.toMatchObject({ code: 'unreachable' })
    expect(clock.pending).toBe(0)
    host.arrive(agent('second'))
    await clock.pass(0)
    expect(await ask()).toBe('second')
    expect(changes.map(({ state }) => state)).toEqual(['ready', 'offline', 'ready'])
    await host[Symbol.asyncDispose]()
  })

  it('takes nobody in once it is closed', async () => {
    const { host } = rig()
    host.start()
    await host[Symbol.asyncDispose]()
    const late = agent('late')
    host.arrive(late)
    await expect(late.channel.send('x')).rejects.toThrow('closed')
  })
})
