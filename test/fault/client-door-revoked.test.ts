/** Clients that lose their right, their patience or their gateway in the middle of something. */
import { afterEach, describe, expect, it } from 'vitest'
import type { DeviceOffer } from '../../protocol/rpc/devices.ts'
import {
  type Bearer,
  type ClientDesk,
  createHeldMethod,
  openClientDesk,
  RawClient,
  requestHead,
  textFrame,
  upgradeHead,
} from '../helpers/client-desk.ts'
import { send, TestSocket } from '../helpers/doors.ts'
import { createManualClock } from '../helpers/manual-clock.ts'
import { redeemAt } from '../helpers/paired-device.ts'
import { openSockets } from '../helpers/ssh-desk.ts'

const open: AsyncDisposable[] = []
function keep<One extends AsyncDisposable>(one: One): One {
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

const call = (method: string, params: unknown = {}, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const revoke = async (desk: ClientDesk, name: string) => await desk.owner('devices.revoke', { name })
const mebibyte = 1024 * 1024

describe('a client that is revoked', () => {
  it.each([
    ['/rpc', call('hosts.list')],
    ['/mcp', call('tools/call', { name: 'list_hosts', arguments: {} })],
  ])('while its request to %s is on the way gets no answer to it', async (path, body) => {
    const desk = keep(await openClientDesk({ methods: { 'hosts.list': () => ({ hosts: [] }) } }))
    const phone = await desk.pair('phone')
    const client = keep(await RawClient.open(desk.port))
    client.write(
      requestHead(`POST ${path}`, {
        ...phone,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': String(body.length),
      }),
    )
    client.write(body.slice(0, 10))
    // What asks after the head has been read.
    await send(desk, { headers: phone, body: call('none') })
    await new Promise((resolve) => setImmediate(resolve))
    await revoke(desk, 'phone')
    client.write(body.slice(10))
    await client.ended
    await client.untilGone()
    expect(client.text).toBe('')
    expect(desk.reached()).toBe(0)
  })

  it('while its call runs gets nothing more, over POST and over a WebSocket, and the call is aborted', async () => {
    const [held, heldToo, late] = [createHeldMethod(), createHeldMethod(), createHeldMethod()]
    const methods = { held: held.method, heldToo: heldToo.method, late: late.method }
    const desk = keep(await openClientDesk({ methods }))
    const phone = await desk.pair('phone')
    const post = keep(await RawClient.open(desk.port))
    const body = call('held')
    const headers = { ...phone, 'content-type': 'application/json', 'content-length': String(body.length) }
    post.write(requestHead('POST /rpc', headers) + body)
    const socket = keep(await RawClient.open(desk.port))
    socket.write(upgradeHead('/rpc', phone))
    await socket.until('101 Switching')
    socket.write(textFrame(call('heldToo')))
    socket.write(textFrame(call('late')))
    const [ofPost, ofSocket] = await Promise.all([held.called, heldToo.called, late.called])
    const before = socket.text.length
    await revoke(desk, 'phone')
    ofSocket.notify('$/progress', { token: 1, value: 'too late' })
    late.release('too late')
    await Promise.all([post.ended, socket.ended])
    expect(post.text).toBe('')
    // A close frame, and nothing else.
    expect(socket.text.slice(before)).toBe('\x88\x09\x03\xf0revoked')
    await Promise.all([post.untilGone(), socket.untilGone()])
    for (const { signal } of [ofPost, ofSocket])
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })

  it('in the middle of a large answer gets no byte that was not on its way', async () => {
    const large = 'x'.repeat(15 * mebibyte)
    const desk = keep(await openClientDesk({ methods: { large: () => large } }))
    const phone = await desk.pair('phone')
    const client = keep(await RawClient.open(desk.port, { isReading: false }))
    const body = call('large')
    const headers = { ...phone, 'content-type': 'application/json', 'content-length': String(body.length) }
    client.write(requestHead('POST /rpc', headers) + body)
    while (desk.reached() === 0) await new Promise((resolve) => setImmediate(resolve))
    await revoke(desk, 'phone')
    let bytes = 0
    client.socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await client.ended
    expect(bytes).toBeLessThan(large.length)
  })

  it('before it has shown its token is told so', async () => {
    const desk = keep(await openClientDesk())
    const phone = await desk.pair('phone')
    const socket = await TestSocket.open({ port: desk.port })
    await revoke(desk, 'phone')
    socket.send(call('auth', { token: phone.authorization.slice('Bearer '.length) }))
    expect(await socket.next()).toMatchObject({ error: { code: -32001, data: { reason: 'revoked' } } })
    expect((await socket.closed).code).toBe(1008)
  })

  it('does not end another of the same kind, nor one that comes under its name later', async () => {
    const desk = keep(await openClientDesk({ methods: { echo: (params) => params } }))
    const first = await desk.pair('phone')
    const other = keep(await TestSocket.open({ port: desk.port }, await desk.pair('phone')))
    const old = await TestSocket.open({ port: desk.port }, first)
    await revoke(desk, 'phone')
    expect((await old.closed).reason).toBe('revoked')
    const again = keep(await TestSocket.open({ port: desk.port }, await desk.pair('phone')))
    for (const socket of [other, again]) {
      socket.send(call('echo', { still: 'here' }))
      expect(await socket.next()).toMatchObject({ result: { still: 'here' } })
    }
    await expect(TestSocket.open({ port: desk.port }, first)).rejects.toThrow('HTTP 401')
  })
})

describe('a client that does not read', () => {
  const large = (size: number) => ({ large: () => 'x'.repeat(size), echo: (params: unknown) => params })
  /** Not so often that it would be too much; its own sockets are gone afterwards. */
  const served = async (desk: ClientDesk, tablet: Bearer) => {
    const answer = await send({ port: desk.port }, { headers: tablet, body: call('echo') })
    await new Promise((resolve) => setTimeout(resolve, 10))
    return JSON.parse(answer.text)
  }

  it('over a WebSocket is cut before much is kept for it, and others are served meanwhile', async () => {
    const desk = keep(await openClientDesk({ methods: large(mebibyte) }))
    const tablet = await desk.pair('tablet')
    const client = keep(await RawClient.open(desk.port, { isReading: false }))
    client.write(upgradeHead('/rpc', await desk.pair('phone')))
    let asked = 0
    const asking = (async () => {
      for (; asked < 150 && !client.socket.destroyed; asked++) {
        client.write(textFrame(call('large')))
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
    })()
    while (!client.socket.destroyed) expect(await served(desk, tablet)).toHaveProperty('result')
    await asking
    expect(desk.clients.traffic.connectionsOf('device:phone')).toBe(0)
    // 16 MiB wait at the most; the rest is what the system itself holds between two sockets.
    expect(desk.reached()).toBeLessThan(48)
  })

  it('over POST is cut when its time is up, however often it asks, and others are served meanwhile', async () => {
    const desk = keep(
      await openClientDesk({ methods: large(15 * mebibyte), limits: { unreadTimeoutMs: 300 } }),
    )
    const sockets = () => openSockets().TCPSocketWrap ?? 0
    const idle = sockets()
    const tablet = await desk.pair('tablet')
    const phone = await desk.pair('phone')
    const body = call('large')
    const headers = { ...phone, 'content-type': 'application/json', 'content-length': String(body.length) }
    const clients = await Promise.all(
      [1, 2, 3].map(async () => keep(await RawClient.open(desk.port, { isReading: false }))),
    )
    for (const client of clients) client.write(requestHead('POST /rpc', headers) + body)
    while (desk.reached() < clients.length) await new Promise((resolve) => setImmediate(resolve))
    // Their own ends are left, which nobody has closed.
    while (sockets() > idle + clients.length) expect(await served(desk, tablet)).toHaveProperty('result')
    for (const client of clients) {
      client.socket.resume()
      await client.ended
      expect(client.socket.bytesRead).toBeLessThan(15 * mebibyte)
    }
  })

  it('fast, but does read, has its answer whole', async () => {
    const desk = keep(
      await openClientDesk({ methods: large(15 * mebibyte), limits: { unreadTimeoutMs: 300 } }),
    )
    const body = call('large')
    const client = keep(await RawClient.open(desk.port, { isReading: false }))
    const headers = {
      ...(await desk.pair('phone')),
      'content-type': 'application/json',
      'content-length': String(body.length),
    }
    client.write(requestHead('POST /rpc', headers) + body)
    let bytes = 0
    const startedMs = performance.now()
    while (bytes < 15 * mebibyte) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      const chunk: Buffer | null = client.socket.read(client.socket.readableLength || undefined)
      bytes += chunk?.length ?? 0
      if (client.socket.destroyed) throw new Error(`cut after ${bytes} bytes`)
    }
    expect(performance.now() - startedMs).toBeGreaterThan(300)
  })
})

describe('pairing that is cut short', () => {
  it('by the gateway’s end leaves nobody waiting, and nobody paired', async () => {
    const clock = createManualClock()
    const desk = keep(await openClientDesk({ clock }))
    const { offerId, code } = (await desk.owner('devices.offer', {})) as DeviceOffer
    const redeeming = await redeemAt(desk.pairUrl, code)
    await redeeming.digits
    expect(await desk.owner('devices.await', { offerId, seen: 'open' })).toMatchObject({ state: 'asking' })
    const closing = desk.doors.close()
    await expect(redeeming.device).rejects.toMatchObject({ code: 'unreachable' })
    await closing
    expect(await desk.clients.offers.await({ offerId }, new AbortController().signal)).toEqual({
      state: 'ended',
      reason: 'left',
    })
    await expect(desk.clients.offers.decide({ offerId, may: ['search'] })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(desk.clients.devices.list()).toEqual([])
  })

  it('by a rival: of two that come with one code at the same moment one goes on, whoever it is', async () => {
    const desk = keep(await openClientDesk({ limits: { wrongCode: { burst: 10, perSecond: 1 } } }))
    for (let round = 0; round < 10; round++) {
      const { offerId, code } = (await desk.owner('devices.offer', {})) as DeviceOffer
      const rivals = await Promise.all(
        [1, 2].map(async (n) => await redeemAt(desk.pairUrl, code, { name: `rival ${n}` })),
      )
      const lost = await Promise.race(
        rivals.map(
          async ({ device }, at) =>
            await device.then(
              () => null,
              (error: { code: string }) => ({ at, code: error.code }),
            ),
        ),
      )
      expect(lost?.code).toBe('unauthorized')
      const winner = rivals[1 - (lost?.at ?? 0)]
      const digits = await winner?.digits
      const state = await desk.owner('devices.await', { offerId, seen: 'open' })
      expect(state).toMatchObject({ state: 'asking', request: { digits } })
      await desk.owner('devices.decide', { offerId, may: null })
      await expect(winner?.device).rejects.toMatchObject({ code: 'forbidden' })
    }
    expect(desk.clients.devices.list()).toEqual([])
  })
})
