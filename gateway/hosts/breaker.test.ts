import { describe, expect, it } from 'vitest'
import { Breaker, firstOpenMs, longestOpenMs } from './breaker.ts'

function opened(nowMs = 0): Breaker {
  const breaker = new Breaker()
  for (let failure = 0; failure < 3; failure++) breaker.failed('timeout', nowMs)
  return breaker
}

describe('Breaker', () => {
  it('opens at the third failure in a row, with the reason of that one', () => {
    const breaker = new Breaker()
    breaker.failed('offline', 0)
    breaker.failed('offline', 0)
    expect(breaker.state).toBe('closed')
    breaker.failed('timeout', 5)
    expect(breaker).toMatchObject({ state: 'open', reason: 'timeout', retryAtMs: 5 + firstOpenMs })
  })

  it('starts to count anew with every answer', () => {
    const breaker = new Breaker()
    for (let call = 0; call < 10; call++) {
      breaker.failed('timeout', 0)
      breaker.failed('timeout', 0)
      breaker.answered()
    }
    expect(breaker.state).toBe('closed')
  })

  it('lets no ping close it before its time', () => {
    const breaker = opened()
    expect(breaker.beginProbe(firstOpenMs - 1)).toBe(false)
    expect(breaker.state).toBe('open')
    expect(breaker.beginProbe(firstOpenMs)).toBe(true)
    expect(breaker.state).toBe('half-open')
    breaker.probeAnswered()
    expect(breaker.state).toBe('closed')
  })

  it('opens again when that ping is not answered', () => {
    const breaker = opened()
    breaker.beginProbe(firstOpenMs)
    breaker.probeFailed(firstOpenMs + 10)
    expect(breaker).toMatchObject({ state: 'open', retryAtMs: 2 * firstOpenMs + 10 })
  })

  it('opens at the first failure after a ping closed it, for twice as long, up to five minutes', () => {
    const breaker = opened()
    const waits: number[] = []
    for (let round = 0; round < 6; round++) {
      const nowMs = breaker.retryAtMs
      breaker.beginProbe(nowMs)
      breaker.probeAnswered()
      breaker.failed('timeout', nowMs)
      expect(breaker.state).toBe('open')
      waits.push(breaker.retryAtMs - nowMs)
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, longestOpenMs, longestOpenMs, longestOpenMs])
    breaker.beginProbe(breaker.retryAtMs)
    breaker.probeAnswered()
    breaker.answered()
    for (let failure = 0; failure < 3; failure++) breaker.failed('timeout', 0)
    expect(breaker.retryAtMs).toBe(firstOpenMs)
  })

  it('is closed by no answer to a call that was under way when it opened, but by a new link', () => {
    const breaker = opened()
    breaker.answered()
    expect(breaker.state).toBe('open')
    breaker.reset()
    expect(breaker.state).toBe('closed')
  })

  it('is not opened again by calls that were under way when it opened', () => {
    const breaker = opened()
    for (let late = 0; late < 5; late++) breaker.failed('timeout', 1)
    expect(breaker.retryAtMs).toBeLessThanOrEqual(firstOpenMs + 1)
  })
})
