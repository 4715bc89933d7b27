import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { createLog } from '../log.ts'
import { createRefusalLog } from './refusal-log.ts'

function open() {
  const clock = createManualClock()
  const lines: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
  const taken = () => lines.splice(0).map((line) => JSON.parse(line))
  return { clock, taken, refusals: createRefusalLog({ log, clock }) }
}

describe('createRefusalLog', () => {
  it('writes the first of a kind and address, and how many more there were when the minute is over', () => {
    const { clock, taken, refusals } = open()
    for (let n = 0; n < 1_000; n++) refusals.note('unauthorized', '192.0.2.1')
    refusals.note('origin', '192.0.2.1')
    refusals.note('unauthorized', '2001:db8::1')
    refusals.note('unauthorized', '2001:db8::2')
    expect(taken().map(({ reason, address }) => [reason, address])).toEqual([
      ['unauthorized', '192.0.2.1'],
      ['origin', '192.0.2.1'],
      ['unauthorized', '2001:db8:0:0::/64'],
    ])
    clock.advance(60_000)
    expect(taken()).toMatchObject([
      { level: 'warn', reason: 'unauthorized', address: '192.0.2.1', times: 999 },
      { reason: 'unauthorized', address: '2001:db8:0:0::/64', times: 1 },
    ])
    clock.advance(600_000)
    expect(taken()).toEqual([])
    refusals.note('unauthorized', '192.0.2.1')
    expect(taken()).toHaveLength(1)
  })

  it('is not filled by many addresses either', () => {
    const { clock, taken, refusals } = open()
    for (let n = 0; n < 5_000; n++)
      refusals.note(n % 2 === 0 ? 'origin' : 'unauthorized', `198.51.${n >> 8}.${n & 255}`)
    expect(taken()).toHaveLength(102)
    clock.advance(60_000)
    expect(taken()).toMatchObject([
      { reason: 'origin', address: 'further ones', times: 2_449 },
      { reason: 'unauthorized', address: 'further ones', times: 2_449 },
    ])
  })

  it('tells at its end what it had counted, and leaves no timer', () => {
    const { clock, taken, refusals } = open()
    refusals.note('origin', '192.0.2.1')
    refusals.note('origin', '192.0.2.1')
    refusals[Symbol.dispose]()
    expect(taken()).toHaveLength(2)
    clock.advance(60_000)
    expect(taken()).toEqual([])
  })
})
