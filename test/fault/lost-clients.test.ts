/** Clients whose own link fails while they ask: the hosts are told to stop, other callers notice nothing, nothing stays. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { openTestDoors, TestSocket, withToken } from '../helpers/doors.ts'
import { createFaultDesk, type FaultDesk, runtimeHost } from '../helpers/fault-desk.ts'
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'
import { startWsAgents, type WsAgents } from '../helpers/ws-agents.ts'

const speed = 25
const open: AsyncDisposable[] = []
function keep<One extends AsyncDisposable>(one: One): One {
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})
const soon = async () => await new Promise((resolve) => setTimeout(resolve, 2))

describe('a client of the gateway', () => {
  let agents: WsAgents
  let desk: FaultDesk
  let proxy: FaultProxy
  let port: number
  beforeEach(async () => {
    agents = keep(await startWsAgents())
    desk = keep(
      await createFaultDesk({
        hosts: runtimeHost('far', agents.url('far')),
        clock: createScaledClock(speed),
        // Nothing here ends because a host's time is up.
        legTimeoutMs: 600_000,
      }),
    )
    await desk.ready('local', 'runtime:far')
    const doors = keep(await openTestDoors(() => desk.methods, { clock: createScaledClock(speed) }))
    port = doors.port
    proxy = keep(await startFaultProxy(port))
  })
  // What hangs would be waited for when it is closed.
  afterEach(() => proxy.cut())

  const ask = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'aiVault.searchSessions',
    params: { query: 'q', executionHostId: 'all' },
  })
  const result = { id: 1, result: { kind: 'results', hosts: [{}, { outcome: 'results' }] } }

  it.each(['reset', 'close'] as const)(
    '[link.24] whose link is cut by %s has its calls cancelled on every host',
    async (how) => {
      agents.behave('far', 'hang')
      const client = await TestSocket.open(proxy, withToken)
      client.send(ask)
      while (agents.asked('far').length === 0) await soon()
      proxy.cut(how)
      await client.closed
      while (agents.cancelled('far') === 0) await soon()
    },
  )

  it('[link.2] [link.24] whose link goes half-open is given up, and its calls with it', async () => {
    agents.behave('far', 'hang')
    const client = await TestSocket.open(proxy, withToken)
    const startedMs = performance.now()
    client.send(ask)
    while (agents.asked('far').length === 0) await soon()
    proxy.freeze()
    while (agents.cancelled('far') === 0) await soon()
    expect(performance.now() - startedMs).toBeLessThan((3 * livenessIntervalMs) / speed + 200)
  })

  it('whose bytes are spoilt hurts nobody else', async () => {
    const good = keep(await TestSocket.open({ port }, withToken))
    for (let round = 0; round < 5; round++) {
      const spoilt = await TestSocket.open(proxy, withToken)
      proxy.toServer.flip(10)
      for (let call = 0; call < 20 && spoilt.socket.readyState === spoilt.socket.OPEN; call++)
        spoilt.send(ask)
      good.send(ask)
      expect(await good.next()).toMatchObject(result)
      proxy.toServer.flip(null)
      proxy.cut()
      await spoilt.closed
    }
    expect(await desk.searchAll()).toMatchObject({ answer: { kind: 'results' } })
  })

  it('that closes its half of the link is let go, and nothing of it stays', async () => {
    const client = keep(await TestSocket.open(proxy, withToken))
    client.send(ask)
    expect(await client.next()).toMatchObject(result)
    proxy.toServer.halfClose()
    await client.closed
    while (proxy.clients().now > 0) await soon()
  })

  it('on a link that drips sees its answer whole', async () => {
    const client = keep(await TestSocket.open(proxy, withToken))
    proxy.toClient.throttle(10_000)
    client.send(ask)
    expect(await client.next()).toMatchObject(result)
  })
})
