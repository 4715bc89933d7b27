/** Paired clients that ask too much of the gateway's TCP door: what they are told, and that nobody else notices them. */
import { afterEach, describe, expect, it } from 'vitest'
import { defaultTrafficLimits as limits } from '../../gateway/access/traffic.ts'
import type { RpcMethod } from '../../protocol/rpc/dispatch.ts'
import {
  ask,
  type Bearer,
  type ClientDesk,
  call,
  openClientDesk,
  overTcp,
  owner,
} from '../helpers/client-desk.ts'
import { send, TestSocket } from '../helpers/doors.ts'
import { createManualClock, type ManualClock } from '../helpers/manual-clock.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

let clock: ManualClock
async function openDesk(options: Parameters<typeof openClientDesk>[0] = {}): Promise<ClientDesk> {
  clock = createManualClock()
  const desk = await openClientDesk({ clock, methods: { echo: (params) => params }, ...options })
  open.push(desk)
  return desk
}
const overMcp = async (desk: ClientDesk, headers: Bearer, body: string) =>
  await send(overTcp(desk), {
    path: '/mcp',
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    body,
  })
const untilCancelled: RpcMethod = async (_params, { signal }) => {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

describe('a client that asks too much', () => {
  const batch = (size: number, method = 'echo') =>
    `[${Array.from({ length: size }, (_, id) => call(method, {}, id)).join(',')}]`
  const refused = (answers: { error?: { code: number; data: { retryAfterSec: number } } }[]) =>
    answers.filter(({ error }) => error?.code === -32029)

  it('pays for every member of a batch, and has those answered that it can pay for', async () => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    const tablet = await desk.pair('tablet')
    await using socket = await TestSocket.open(overTcp(desk), phone)
    socket.send(batch(100))
    expect(refused((await socket.next()) as [])).toEqual([])
    expect((await ask(desk, phone, batch(50))).body).toHaveLength(50)
    const { body } = await ask(desk, phone, batch(100))
    expect(body.map(({ error }: { error?: unknown }) => error !== undefined)).toEqual(
      Array.from({ length: 100 }, (_, at) => at >= limits.device.burst - 150),
    )
    expect(refused(body)[0]).toMatchObject({ error: { data: { code: 'rate_limited', retryAfterSec: 1 } } })
    // By name too: what it may not do costs as much as what it may.
    expect((await ask(desk, phone, call('devices.list'))).body).toMatchObject({ error: { code: -32029 } })
    expect((await ask(desk, tablet)).body).toHaveProperty('result')
    expect((await ask(desk, owner)).body).toHaveProperty('result')
    clock.advance(1_000)
    expect(refused((await ask(desk, phone, batch(100))).body)).toHaveLength(100 - limits.device.perSecond)
  })

  it.each([
    ['text that is no JSON', '{'],
    ['no calls', '[1,2,3]'],
    ['notifications to nobody', '{"jsonrpc":"2.0","method":"nowhere"}'],
    ['pings', call('$/ping')],
    ['the ends of calls it never made', '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}'],
    ['answers to what nobody asked', '{"jsonrpc":"2.0","id":1,"result":1}'],
    [
      'whole batches of such answers',
      '[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":1}]',
    ],
  ])('pays for %s as for calls', async (_what, message) => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    await using socket = await TestSocket.open(overTcp(desk), phone)
    const members = [JSON.parse(message === '{' ? '0' : message)].flat().length
    for (let paid = 0; paid < limits.device.burst; paid += members) socket.send(message)
    socket.send(call('echo', {}, 'last'))
    let answer: unknown
    do answer = await socket.next()
    while ((answer as { id?: unknown }).id !== 'last')
    expect(answer).toMatchObject({ error: { code: -32029, data: { retryAfterSec: 1 } } })
    expect(desk.reached()).toBe(0)
    // Over POST from the same purse.
    expect((await ask(desk, phone, message === '{' ? message : call('nowhere'))).body).toMatchObject({
      error: { code: -32029 },
    })
    expect(await send(overTcp(desk), { headers: { ...phone, 'content-type': 'text/plain' } })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
    })
  })

  it('has so many calls run at once, and is told so for one more; others are not', async () => {
    const desk = await openDesk({
      methods: { echo: (params) => params, wait: untilCancelled },
      limits: { callsAtOnce: { device: 3, owner: 4 } },
    })
    const phone = await desk.pair('phone')
    await using socket = await TestSocket.open(overTcp(desk), phone)
    socket.send(`[${call('wait', {}, 1)},${call('wait', {}, 2)}]`)
    socket.send(call('wait', {}, 3))
    socket.send(call('echo', {}, 4))
    const sentence = '3 calls of yours are not answered yet. Wait for one of them'
    expect(await socket.next()).toMatchObject({ id: 4, error: { code: -32029, message: sentence } })
    expect((await ask(desk, phone)).body).toMatchObject({
      error: { message: sentence, data: { code: 'rate_limited', retryAfterSec: 1 } },
    })
    for (const other of [await desk.pair('tablet'), owner])
      expect((await ask(desk, other)).body).toHaveProperty('result')
    socket.send('{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":3}}')
    expect(await socket.next()).toMatchObject({ id: 3, error: { code: -32800 } })
    expect((await ask(desk, phone)).body).toHaveProperty('result')
  })

  it('has so many requests over HTTP under way, by whatever path, and 429 for one more', async () => {
    const desk = await openDesk({
      methods: { echo: (params) => params, wait: untilCancelled },
      limits: { requestsAtOnce: { device: 2, owner: 2 } },
    })
    const phone = await desk.pair('phone')
    const leaving = new AbortController()
    const waiting = [1, 2].map(async () => {
      await send(overTcp(desk), { headers: phone, body: call('wait'), signal: leaving.signal }).catch(
        () => {},
      )
    })
    while (desk.reached() < 2) await new Promise((resolve) => setImmediate(resolve))
    for (const path of ['/rpc', '/mcp']) {
      const { status, headers, text } = await send(overTcp(desk), {
        path,
        headers: phone,
        body: call('echo'),
      })
      expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 429, retryAfter: '1' })
      expect(JSON.parse(text)).toMatchObject({
        error: { code: -32029, message: '2 requests of yours are not answered yet. Wait for one of them' },
      })
    }
    expect((await ask(desk, owner)).body).toHaveProperty('result')
    leaving.abort()
    await Promise.all(waiting)
    // As soon as the door has noticed that they left.
    while ((await ask(desk, phone)).status === 429) {}
  })

  it('pays the same over MCP, and is told to wait', async () => {
    const desk = await openDesk({
      methods: { 'hosts.list': () => ({ hosts: [] }), echo: (params) => params },
    })
    const phone = await desk.pair('phone')
    for (let calls = 0; calls < limits.device.burst; calls += 100) await ask(desk, phone, batch(100))
    const { text } = await overMcp(desk, phone, call('tools/call', { name: 'list_hosts', arguments: {} }))
    expect(text).toContain('Wait 1 s and call again')
    const { status, headers } = await overMcp(desk, phone, call('tools/list'))
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 429, retryAfter: '1' })
  })

  it('has the limits of /rpc at /mcp too: how deep, how many, how long, how often', async () => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    const nested = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(129)}${']'.repeat(129)}}}`
    for (const body of [nested, batch(101, 'ping'), '[]'])
      expect(await overMcp(desk, phone, body), body.slice(0, 60)).toMatchObject({
        status: 400,
        text: expect.stringContaining('-32600'),
      })
    expect(await overMcp(desk, phone, `${' '.repeat(1024 * 1024)}${call('ping')}`)).toMatchObject({
      status: 413,
    })
    // Each of those was one message.
    expect((await overMcp(desk, phone, batch(100, 'ping'))).status).toBe(200)
    expect((await overMcp(desk, phone, batch(limits.device.burst - 104, 'ping'))).status).toBe(200)
    expect((await overMcp(desk, phone, call('ping'))).status).toBe(429)
    expect((await overMcp(desk, phone, '{')).status).toBe(429)
    expect((await overMcp(desk, await desk.pair('tablet'), call('ping'))).status).toBe(200)
  })

  it('fails alone with what is too deep, too many or too long, and its link goes on', async () => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"echo","params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const long = (bytes: number) =>
      call('echo', { pad: 'x'.repeat(bytes - call('echo', { pad: '' }).length) })
    await using socket = await TestSocket.open(overTcp(desk), phone)
    await using other = await TestSocket.open(overTcp(desk), phone)
    for (const [bad, code] of [
      [nested(129), -32600],
      [batch(101), -32600],
      [long(1024 * 1024 + 1), -32008],
      ['[', -32700],
    ] as const) {
      socket.send(bad)
      expect(await socket.next()).toMatchObject({ error: { code } })
      socket.send(call('echo', { still: 'here' }))
      expect(await socket.next()).toMatchObject({ result: { still: 'here' } })
      expect(await ask(desk, phone, bad)).toMatchObject({
        status: code === -32008 ? 413 : 200,
        body: { error: { code } },
      })
      expect((await ask(desk, phone)).body).toHaveProperty('result')
    }
    // The last that passes.
    expect((await ask(desk, phone, nested(127))).body).toHaveProperty('result')
    other.send(call('echo', { other: 1 }))
    expect(await other.next()).toMatchObject({ result: { other: 1 } })
  })
})
