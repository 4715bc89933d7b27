/** One gateway with 1,000 runtime hosts, of which a third dies in the middle of a query. */
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/random.ts'
import { createFaultDesk, outcomes, runtimeHost } from '../helpers/fault-desk.ts'
import { startWsAgents } from '../helpers/ws-agents.ts'

const legTimeoutMs = 5_000

describe('a gateway with 1,000 hosts', () => {
  it('[link.18] [link.19] answers in time when a third of them is killed mid-query, and is right about every one', async () => {
    await using agents = await startWsAgents()
    const names = Array.from({ length: 1_000 }, (_, at) => `h${at}`)
    await using desk = await createFaultDesk({
      hosts: names.map((name) => runtimeHost(name, agents.url(name))).join(''),
      legTimeoutMs,
    })
    await desk.ready('local', ...names.map((name) => `runtime:${name}`))
    const random = seededRandom(3)
    const doomed = new Set(names.filter(() => random() < 1 / 3))
    const expected = (lost: ReadonlySet<string>) => ({
      local: 'results',
      ...Object.fromEntries(names.map((name) => [`runtime:${name}`, lost.has(name) ? 'offline' : 'results'])),
    })
    for (const lost of [new Set<string>(), doomed, doomed]) {
      for (const name of lost) if (agents.links(name).now > 0) agents.behave(name, 'die')
      const { answer, elapsedMs, lagMs } = await desk.searchAll({ limit: 100 })
      expect(outcomes(answer)).toEqual(expected(lost))
      expect(answer.hits).toHaveLength(100)
      for (const { executionHostId, sessionId } of answer.hits)
        expect(executionHostId).toBe(`runtime:${sessionId.replace('session-of-', '')}`)
      // Nobody hangs here, so nobody is waited for: the limit is not what ends these.
      expect(elapsedMs).toBeLessThan(legTimeoutMs / 2 + lagMs)
    }
  })
})
