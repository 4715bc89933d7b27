import { describe, expect, it } from 'vitest'
import type { Clock } from '../../../protocol/clock.ts'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import { untilAborted, withDeadline } from './deadline.ts'

function manualClock() {
  const timers = new Map<() => void, number>()
  const clock: Clock = {
    now: () => 0,
    monotonicMs: () => 0,
    after(ms, work) {
      timers.set(work, ms)
      return () => void timers.delete(work)
    },
  }
  const expire = () => {
    for (const work of timers.keys()) work()
  }
  return { clock, timers, expire }
}

const onExpired = () => new TrawlError('unreachable', 'too late', { reason: 'timeout' })
const never = new Promise<never>(() => {})

describe('withDeadline', () => {
  it('gives the result and takes its timer back', async () => {
    const { clock, timers } = manualClock()
    const { signal } = new AbortController()
    const work = withDeadline({ clock, timeoutMs: 500, signal, onExpired }, async () => 7)
    expect([...timers.values()]).toEqual([500])
    await expect(work).resolves.toBe(7)
    expect(timers.size).toBe(0)
  })

  it('ends a wait that would never end when the time is up', async () => {
    const { clock, expire, timers } = manualClock()
    const { signal } = new AbortController()
    const work = withDeadline({ clock, timeoutMs: 500, signal, onExpired }, (bounded) =>
      untilAborted(bounded, never),
    )
    expire()
    await expect(work).rejects.toMatchObject({ message: 'too late', details: { reason: 'timeout' } })
    expect(timers.size).toBe(0)
  })

  it('ends it as cancelled when the caller leaves', async () => {
    const { clock, timers } = manualClock()
    const caller = new AbortController()
    const options = { clock, timeoutMs: 500, signal: caller.signal, onExpired }
    const work = withDeadline(options, (bounded) => untilAborted(bounded, never))
    caller.abort()
    await expect(work).rejects.toMatchObject({ code: 'cancelled' })
    expect(timers.size).toBe(0)
  })

  it('does not begin for a caller who has left', async () => {
    const { clock, timers } = manualClock()
    const options = { clock, timeoutMs: 500, signal: AbortSignal.abort(), onExpired }
    await expect(withDeadline(options, async () => 7)).rejects.toMatchObject({ code: 'cancelled' })
    expect(timers.size).toBe(0)
  })
})

describe('untilAborted', () => {
  it('swallows what a promise that was given up does later', async () => {
    const { signal } = new AbortController()
    let fail: (error: Error) => void = () => {}
    const late = new Promise<never>((_, reject) => {
      fail = reject
    })
    const ended = untilAborted(AbortSignal.abort(new TrawlError('timeout')), late)
    await expect(ended).rejects.toMatchObject({ code: 'timeout' })
    fail(new Error('an unhandled rejection would fail this run'))
    await expect(untilAborted(signal, Promise.resolve(1))).resolves.toBe(1)
  })
})
