import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import type { Invitations } from '../../gateway/access/invitations.ts'
import { parseConfig } from '../../gateway/config.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { dialPorts } from '../../gateway/hosts/runtime.ts'
import { systemClock } from '../../protocol/clock.ts'
import { dialWebSocket } from '../../protocol/link/dial-web-socket.ts'
import { parseOffer } from '../../protocol/link/offer.ts'
import { type Redeemed, redeemOffer } from '../../protocol/link/redeem-offer.ts'
import { hostListSchema } from '../../protocol/rpc/describe.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import { textFrame, upgradeHead } from '../helpers/client-desk.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { type DoorRig, dialTestAgent, isReady, openTestDoor, tempDir } from '../helpers/runtime-desk.ts'
import { createScaledClock } from '../helpers/scaled-clock.ts'

const signal = new AbortController().signal
const pingIntervalMs = 15_000
const configSource = { file: '/none', homeDir: '/', isOpenToOthers: false, isThere: false }

async function invited({ door, host }: DoorRig): Promise<Redeemed> {
  const offer = parseOffer(door.invitations.invite(host.id, undefined).offer)
  if (offer === null) throw new Error('no offer')
  return await redeemOffer({
    offer,
    name: 'laptop',
    ports: dialPorts,
    clock: systemClock,
    signal,
    createId: randomUUID,
  })
}

const ask = async ({ host }: DoorRig) => await host.call('who', () => ({}), { signal, timeoutMs: 5_000 })

