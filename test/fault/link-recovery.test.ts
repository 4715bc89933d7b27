/** Links that drop, again and again: they come back by themselves, one at a time, and not all at one moment. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SupervisedHost } from '../../gateway/hosts/supervise.ts'
import { backOffMs } from '../../protocol/link/back-off.ts'
import { openConnection, type RpcConnection } from '../../protocol/rpc/connection.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { createFaultDesk, type FaultDesk, outcomes, runtimeHost } from '../helpers/fault-desk.ts'
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts'
import { createManualClock } from '../helpers/manual-clock.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'
import { agentDescription, startWsAgents, type WsAgents } from '../helpers/ws-agents.ts'

const open: AsyncDisposable[] = []
function keep<One extends AsyncDisposable>(one: One): One {
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

describe('a link that drops', () => {
  let agents: WsAgents
  let proxy: FaultProxy
  let desk: FaultDesk
  const clock = createScaledClock(20)
  beforeEach(async () => {
    agents = keep(await startWsAgents())
    proxy = keep(await startFaultProxy(agents.port))
    desk = keep(
      await createFaultDesk({
        hosts: runtimeHost('far', `ws://127.0.0.1:${proxy.port}/hosts/far`),
        clock,
        random: () => 0.02,
      }),
    )
    await desk.ready('local', 'runtime:far')
  })
  const drop = async () => {
    proxy.cut()
    await desk.until('runtime:far', ({ state }) => state === 'offline')
  }

  it('[link.5] heals, twenty times in a row, and answers after each', async () => {
    for (let round = 1; round <= 20; round++) {
      await drop()
      await desk.ready('runtime:far')
      expect(outcomes((await desk.searchAll()).answer)['runtime:far']).toBe('results')
    }
    expect(agents.asked('far')).toHaveLength(20)
  })

  it('[link.34] is a new conversation with an agent that has been spoken to before', async () => {
    await drop()
    await desk.ready('runtime:far')
    expect(await desk.host('runtime:far')).toMatchObject({ version: 'x', breaker: 'closed' })
    expect(await desk.search({ executionHostId: 'runtime:far' })).toMatchObject({ kind: 'results' })
    expect(agents.links('far').ever).toBe(2)
  })

  it('[link.38] [link.45] is dialled by one attempt at a time, and leaves no second link behind', async () => {
    let most = 0
    for (let round = 1; round <= 10; round++) {
      await drop()
      await desk.ready('runtime:far')
      most = Math.max(most, agents.links('far').now, proxy.clients().now)
    }
    expect(most).toBe(1)
    expect(agents.links('far').ever).toBe(11)
  })

  it('[link.27] in silence while nobody asks is found dead by ping, so that the first search after it is answered', async () => {
    proxy.freeze()
    await desk.until('runtime:far', ({ state }) => state === 'offline')
    proxy.thaw()
    proxy.cut()
    await desk.ready('runtime:far')
    const { answer, elapsedMs } = await desk.searchAll()
    expect(outcomes(answer)['runtime:far']).toBe('results')
    expect(elapsedMs).toBeLessThan(500)
  })

  it('[link.43] because its host restarts is left alone for a while, as its close code asks', async () => {
    const goneAtMs = clock.now()
    agents.kill('far', 1012)
    const { retryAt } = await desk.until('runtime:far', ({ state }) => state === 'offline')
    expect((retryAt ?? 0) - goneAtMs).toBeGreaterThanOrEqual(5_000)
    agents.revive('far')
    await desk.ready('runtime:far')
  })

  it('[link.22] with flipped bits costs what was in flight, and is never read as another answer', async () => {
    proxy.toClient.flip(40)
    const { answer } = await desk.searchAll({ deadlineMs: 5_000 })
    const leg = answer.hosts?.find(({ executionHostId }) => executionHostId === 'runtime:far')
    expect(leg?.outcome === 'results' ? leg.droppedHits : leg?.reason).toBeDefined()
    proxy.toClient.flip(null)
    proxy.cut()
    await desk.ready('runtime:far')
    expect(outcomes((await desk.searchAll()).answer)['runtime:far']).toBe('results')
  })
})

describe('the wait before a link is tried again', () => {
  it('[link.37] grows on while links come up and do not stay up', async () => {
    const clock = createManualClock()
    const far: RpcConnection[] = []
    const waits: number[] = []
    const host = new SupervisedHost({
      id: 'runtime:flapping',
      kind: 'runtime',
      label: 'flapping',
      open: async () => {
        const [near, other] = createInMemoryChannelPair()
        const methods = new Map([['host.describe', () => agentDescription]])
        far.push(openConnection(other, { methods, maxMessageBytes: 1e6, createId: () => 'id', clock }))
        return near
      },
      clock,
      random: () => 0.5,
      createId: () => 'id',
    })
    host.start()
    for (let round = 0; round < 5; round++) {
      await clock.pass(0)
      expect(host.report().state).toBe('ready')
      await clock.pass(20_000)
      await far.at(-1)?.close()
      await clock.pass(0)
      const waitMs = (host.report().retryAtMs ?? 0) - clock.now()
      waits.push(waitMs)
      await clock.pass(waitMs)
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000])
    await clock.pass(31_000)
    await far.at(-1)?.close()
    await clock.pass(0)
    expect((host.report().retryAtMs ?? 0) - clock.now()).toBe(500)
    await host[Symbol.asyncDispose]()
    expect(clock.pending).toBe(0)
  })

  const spread = Array.from({ length: 200 }, (_, at) => at / 200)

  it('[link.43] spreads 200 hosts lost at one moment over all of the first second, from its beginning', () => {
    const waits = spread.map((random) => backOffMs({ failures: 1, random }))
    expect(Math.min(...waits)).toBeLessThan(10)
    expect(Math.max(...waits)).toBeGreaterThan(990)
    const busiest = Array.from(
      { length: 10 },
      (_, tenth) => waits.filter((ms) => Math.floor(ms / 100) === tenth).length,
    )
    expect(Math.max(...busiest)).toBeLessThanOrEqual(21)
  })

  it('[link.44] is spread below its cap, too: no two hosts wait for just the cap', () => {
    const waits = spread.map((random) => backOffMs({ failures: 100, random }))
    expect(new Set(waits).size).toBe(waits.length)
    expect(Math.max(...waits)).toBeLessThan(60_000)
  })
})
