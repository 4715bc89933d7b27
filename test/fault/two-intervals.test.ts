/** A link whose network is gone is noticed within two ping intervals, by whichever end it is. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { createUnlimitedTraffic } from '../../gateway/access/traffic.ts'
import { dialPorts, openRuntimeLink } from '../../gateway/hosts/runtime.ts'
import { SupervisedHost } from '../../gateway/hosts/supervise.ts'
import { attachWebSocketDoor } from '../../gateway/serve/websocket.ts'
import { listen } from '../../host-agent/serve/websocket.ts'
import { systemClock } from '../../protocol/clock.ts'
import { parseOffer } from '../../protocol/link/offer.ts'
import { redeemOffer } from '../../protocol/link/redeem-offer.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts'
import { createManualClock, type ManualClock } from '../helpers/manual-clock.ts'
import { dialTestAgent, isReady, namedMethods, openTestDoor, tempDir } from '../helpers/runtime-desk.ts'

const signal = new AbortController().signal
const bothMs = 2 * livenessIntervalMs

/** `hang` never answers; its signal says when the link it came over has ended. */
function hanging(): { methods: RpcMethods; asked: Promise<void>; isOver(): boolean } {
  let isOver = false
  let nowAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    nowAsked = resolve
  })
  const methods: RpcMethods = new Map([
    ...namedMethods('here'),
    [
      'hang',
      (_params, context) => {
        context.signal.addEventListener('abort', () => {
          isOver = true
        })
        nowAsked()
        return new Promise(() => {})
      },
    ],
  ])
  return { methods, asked, isOver: () => isOver }
}

/** At whatever moment of the interval the network goes. */
async function lose(proxy: FaultProxy, clock: ManualClock, isOver: () => boolean): Promise<void> {
  proxy.freeze()
  expect(isOver()).toBe(false)
  await clock.pass(bothMs)
  expect(isOver()).toBe(true)
}

/** A client that never pings, and keeps what it has. */
async function hangOver(url: string, headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => {})
  socket.send('{"jsonrpc":"2.0","id":1,"method":"hang"}')
  return socket
}

describe.each([0, 7_000, livenessIntervalMs - 1])(
  '[link.2] a network that goes %i ms into an interval',
  (ms) => {
    it('is missed by an agent that listens', async () => {
      const clock = createManualClock()
      const { methods, asked, isOver } = hanging()
      await using agent = await listen({
        host: '127.0.0.1',
        port: 0,
        tls: null,
        credentials: { visitorOf: () => ({ exposure: 'relay', pairedName: null }) },
        methodsFor: () => methods,
        redeem: async () => null,
        leave: async () => {},
        clock,
        createId: randomUUID,
        onFault: () => {},
      })
      await using proxy = await startFaultProxy(agent.port)
      clock.advance(ms)
      const socket = await hangOver(`ws://127.0.0.1:${proxy.port}/rpc`, {})
      await asked
      await lose(proxy, clock, isOver)
      socket.terminate()
    })

    it('is missed by a gateway that serves a client', async () => {
      const clock = createManualClock()
      const { methods, asked, isOver } = hanging()
      const server = createServer()
      const door = attachWebSocketDoor(
        server,
        {
          refuseOrigin: () => null,
          callerFor: () => ({ exposure: 'runtime', name: 'test' }),
          callerOf: () => ({ exposure: 'runtime', name: 'test' }),
          traffic: createUnlimitedTraffic(),
          isNear: () => false,
          beginPairing: null,
          version: '9.9.9',
          methodsFor: async () => methods,
          createId: randomUUID,
          onFault: () => {},
          onRefused: () => {},
        },
        clock,
      )
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      await using proxy = await startFaultProxy(port)
      clock.advance(ms)
      const socket = await hangOver(`ws://127.0.0.1:${proxy.port}/rpc`, {})
      await asked
      await lose(proxy, clock, isOver)
      socket.terminate()
      door.terminate()
      await new Promise((resolve) => server.close(resolve))
    })

    it('is missed by a gateway that dialled its host', async () => {
      const clock = createManualClock()
      await using agent = await listen({
        host: '127.0.0.1',
        port: 0,
        tls: null,
        credentials: { visitorOf: () => ({ exposure: 'relay', pairedName: null }) },
        methodsFor: () => namedMethods('ci'),
        redeem: async () => null,
        leave: async () => {},
        // Its own pings are another matter.
        clock: { ...systemClock, after: () => () => {} },
        createId: randomUUID,
        onFault: () => {},
      })
      await using proxy = await startFaultProxy(agent.port)
      await using host = new SupervisedHost({
        id: 'runtime:ci',
        kind: 'runtime',
        label: 'ci',
        open: openRuntimeLink({ url: `ws://127.0.0.1:${proxy.port}/rpc`, token: 't', clock }),
        clock,
        random: () => 0.9,
        createId: randomUUID,
      })
      host.start()
      await host.firstAttempt
      clock.advance(ms)
      await host.call('who', () => ({}), { signal, timeoutMs: 10_000 })
      await lose(proxy, clock, () => host.report().state === 'offline')
    })

    it('is missed by an agent that dialled in, and by its gateway', async () => {
      const clock = createManualClock()
      await using dir = await tempDir()
      await using rig = await openTestDoor(dir.path, { clock })
      const offer = parseOffer(rig.door.invitations.invite(rig.host.id, undefined).offer)
      if (offer === null) throw new Error('no offer')
      const ends = { ports: dialPorts, clock: systemClock, signal, createId: randomUUID }
      const paired = await redeemOffer({ ...ends, offer, name: 'laptop' })
      await using proxy = await startFaultProxy(rig.door.address.port)
      await using agent = dialTestAgent({ ...paired, url: `wss://127.0.0.1:${proxy.port}/agents`, clock })
      await agent.until(isReady)
      while (rig.host.report().state !== 'ready') await new Promise((resolve) => setImmediate(resolve))
      clock.advance(ms)
      await rig.host.call('who', () => ({}), { signal, timeoutMs: 10_000 })
      const isOver = () =>
        agent.states.some(({ state }) => state === 'offline') && rig.host.report().state === 'offline'
      await lose(proxy, clock, isOver)
    })
  },
)
