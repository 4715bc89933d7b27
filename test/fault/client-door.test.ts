/** Strangers at the gateway's TCP door: what they are told, and that nobody else notices them. */
import { afterEach, describe, expect, it } from 'vitest'
import { defaultTrafficLimits as limits } from '../../gateway/access/traffic.ts'
import { introductionTimeoutMs } from '../../protocol/link/pairing-messages.ts'
import type { DeviceOffer } from '../../protocol/rpc/devices.ts'
import {
  ask,
  type Bearer,
  type ClientDesk,
  call,
  openClientDesk,
  overTcp,
  owner,
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

const auth = (token: string) => call('auth', { token }, 'auth')
const tokenOf = ({ authorization }: Bearer) => authorization.slice('Bearer '.length)
const wrong = { authorization: 'Bearer wrong' }

let clock: ManualClock
async function openDesk(options: Parameters<typeof openClientDesk>[0] = {}): Promise<ClientDesk> {
  clock = createManualClock()
  return keep(await openClientDesk({ clock, methods: { echo: (params) => params }, ...options }))
}
/** Elsewhere loopback has one IPv4 address. */
const hasManyAddresses = process.platform === 'linux'
const from = (n: number) => `127.0.0.${n}`

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

describe('pairing codes', () => {
  const offered = async (desk: ClientDesk) => (await desk.owner('devices.offer', {})) as DeviceOffer
  const stateOf = async (desk: ClientDesk, { offerId }: DeviceOffer) =>
    await desk.owner('devices.await', { offerId })

  it.skipIf(!hasManyAddresses)(
    'that are wrong keep their own address out after five, and close nobody’s offer',
    async () => {
      const desk = await openDesk()
      const offer = await offered(desk)
      const guess = async (code: string, n: number) =>
        await (await redeemAt(desk.pairUrl, code, { localAddress: from(n) })).device
      for (let stranger = 2; stranger < 6; stranger++) {
        for (let wrong = 0; wrong < limits.wrongCode.burst; wrong++)
          await expect(guess('0000-0000', stranger)).rejects.toMatchObject({ code: 'unauthorized' })
        // The right one is not looked at either: whoever guesses does not learn that it was.
        await expect(guess(offer.code, stranger)).rejects.toMatchObject({
          code: 'rate_limited',
          details: { retryAfterSec: 60 },
        })
      }
      expect(await stateOf(desk, offer)).toEqual({ state: 'open' })
      const phone = await redeemAt(desk.pairUrl, offer.code, { localAddress: from(9) })
      expect(await phone.digits).toMatch(/^\d{6}$/)
      phone.leave()
      clock.advance(60_000)
      await expect(guess('0000-0000', 2)).rejects.toMatchObject({ code: 'unauthorized' })
      await expect(guess('0000-0000', 2)).rejects.toMatchObject({ code: 'rate_limited' })
    },
  )

  it.skipIf(!hasManyAddresses)('end the offer they were meant for at the fifth, and no other', async () => {
    const desk = await openDesk()
    const [one, other] = [await offered(desk), await offered(desk)]
    const wrongEnd = one.code.endsWith('0000') ? '1111' : '0000'
    for (let n = 0; n < 5; n++) {
      expect(await stateOf(desk, one)).toEqual({ state: 'open' })
      const { device } = await redeemAt(desk.pairUrl, `${one.code.slice(0, 4)}-${wrongEnd}`, {
        localAddress: from(2 + n),
      })
      await expect(device).rejects.toMatchObject({ code: 'unauthorized' })
    }
    expect(await stateOf(desk, one)).toEqual({ state: 'ended', reason: 'wrong-codes' })
    await expect((await redeemAt(desk.pairUrl, one.code)).device).rejects.toMatchObject({
      code: 'unauthorized',
    })
    expect(await stateOf(desk, other)).toEqual({ state: 'open' })
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

  it.skipIf(!hasManyAddresses)(
    'is there for sixteen strangers of one address, who keep no other one out',
    async () => {
      const desk = await openDesk()
      for (let n = 0; n < limits.maxStrangersPerAddress; n++) {
        const stranger = keep(await RawClient.open(desk.port, { localAddress: from(2) }))
        stranger.write(upgradeHead(n % 2 === 0 ? '/rpc' : '/pair'))
        await stranger.until('101 Switching')
      }
      const again = { ...overTcp(desk), localAddress: from(2) }
      await expect(TestSocket.open(again)).rejects.toThrow('HTTP 503')
      await expect(redeemAt(desk.pairUrl, '0000-0000', { localAddress: from(2) })).rejects.toThrow('503')
      keep(await TestSocket.open(again, owner))
      keep(await TestSocket.open({ ...overTcp(desk), localAddress: from(3) }))
      const phone = await desk.pair('phone')
      expect((await ask(desk, phone)).status).toBe(200)
    },
  )

  it.skipIf(!hasManyAddresses)(
    'is there for sixty-four strangers, the sixty-fifth is sent away, and whoever is known gets in',
    async () => {
      const desk = await openDesk()
      const phone = await desk.pair('phone')
      const strangers: RawClient[] = []
      for (let n = 0; n < limits.maxStrangers; n++) {
        const localAddress = from(2 + Math.floor(n / limits.maxStrangersPerAddress))
        const stranger = keep(await RawClient.open(desk.port, { localAddress }))
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
    },
  )

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

  it.skipIf(!hasManyAddresses)(
    'is there for so many sockets of one address, and then for those of another',
    async () => {
      const desk = await openDesk({ limits: { maxSocketsPerAddress: 4 } })
      for (let n = 0; n < 4; n++) keep(await RawClient.open(desk.port, { localAddress: from(2) }))
      await keep(await RawClient.open(desk.port, { localAddress: from(2) })).ended
      expect((await ask(desk, owner)).status).toBe(200)
    },
  )
})

describe('the log', () => {
  it('has one line for a kind of refusal, an address and a minute, and then how many more there were', async () => {
    const desk = await openDesk()
    for (let tries = 0; tries < 40; tries++) await ask(desk, wrong)
    await ask(desk, { ...owner, origin: 'https://evil.example' })
    const refusals = () =>
      desk
        .logged()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg.endsWith('refused'))
        .map(({ reason, address, times }) => [reason, address, times])
    expect(refusals()).toEqual([
      ['unauthorized', '127.0.0.1', undefined],
      ['origin', '127.0.0.1', undefined],
    ])
    clock.advance(60_000)
    expect(refusals().slice(2)).toEqual([['unauthorized', '127.0.0.1', 39]])
  })
})

describe('a gateway that stops', () => {
  it('does not wait for whoever waits for news, and tells them', async () => {
    const desk = await openDesk()
    const { offerId } = (await desk.owner('devices.offer', {})) as DeviceOffer
    await using socket = await TestSocket.open(overTcp(desk), owner)
    socket.send(call('devices.await', { offerId, seen: 'open' }))
    socket.send(call('echo'))
    expect(await socket.next()).toHaveProperty('result')
    // The clock stands still: no time is what it takes.
    await desk.doors.close()
    expect(await socket.next()).toMatchObject({
      error: { code: -32010, message: 'The gateway is shutting down' },
    })
  })
})
