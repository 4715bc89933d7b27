import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { watchForWake } from './wake-watch.ts'

describe('watchForWake', () => {
  function watched() {
    const clock = createManualClock()
    let sleptMs = 0
    let wakes = 0
    const stop = watchForWake({ ...clock, now: () => clock.now() + sleptMs }, () => {
      wakes++
    })
    const sleep = (ms: number) => {
      sleptMs += ms
    }
    return { clock, stop, sleep, wakes: () => wakes }
  }

  it('tells once of a sleep, within seconds of its end', () => {
    const { clock, sleep, wakes } = watched()
    clock.advance(3_000)
    sleep(3_600_000)
    clock.advance(2_000)
    expect(wakes()).toBe(1)
    clock.advance(60_000)
    expect(wakes()).toBe(1)
  })

  it('takes a process that is late, or a clock set back, for no sleep', () => {
    const { clock, sleep, wakes } = watched()
    sleep(5_000)
    clock.advance(10_000)
    sleep(-3_600_000)
    clock.advance(10_000)
    expect(wakes()).toBe(0)
  })

  it('leaves no timer when it is stopped', () => {
    const { clock, stop } = watched()
    clock.advance(10_000)
    stop()
    expect(clock.pending).toBe(0)
  })
})
