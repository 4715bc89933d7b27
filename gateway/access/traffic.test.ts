import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import type { Caller } from './caller.ts'
import { createRateLimit } from './rate-limit.ts'
import { createTraffic, defaultTrafficLimits } from './traffic.ts'

const phone: Caller = { exposure: 'relay', name: 'device:phone', address: '192.0.2.1' }
const tool: Caller = { exposure: 'runtime', name: 'local-token', address: '127.0.0.1' }

describe('createRateLimit', () => {
  it('grants a burst, then so many a second, and says how long to wait', () => {
    const clock = createManualClock()
    const limit = createRateLimit({ burst: 3, perSecond: 2 }, clock)
    expect([1, 2, 3, 4].map(() => limit.take('a'))).toEqual([null, null, null, 1])
    clock.advance(500)
    expect(limit.take('a')).toBeNull()
    expect(limit.take('a')).toBe(1)
    clock.advance(60_000)
    expect([1, 2, 3, 4].map(() => limit.take('a'))).toEqual([null, null, null, 1])
  })

  it('keeps the keys apart, and does not pay for what it refused', () => {
    const clock = createManualClock()
    const limit = createRateLimit({ burst: 1, perSecond: 0.1 }, clock)
    expect(limit.take('a')).toBeNull()
    expect(limit.take('b')).toBeNull()
    for (let tries = 0; tries < 50; tries++) expect(limit.take('a')).toBe(10)
    clock.advance(10_000)
    expect(limit.take('a')).toBeNull()
  })

  it('forgets whoever was silent longest, and not whoever is still asking', () => {
    const limit = createRateLimit({ burst: 2, perSecond: 0.001 }, createManualClock())
    limit.take('steady')
    for (let n = 0; n < 9_999; n++) limit.take(`passing ${n}`)
    limit.take('steady')
    for (let n = 0; n < 9_000; n++) limit.take(`later ${n}`)
    expect(limit.take('steady')).toBe(1000)
    expect(limit.take('passing 0')).toBeNull()
  })
})

describe('createTraffic', () => {
  const traffic = () => createTraffic(createManualClock())

  it('limits a client by its credential, wherever it comes from, and no other one', () => {
    const { admit } = traffic()
    for (let call = 0; call < defaultTrafficLimits.device.burst; call++)
      expect(admit({ ...phone, address: `192.0.2.${call % 200}` })).toBeNull()
    expect(admit(phone)).toMatchObject({ code: 'rate_limited', details: { retryAfterSec: 1 } })
    expect(admit({ ...phone, name: 'device:tablet' })).toBeNull()
    expect(admit(tool)).toBeNull()
  })

  it('limits an address, however many credentials it has', () => {
    const { admit } = traffic()
    let granted = 0
    for (let call = 0; call < 4_000; call++)
      if (admit({ ...phone, name: `device:${call % 40}` }) === null) granted += 1
    expect(granted).toBe(defaultTrafficLimits.address.burst)
  })

  it('refuses an address after so many wrong credentials', () => {
    const { wrongCredential } = traffic()
    const refusals = Array.from({ length: 30 }, () => wrongCredential('192.0.2.9'))
    expect(refusals.filter((refusal) => refusal === null)).toHaveLength(20)
    expect(refusals[29]?.details.retryAfterSec).toBe(2)
    expect(wrongCredential('192.0.2.10')).toBeNull()
  })

  it('has room for so many connections of one caller, of strangers, and in all; leaving twice is leaving once', () => {
    const { enter, connectionsOf } = createTraffic(createManualClock(), {
      ...defaultTrafficLimits,
      maxConnections: 5,
      maxConnectionsPerCaller: 3,
      maxStrangers: 2,
    })
    const from = '192.0.2.1'
    const leaves = [enter(phone, from), enter(phone, from), enter(phone, from)]
    expect(enter(phone, from)).toBeNull()
    expect(connectionsOf(phone.name)).toBe(3)
    const strangers = [enter(null, from), enter(null, from), enter(null, '192.0.2.2')]
    expect(strangers.map((leave) => leave === null)).toEqual([false, false, true])
    expect(enter(tool, from)).toBeNull()
    leaves[0]?.()
    leaves[0]?.()
    expect(connectionsOf(phone.name)).toBe(2)
    const left = enter(tool, from)
    expect(left).not.toBeNull()
    expect(enter(tool, from)).toBeNull()
    // What found no room somewhere holds none elsewhere.
    left?.()
    expect(enter(tool, from)).not.toBeNull()
  })

  it('has room for so many strangers of one address, and for others of another', () => {
    const { enter } = traffic()
    const mine = Array.from({ length: 20 }, (_, n) => enter(null, `2001:db8::${n}`))
    expect(mine.filter((leave) => leave !== null)).toHaveLength(defaultTrafficLimits.maxStrangersPerAddress)
    expect(enter(null, '2001:db8:0:1::1')).not.toBeNull()
    mine[0]?.()
    expect(enter(null, '2001:db8::ffff')).not.toBeNull()
    expect(enter(null, '2001:db8::ffff')).toBeNull()
  })

  it('looks at no more codes of an address after five wrong ones, and at one more each minute', () => {
    const clock = createManualClock()
    const { tryCode, wrongCode } = createTraffic(clock)
    // A right one costs nothing.
    for (let right = 0; right < 50; right++) tryCode('192.0.2.9')
    for (let wrong = 0; wrong < 5; wrong++) {
      tryCode('192.0.2.9')
      expect(wrongCode('192.0.2.9')).toBeNull()
    }
    expect(() => tryCode('192.0.2.9')).toThrow('Try again in 60 s')
    expect(() => tryCode('::ffff:192.0.2.9')).toThrow('Try again in 60 s')
    tryCode('192.0.2.10')
    clock.advance(60_000)
    tryCode('192.0.2.9')
    wrongCode('192.0.2.9')
    expect(() => tryCode('192.0.2.9')).toThrow('Try again in 60 s')
  })

  it('lets so many calls and requests of one caller run, each for itself', () => {
    const { beginCall, beginRequest } = createTraffic(createManualClock(), {
      ...defaultTrafficLimits,
      callsAtOnce: { device: 2, owner: 3 },
      requestsAtOnce: { device: 1, owner: 1 },
    })
    const ends = [beginCall(phone), beginCall(phone)]
    expect(() => beginCall(phone)).toThrow('2 calls of yours are not answered yet. Wait for one of them')
    for (const caller of [{ ...phone, name: 'device:tablet' }, tool, tool, tool]) beginCall(caller)
    expect(() => beginCall(tool)).toThrow('3 calls of yours')
    ends[0]?.()
    beginCall(phone)
    beginRequest(phone)
    expect(() => beginRequest(phone)).toThrow('1 requests of yours')
    beginRequest(tool)
  })
})