/** The gateway has its own moment of knowing. */
async function gatewaySees({ host }: DoorRig, state: 'ready' | 'offline'): Promise<void> {
  while (host.report().state !== state) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('an agent that dials in', () => {
  it('is invited once, and then asked over the link it made', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const offer = rig.door.invitations.invite(rig.host.id, undefined).offer
    const paired = await invited(rig)
    expect(paired).toMatchObject({ url: rig.url, name: 'runtime:laptop' })
    await using agent = dialTestAgent({ ...paired, agentName: 'laptop’s agent' })
    await agent.until(isReady)
    expect(await ask(rig)).toBe('laptop’s agent')
    expect(rig.host.report()).toMatchObject({ state: 'ready', version: 'laptop’s agent' })
    // The second invitation for a host closed the first.
    const first = parseOffer(offer)
    if (first === null) throw new Error('no offer')
    await expect(
      redeemOffer({
        offer: first,
        name: 'x',
        ports: dialPorts,
        clock: systemClock,
        signal,
        createId: randomUUID,
      }),
    ).rejects.toMatchObject({ code: 'unauthorized' })
    await rig[Symbol.asyncDispose]()
    for (const name of await readdir(dir.path))
      expect(await readFile(join(dir.path, name), 'utf8')).not.toContain(paired.token)
  })

  it('gives way to a newer one, is told why, and does not fight back at once', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const paired = await invited(rig)
    await using older = dialTestAgent({ ...paired, agentName: 'older' })
    await older.until(isReady)
    expect(await ask(rig)).toBe('older')
    await using newer = dialTestAgent({ ...paired, agentName: 'newer' })
    const told = await older.until(({ state }) => state === 'offline')
    expect(told).toMatchObject({ reason: expect.stringContaining('took this host’s place') })
    expect(told.state === 'offline' && told.retryInMs).toBeGreaterThanOrEqual(300_000)
    expect(await ask(rig)).toBe('newer')
    expect(newer.states).toEqual([{ state: 'ready' }])
    expect(rig.host.report().state).toBe('ready')
  })

  it('is refused with a token that is unknown, and gives up', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const { pin, url } = await invited(rig)
    await using agent = dialTestAgent({ url, pin, token: 'A'.repeat(43) })
    await agent.refused
    expect(agent.states).toEqual([{ state: 'refused' }])
  })

  it('is refused, token and all, once its host is out of the configuration', async () => {
    await using dir = await tempDir()
    const first = await openTestDoor(dir.path)
    const { pin, token } = await invited(first)
    await first[Symbol.asyncDispose]()
    await using second = await openTestDoor(dir.path, { isConfigured: false })
    await using agent = dialTestAgent({ url: second.url, pin, token })
    await agent.refused
  })

  it('sends no token to a gateway whose key changed', async () => {
    await using dir = await tempDir()
    await using other = await tempDir()
    const first = await openTestDoor(dir.path)
    const { token, pin } = await invited(first)
    await first[Symbol.asyncDispose]()
    await using impostor = await openTestDoor(other.path)
    await using agent = dialTestAgent({ url: impostor.url, pin, token })
    const seen = await agent.until(({ state }) => state !== 'ready')
    expect(seen).toMatchObject({ state: 'offline', reason: expect.stringContaining('host key changed') })
  })

  it('comes back by itself after a restart of the gateway, which tells it to wait a moment (1012)', async () => {
    await using dir = await tempDir()
    const clock = createScaledClock(10)
    const first = await openTestDoor(dir.path)
    const paired = await invited(first)
    await using agent = dialTestAgent({ ...paired, clock })
    await agent.until(isReady)
    expect(await ask(first)).toBe('agent')
    await first[Symbol.asyncDispose]()
    const lost = await agent.until(({ state }) => state === 'offline')
    expect(lost).toMatchObject({ reason: 'the gateway is shutting down', retryInMs: 5_000 })
    await using second = await openTestDoor(dir.path, { port: first.door.address.port })
    await agent.until(isReady, 1)
    expect(await ask(second)).toBe('agent')
  })

  it('[link.2] [link.38] notices on both ends, within two ping intervals, that the network is gone', async () => {
    await using dir = await tempDir()
    const clock = createScaledClock(10)
    await using rig = await openTestDoor(dir.path, { clock })
    const paired = await invited(rig)
    await using proxy = await startFaultProxy(rig.door.address.port)
    await using agent = dialTestAgent({ ...paired, url: `wss://127.0.0.1:${proxy.port}/agents`, clock })
    await agent.until(isReady)
    await ask(rig)
    const frozenAtMs = clock.monotonicMs()
    proxy.freeze()
    await Promise.all([agent.until(({ state }) => state === 'offline'), gatewaySees(rig, 'offline')])
    const tookMs = clock.monotonicMs() - frozenAtMs
    // A tenth of a second of this machine's own lateness is a second here.
    expect(tookMs).toBeLessThan(2 * pingIntervalMs + 3_000)
    proxy.thaw()
    await agent.until(isReady, agent.states.length)
    await gatewaySees(rig, 'ready')
    expect(await ask(rig)).toBe('agent')
  })

  it('is back within seconds of a sleep that its link did not outlive', async () => {
    await using dir = await tempDir()
    const clock = createScaledClock(10)
    await using rig = await openTestDoor(dir.path, { clock })
    const paired = await invited(rig)
    await using proxy = await startFaultProxy(rig.door.address.port)
    await using agent = dialTestAgent({ ...paired, url: `wss://127.0.0.1:${proxy.port}/agents`, clock })
    await agent.until(isReady)
    proxy.freeze()
    clock.sleep(8 * 3_600_000)
    const wokeAtMs = clock.monotonicMs()
    const lost = await agent.until(({ state }) => state === 'offline')
    expect(lost).toMatchObject({ reason: 'The link did not outlive a sleep.' })
    proxy.thaw()
    await agent.until(isReady, agent.states.length)
    expect(clock.monotonicMs() - wokeAtMs).toBeLessThan(10_000)
  })
})

