/** A host that dialled in, over TLS and behind the fault proxy, hangs or is spoilt while it is asked: in time all the same. */
import { randomUUID } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dialPorts } from '../../gateway/hosts/runtime.ts'
import { systemClock } from '../../protocol/clock.ts'
import { parseOffer } from '../../protocol/link/offer.ts'
import { redeemOffer } from '../../protocol/link/redeem-offer.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { type FaultProxy, startFaultProxy } from '../helpers/fault-proxy.ts'
import {
  type AgentRig,
  type DoorRig,
  dialTestAgent,
  isReady,
  openTestDoor,
  tempDir,
} from '../helpers/runtime-desk.ts'

const timeoutMs = 300
const marginMs = 50
const { signal } = new AbortController()

describe('a host that dialled in', () => {
  const open: AsyncDisposable[] = []
  function keep<One extends AsyncDisposable>(one: One): One {
    open.push(one)
    return one
  }
  let rig: DoorRig
  let proxy: FaultProxy
  let agent: AgentRig
  beforeEach(async () => {
    const dir = keep(await tempDir())
    rig = keep(await openTestDoor(dir.path))
    proxy = keep(await startFaultProxy(rig.door.address.port))
    const offer = parseOffer(rig.door.invitations.invite(rig.host.id, undefined).offer)
    if (offer === null) throw new Error('no offer')
    const paired = await redeemOffer({
      offer,
      name: 'laptop',
      ports: dialPorts,
      clock: systemClock,
      signal,
      createId: randomUUID,
    })
    agent = keep(dialTestAgent({ ...paired, url: `wss://127.0.0.1:${proxy.port}/agents` }))
    await agent.until(isReady)
    await untilGatewaySees('ready')
  })
  afterEach(async () => {
    // What hangs would be waited for when it is closed.
    proxy.cut()
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
  })

  async function untilGatewaySees(state: string): Promise<void> {
    while (rig.host.report().state !== state) await new Promise((resolve) => setTimeout(resolve, 2))
  }

  /** @returns the answer, or the code of the error. */
  async function ask(): Promise<unknown> {
    const lag = monitorEventLoopDelay({ resolution: 1 })
    lag.enable()
    const startedMs = performance.now()
    const answer = await rig.host
      .call('who', () => ({}), { signal, timeoutMs })
      .catch((thrown: unknown) => {
        const { code } = TrawlError.from(thrown)
        return code
      })
    const elapsedMs = performance.now() - startedMs
    lag.disable()
    expect(elapsedMs).toBeLessThan(timeoutMs + marginMs + (2 * lag.max) / 1e6)
    return answer
  }

  it.each<[string, () => void]>([
    ['goes silent', () => proxy.freeze()],
    ['hears nothing more', () => proxy.toClient.hold()],
    ['stops in the middle of its answer', () => proxy.toServer.cutAfter(20, 'hold')],
    ['drips its answer', () => proxy.toServer.throttle(50)],
  ])('[link.16] that %s is timed out in time', async (_what, fail) => {
    fail()
    expect(await ask()).toBe('timeout')
  })

  it.each<[string, () => void]>([
    ['is cut in the middle of its answer', () => proxy.toServer.cutAfter(20, 'reset')],
    ['closes in the middle of its answer', () => proxy.toServer.cutAfter(20, 'close')],
    ['sends flipped bits, which TLS does not let pass', () => proxy.toServer.flip(5)],
  ])('[link.18] [link.5] that %s is lost at once, and comes back by itself', async (_what, fail) => {
    const since = agent.states.length
    fail()
    expect(await ask()).toBe('unreachable')
    proxy.toServer.flip(null)
    await agent.until(isReady, since)
    await untilGatewaySees('ready')
    expect(await ask()).toBe('agent')
  })
})
