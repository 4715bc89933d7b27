/** Strangers and greedy clients at the gateway's TCP door: what they are told, and that nobody else notices them. */
import { afterEach, describe, expect, it } from 'vitest'
import { defaultTrafficLimits as limits } from '../../gateway/access/traffic.ts'
import { introductionTimeoutMs } from '../../protocol/link/pairing-messages.ts'
import {
  type Bearer,
  type ClientDesk,
  openClientDesk,
  ownToken,
  RawClient,
  requestHead,
  textFrame,
  upgradeHead,
} from '../helpers/client-desk.ts'
import { send, TestSocket } from '../helpers/doors.ts'
import { createManualClock, type ManualClock } from '../helpers/manual-clock.ts'
import { redeemAt } from '../helpers/paired-device.ts'

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
const auth = (token: string) => call('auth', { token }, 'auth')
const tokenOf = ({ authorization }: Bearer) => authorization.slice('Bearer '.length)
const owner = { authorization: `Bearer ${ownToken}` }
const wrong = { authorization: 'Bearer wrong' }

let clock: ManualClock
async function openDesk(options: Parameters<typeof openClientDesk>[0] = {}): Promise<ClientDesk> {
  clock = createManualClock()
  return keep(await openClientDesk({ clock, methods: { echo: (params) => params }, ...options }))
}
const ask = async (desk: ClientDesk, headers: Record<string, string>, body = call('echo')) => {
  const answer = await send(desk, { headers, body })
  return { ...answer, body: answer.text === '' ? null : JSON.parse(answer.text) }
}
/** `desk` also has a socket path, and these go over TCP. */
const overTcp = ({ port }: ClientDesk) => ({ port })

describe('the first message of a WebSocket', () => {
  it('comes within five seconds or the link ends with 1008, and whoever does not answer that is cut', async () => {
    const desk = await openDesk()
    const polite = await TestSocket.open(overTcp(desk))
    const rude = keep(await RawClient.open(desk.port))
    rude.write(upgradeHead('/rpc'))
    await rude.until('101 Switching')
    clock.advance(introductionTimeoutMs)
    expect(await polite.closed).toEqual({ code: 1008, reason: 'no credential came' })
    // Too late: nothing that comes now is looked at.
    rude.write(textFrame(auth(ownToken)))
    rude.write(textFrame(call('echo')))
    await rude.until('no credential came')
    clock.advance(1_000)
    await rude.ended
    await rude.untilGone()
    expect(desk.reached()).toBe(0)
  })

  it('is all that is read: no call before it is answered, and none behind a wrong one', async () => {
    const desk = await openDesk()
    for (const first of [call('echo'), auth('wrong'), '[]', 'x']) {
      const client = keep(await RawClient.open(desk.port))
      client.write(upgradeHead('/rpc'))
      await client.until('101 Switching')
      client.write(textFrame(first))
      client.write(textFrame(auth(ownToken)))
      client.write(textFrame(call('echo')))
      await client.until('-32001')
      clock.advance(1_000)
      await client.untilGone()
      expect(client.text).not.toContain('"result"')
    }
    expect(desk.reached()).toBe(0)
  })

  it.each([
    ['in one message', [textFrame('x'.repeat(1024 * 1024))]],
    ['behind a wrong credential', [textFrame(auth('wrong')), textFrame('x'.repeat(1024 * 1024))]],
    [
      'in pings',
      Array.from({ length: 20_000 }, () => Buffer.concat([Buffer.from([0x89, 0xfd]), Buffer.alloc(4 + 125)])),
    ],
  ])('does not have a stranger send a megabyte, %s', async (_how, frames) => {
    const desk = await openDesk()
    const client = keep(await RawClient.open(desk.port))
    client.write(upgradeHead('/rpc'))
    await client.until('101 Switching')
    for (const frame of frames) client.write(frame)
    // The clock stands still: it is the amount that ends this.
    await client.untilGone()
  })

  it('does not have a stranger send a megabyte to /pair', async () => {
    const desk = await openDesk()
    const client = keep(await RawClient.open(desk.port))
    client.write(upgradeHead('/pair'))
    await client.until('101 Switching')
    for (let n = 0; n < 300; n++) client.write(textFrame(call('x', { pad: 'x'.repeat(4_000) })))
    await client.untilGone()
  })

  it('is not waited for over POST: a megabyte without a credential is refused before it is sent', async () => {
    const desk = await openDesk()
    for (const path of ['/rpc', '/mcp']) {
      const client = keep(await RawClient.open(desk.port))
      client.write(
        requestHead(`POST ${path}`, { 'content-type': 'application/json', 'content-length': '1000000' }),
      )
      await client.until('401 Unauthorized')
    }
    expect(desk.reached()).toBe(0)
  })
})