describe('the agents’ door', () => {
  async function knock(rig: DoorRig, pin: string) {
    const socket = await dialWebSocket({ url: rig.url, pin, maxFrameBytes: 100_000, signal }, dialPorts)
    const heard: string[] = []
    socket.on('message', (data) => void heard.push(String(data)))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    return { socket, heard, closed }
  }

  it('closes on whoever says nothing for five seconds', async () => {
    await using dir = await tempDir()
    const clock = createScaledClock(20)
    await using rig = await openTestDoor(dir.path, { clock })
    const { pin } = await invited(rig)
    const startedMs = clock.monotonicMs()
    const { closed, heard } = await knock(rig, pin)
    expect(await closed).toBe(1008)
    expect(heard).toEqual([])
    expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(4_900)
  })

  it('takes in no more of a stranger’s first message than an introduction is long', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const { pin } = await invited(rig)
    const { socket, closed, heard } = await knock(rig, pin)
    socket.on('error', () => {})
    socket.send('x'.repeat(8_000_000), () => {})
    expect(await closed).toBe(1006)
    expect(heard).toEqual([])
  })

  it('cuts whoever shows a wrong token and does not answer the close, and reads no more of it', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path, { clock: createScaledClock(20) })
    const { hostname: host, port } = new URL(rig.url)
    const wrong = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'auth', params: { token: 'wrong' } })
    for (const more of [Buffer.alloc(0), textFrame('x'.repeat(8_000_000))]) {
      const socket = connectTls({ host, port: Number(port), rejectUnauthorized: false })
      socket.on('error', () => {}).resume()
      await once(socket, 'secureConnect')
      socket.write(upgradeHead('/agents'))
      socket.write(textFrame(wrong))
      socket.write(more)
      // `ws` itself would wait for half a minute.
      await new Promise((resolve) => socket.once('close', resolve))
    }
  })

  it('answers nothing but an introduction, and has nothing else behind it', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const { pin, token } = await invited(rig)
    for (const first of ['{"jsonrpc":"2.0","id":1,"method":"who"}', 'x', `{"token":"${token}"}`]) {
      const { socket, closed, heard } = await knock(rig, pin)
      socket.send(first)
      expect(await closed).toBe(1008)
      expect(heard.map((text) => JSON.parse(text).error.data.code)).toEqual(['unauthorized'])
    }
    for (const path of ['/rpc', '/']) {
      const url = rig.url.replace('/agents', path)
      await expect(dialWebSocket({ url, pin, maxFrameBytes: 1_000, signal }, dialPorts)).rejects.toThrow(
        'HTTP 404',
      )
    }
    const page = new WebSocket(rig.url, { rejectUnauthorized: false, origin: 'https://page.example' })
    const status = await new Promise((resolve) =>
      page.on('error', () => {}).once('unexpected-response', (_, response) => resolve(response.statusCode)),
    )
    expect(status).toBe(403)
    page.terminate()
  })
})

describe('hosts.invite', () => {
  function methods(exposure: ExposureClass, invitations?: Invitations) {
    const gateway = createGateway({
      config: { ...parseConfig('', configSource), hosts: [] },
      dataDir: '',
      agentCommand: [process.execPath, '--eval', ''],
      ...(invitations === undefined ? {} : { invitations }),
      env: {},
      homeDir: '/',
      log: pino({ level: 'silent' }),
      clock: systemClock,
      random: () => 0,
      createId: randomUUID,
    })
    const table = gateway.methodsFor({ exposure, name: 'test' })
    const call = async (method: string, params: object) =>
      await table.get(method)?.(params, { signal, notify: () => {} })
    return { gateway, call }
  }
  const laptop = { executionHostId: 'runtime:laptop' }

  it('is refused to relay callers, and to all where there is no door', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const relay = methods('relay', rig.door.invitations)
    await expect(relay.call('hosts.invite', laptop)).rejects.toMatchObject({ code: 'forbidden' })
    const doorless = methods('ipc')
    await expect(doorless.call('hosts.invite', laptop)).rejects.toMatchObject({ code: 'unsupported' })
    await relay.gateway[Symbol.asyncDispose]()
    await doorless.gateway[Symbol.asyncDispose]()
  })

  it('makes the host known at once, and takes no host that is dialled from here', async () => {
    await using dir = await tempDir()
    await using rig = await openTestDoor(dir.path)
    const { gateway, call } = methods('ipc', rig.door.invitations)
    const invitation = await call('hosts.invite', { ...laptop, url: 'wss://gw.example:7719' })
    expect(invitation).toMatchObject({ ...laptop, urls: ['wss://gw.example:7719/pair'] })
    const { hosts } = hostListSchema.parse(await call('hosts.list', {}))
    expect(hosts.map(({ executionHostId }) => executionHostId)).toEqual(['local', 'runtime:laptop'])
    for (const params of [
      { executionHostId: 'local' },
      { ...laptop, url: 'wss://gw/rpc' },
      { ...laptop, url: 'ws://gw' },
    ])
      await expect(call('hosts.invite', params)).rejects.toMatchObject({ code: 'invalid_input' })
    await gateway[Symbol.asyncDispose]()
  })
})
