import { describe, expect, it } from 'vitest'
import { answerOf } from '../test/helpers/ws-agents.ts'
import { findWrong, type Known, percentile } from './soak-check.ts'

const up = { executionHostId: 'runtime:a', outcome: 'results', durationMs: 1 } as const
const down = {
  executionHostId: 'runtime:b',
  outcome: 'unreachable',
  reason: 'offline',
  durationMs: 1,
} as const
const [hit] = answerOf('a').hits
const answer = {
  ...answerOf('a'),
  hits: hit === undefined ? [] : [{ ...hit, executionHostId: 'runtime:a' }],
  hosts: [up, down],
}
const known = new Map<string, Known>([
  ['runtime:a', 'up'],
  ['runtime:b', 'down'],
])

describe('findWrong', () => {
  it('finds nothing in a right answer', () => expect(findWrong(answer, known)).toEqual([]))

  it.each([
    ['a lost outcome', { ...answer, hosts: [up] }, 'runtime:b has no outcome'],
    ['one outcome twice', { ...answer, hosts: [up, down, down] }, 'twice'],
    [
      'a host that was up and is not said to be',
      { ...answer, hosts: [{ ...down, executionHostId: 'runtime:a' }, down] },
      'was up',
    ],
    [
      'a host that was down and answered',
      { ...answer, hosts: [up, { ...up, executionHostId: 'runtime:b' }] },
      'was down',
    ],
    ['a loss without a reason', { ...answer, hosts: [up, { ...down, reason: undefined }] }, 'has no reason'],
    [
      'a hit of another host',
      { ...answer, hits: answer.hits.map((one) => ({ ...one, sessionId: 'session-of-z' })) },
      "shown as runtime:a's",
    ],
  ])('finds %s', (_what, wrong, words) => {
    expect(findWrong(wrong as typeof answer, known).join()).toContain(words)
  })
})

describe('percentile', () => {
  it('takes the value below which that share lies', () => {
    expect([0, 0.5, 0.99, 1].map((share) => percentile([4, 1, 3, 2], share))).toEqual([1, 3, 4, 4])
    expect(percentile([], 0.5)).toBe(0)
  })
})