describe('a page elsewhere', () => {
  const strange = [
    ['a rebound name', { host: 'evil.example' }],
    ['a name that begins like this machine’s', { host: 'localhost.evil.example' }],
    ['the address that is none', { host: '0.0.0.0' }],
    ['another address', { host: '192.0.2.77' }],
    ['credentials in the name', { host: 'localhost@evil.example' }],
    ['its own origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['an origin that begins like this machine’s', { origin: 'http://localhost.evil.example' }],
  ] as const

  it.each(strange)(
    'that shows %s gets 403 from every path, with a good token too',
    async (_what, headers) => {
      const desk = await openDesk()
      const good = await desk.pair('phone')
      for (const [method, path] of [
        ['POST', '/rpc'],
        ['POST', '/mcp'],
        ['GET', '/mcp'],
        ['GET', '/health'],
        ['GET', '/'],
        ['GET', '/nowhere'],
      ] as const)
        expect(
          (await send(overTcp(desk), { method, path, headers: { ...good, ...headers } })).status,
          `${method} ${path}`,
        ).toBe(403)
      for (const path of ['/rpc', '/pair'])
        await expect(TestSocket.open(overTcp(desk), { ...good, ...headers }, path), path).rejects.toThrow(
          'HTTP 403',
        )
      expect(desk.reached()).toBe(0)
      // It could not tell a code that is open from one that is not, and used none up.
      const { code } = (await desk.owner('devices.offer', {})) as { code: string }
      await expect(redeemAt(desk.pairUrl, code, { headers: { ...headers } })).rejects.toThrow('403')
      const redeeming = await redeemAt(desk.pairUrl, code)
      expect(await redeeming.digits).toMatch(/^\d{6}$/)
      redeeming.leave()
    },
  )

  it('is not let in by a preflight, and no answer may be read by another origin', async () => {
    const desk = await openDesk()
    const preflight = await send(overTcp(desk), {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(404)
    const answer = await ask(desk, { ...owner, origin: 'http://localhost:5173' })
    expect(answer.status).toBe(200)
    for (const headers of [preflight.headers, answer.headers])
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    // What a form can send without a preflight is no JSON.
    expect(
      (await send(overTcp(desk), { headers: { ...owner, 'content-type': 'text/plain' }, body: call('echo') }))
        .status,
    ).toBe(415)
  })

  it('leaves a refused upgrade nothing to hold on to', async () => {
    const desk = await openDesk()
    for (const [path, headers, status] of [
      ['/rpc', { host: 'evil.example' }, '403'],
      ['/rpc', wrong, '401'],
      ['/nowhere', {}, '404'],
    ] as const) {
      const client = keep(await RawClient.open(desk.port))
      client.write(upgradeHead(path, headers))
      await client.until(`HTTP/1.1 ${status}`)
      // It never says its own end; the door does not wait for that.
      await client.untilGone()
    }
  })
})

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

  it('pays the same over MCP, and is told to wait', async () => {
    const desk = await openDesk({
      methods: { 'hosts.list': () => ({ hosts: [] }), echo: (params) => params },
    })
    const phone = await desk.pair('phone')
    for (let calls = 0; calls < limits.device.burst; calls += 100) await ask(desk, phone, batch(100))
    const { text } = await send(overTcp(desk), {
      path: '/mcp',
      headers: { ...phone, accept: 'application/json, text/event-stream' },
      body: call('tools/call', { name: 'list_hosts', arguments: {} }),
    })
    expect(text).toContain('Wait 1 s and call again')
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

describe('wrong credentials', () => {
  it('are 401 twenty times and then 429 with the time to wait, by whatever way they come; a right one still passes', async () => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    for (let tries = 0; tries < limits.wrongCredential.burst - 4; tries++)
      expect((await ask(desk, wrong)).status).toBe(401)
    // The other ways are counted with it.
    await expect(TestSocket.open(overTcp(desk), wrong)).rejects.toThrow('HTTP 401')
    expect((await send(overTcp(desk), { path: '/mcp', headers: wrong, body: call('ping') })).status).toBe(401)
    const late = await TestSocket.open(overTcp(desk))
    late.send(auth('wrong'))
    expect(await late.next()).toMatchObject({ error: { code: -32001 } })
    await expect((await redeemAt(desk.pairUrl, '0000-0000')).device).rejects.toMatchObject({
      code: 'unauthorized',
    })

    const { status, headers, body } = await ask(desk, wrong)
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 429, retryAfter: '2' })
    expect(body).toMatchObject({ error: { code: -32029, data: { retryAfterSec: 2 } } })
    expect((await ask(desk, {})).status).toBe(429)
    const upgrade = keep(await RawClient.open(desk.port))
    upgrade.write(upgradeHead('/rpc', wrong))
    await upgrade.until('\r\n\r\n')
    expect(upgrade.text).toMatch(/^HTTP\/1\.1 429 .*\r\nRetry-After: 2\r\n/)
    const later = await TestSocket.open(overTcp(desk))
    later.send(auth('wrong'))
    expect(await later.next()).toMatchObject({ error: { code: -32029, data: { retryAfterSec: 2 } } })
    expect((await later.closed).code).toBe(1008)
    await expect((await redeemAt(desk.pairUrl, '0000-0000')).device).rejects.toMatchObject({
      code: 'rate_limited',
    })

    expect((await ask(desk, phone)).status).toBe(200)
    await using _header = await TestSocket.open(overTcp(desk), phone)
    await using message = await TestSocket.open(overTcp(desk))
    message.send(auth(tokenOf(phone)))
    expect(await message.next()).toMatchObject({ result: { exposure: 'relay' } })
    clock.advance(2_000)
    expect((await ask(desk, wrong)).status).toBe(401)
    expect(desk.logged()).not.toContain('wrong')
  })
})

describe('room', () => {
  it('is there for sixteen links of one client, and the seventeenth keeps nobody else out', async () => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    const tablet = await desk.pair('tablet')
    const links: TestSocket[] = []
    for (let n = 0; n < limits.maxConnectionsPerCaller; n++)
      links.push(keep(await TestSocket.open(overTcp(desk), phone)))
    await expect(TestSocket.open(overTcp(desk), phone)).rejects.toThrow('HTTP 503')
    const late = await TestSocket.open(overTcp(desk))
    late.send(auth(tokenOf(phone)))
    expect(await late.closed).toEqual({ code: 1013, reason: 'too many connections' })
    for (const other of [tablet, owner]) keep(await TestSocket.open(overTcp(desk), other))
    expect((await ask(desk, phone)).status).toBe(200)
    await links[0]?.[Symbol.asyncDispose]()
    keep(await TestSocket.open(overTcp(desk), phone))
  })

  it('is there for sixty-four strangers, the sixty-fifth is sent away, and whoever is known gets in', async () => {
    const desk = await openDesk()
    const phone = await desk.pair('phone')
    const strangers: RawClient[] = []
    for (let n = 0; n < limits.maxStrangers; n++) {
      const stranger = keep(await RawClient.open(desk.port))
      stranger.write(upgradeHead(n % 2 === 0 ? '/rpc' : '/pair'))
      await stranger.until('101 Switching')
      strangers.push(stranger)
    }
    await expect(TestSocket.open(overTcp(desk))).rejects.toThrow('HTTP 503')
    await expect(redeemAt(desk.pairUrl, '0000-0000')).rejects.toThrow('503')
    keep(await TestSocket.open(overTcp(desk), phone))
    keep(await TestSocket.open(overTcp(desk), owner))
    // None of them ever answers the close; their places are free all the same.
    clock.advance(introductionTimeoutMs)
    await strangers[0]?.until('no credential came')
    clock.advance(3_000)
    await Promise.all(strangers.map((stranger) => stranger.untilGone()))
    keep(await TestSocket.open(overTcp(desk)))
  })

  it('is there for so many sockets of any kind, and the Unix socket has its own', async () => {
    const desk = await openDesk({ limits: { maxSockets: 8 } })
    const idle = await Promise.all(
      Array.from({ length: 8 }, async () => keep(await RawClient.open(desk.port))),
    )
    await keep(await RawClient.open(desk.port)).ended
    await desk.owner('devices.list', {})
    await idle[0]?.[Symbol.asyncDispose]()
    // As soon as the other end has noticed.
    while ((await ask(desk, owner).catch(() => null)) === null) {}
  })
})
