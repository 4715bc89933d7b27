import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { WorkRate } from './work-rate.ts'

function rateOver(totalBytes: number) {
  const clock = createManualClock()
  const rate = new WorkRate(() => clock.monotonicMs())
  rate.begin(totalBytes)
  return { clock, rate }
}

describe('WorkRate', () => {
  it('says nothing before there is something to tell it from', () => {
    const { clock, rate } = rateOver(1_000_000)
    expect(rate.bytesPerSec()).toBeNull()
    rate.done(500_000)
    clock.advance(100)
    expect(rate.bytesPerSec()).toBeNull()
    clock.advance(900)
    expect(rate.bytesPerSec()).toBe(500_000)
    expect(rate.msFor(250_000)).toBe(500)
  })

  it('says nothing from the first of very many files', () => {
    const { clock, rate } = rateOver(1_000_000_000)
    rate.done(600)
    clock.advance(5_000)
    expect(rate.msFor(999_999_400)).toBeNull()
  })

  it('forgets how fast it was a minute ago', () => {
    const { clock, rate } = rateOver(100_000)
    for (let second = 1; second <= 60; second++) {
      clock.advance(1000)
      rate.done(second * 1000)
    }
    for (let second = 1; second <= 60; second++) {
      clock.advance(1000)
      rate.done(60_000 + second * 100)
    }
    expect(rate.bytesPerSec()).toBe(100)
  })

  it('counts the time in which nothing came', () => {
    const { clock, rate } = rateOver(10_000)
    clock.advance(1000)
    rate.done(1000)
    expect(rate.bytesPerSec()).toBe(1000)
    clock.advance(3000)
    expect(rate.bytesPerSec()).toBe(250)
  })

  it('keeps few samples however many files there are', () => {
    const { clock, rate } = rateOver(1000)
    for (let at = 1; at <= 1000; at++) {
      clock.advance(1)
      rate.done(at)
    }
    expect(rate.bytesPerSec()).toBe(1000)
  })
})
