/** `trawl/client` as a program has it: a real gateway, real agents, and every carrier. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type PartialAnswer, pair, type TrawlClient } from '../../gateway/client/node.ts'
import type { DeviceOffer, DeviceOfferState } from '../../protocol/rpc/devices.ts'
import {
  createRealHome,
  type ListeningAgent,
  type RealHome,
  startListeningAgent,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { type ServedGateway, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

const at = (day: number) => `2026-01-${String(day).padStart(2, '0')}T00:00:00Z`

describe.skipIf(whyNoBuild() !== null)('the client', () => {
  let home: RealHome
  let ci: RealHome
  let agent: ListeningAgent
  let gateway: ServedGateway
  let token: string

  beforeAll(async () => {
    home = await createRealHome('laptop')
    ci = await createRealHome('ci')
    for (const day of [1, 3, 5, 7]) {
      await home.writeClaude({ sessionId: `laptop-${day}`, at: at(day), user: `the lighthouse, day ${day}` })
      await ci.writeClaude({
        sessionId: `ci-${day + 1}`,
        at: at(day + 1),
        user: `a lighthouse on ${day + 1}`,
      })
    }
    agent = await startListeningAgent(ci)
    await writeConfig(
      home,
      `[[hosts]]\nid = "runtime:ci"\nurl = "${agent.url}"\ntoken = "${agent.peerToken}"\n` +
        `[[hosts]]\nid = "runtime:gone"\nurl = "ws://127.0.0.1:1/rpc"\ntoken = "x"\n`,
    )
    gateway = await startServedGateway(home, { TRAWL_CONFIG: join(home.homeDir, 'config.toml') })
    token = (await readFile(join(home.dataDir, 'token'), 'utf8')).trim()
    await using trawl = await connect({ socketPath: gateway.socketPath })
    for (const executionHostId of ['local', 'runtime:ci'])
      await trawl.search({ query: 'lighthouse', executionHostId, freshness: 'wait-until-current' })
  }, 60_000)

  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]()
    await agent?.[Symbol.asyncDispose]()
    await home?.[Symbol.asyncDispose]()
    await ci?.[Symbol.asyncDispose]()
  })

  const webSocketUrl = () => gateway.url.replace(/^http/, 'ws')
  const carriers: [string, () => Promise<TrawlClient>][] = [
    ['WebSocket', async () => await connect({ url: webSocketUrl(), token })],
    ['HTTP', async () => await connect({ url: gateway.url, token })],
    ['the Unix socket', async () => await connect({ socketPath: gateway.socketPath })],
    [
      'WebSocket over the Unix socket',
      async () => await connect({ socketPath: gateway.socketPath, carrier: 'websocket' }),
    ],
  ]

  describe.each(carriers)('over %s', (name, open) => {
    it('says what became of every host', async () => {
      await using trawl = await open()
      const answer = await trawl.search({ query: 'lighthouse', executionHostId: 'all' })
      expect(answer.kind === 'results' && answer.hits.length).toBe(8)
      expect(answer.hosts.map(({ executionHostId, outcome }) => [executionHostId, outcome])).toEqual([
        ['local', 'results'],
        ['runtime:ci', 'results'],
        ['runtime:gone', 'unreachable'],
      ])
      expect(answer.isComplete).toBe(false)
    })

    it('makes one leg of a single host, a refusal as well', async () => {
      await using trawl = await open()
      const found = await trawl.search({ query: 'lighthouse', executionHostId: 'runtime:ci' })
      expect(found).toMatchObject({
        kind: 'results',
        isComplete: true,
        hosts: [{ executionHostId: 'runtime:ci', outcome: 'results' }],
      })
      const refused = await trawl.search({ query: 'lighthouse', cursor: 'no cursor' })
      expect(refused).toMatchObject({
        kind: 'malformed-cursor',
        isComplete: false,
        hosts: [{ executionHostId: 'local', outcome: 'malformed-cursor' }],
      })
      const ofAll = await trawl.search({ query: 'x', executionHostId: 'all', cursor: 'no cursor' })
      expect(ofAll).toMatchObject({ kind: 'malformed-cursor', hosts: [], isComplete: false })
    })

    it('does not say that a host holds nothing that host: has left out', async () => {
      await using trawl = await open()
      const answer = await trawl.search({ query: 'lighthouse host:ci', executionHostId: 'local' })
      expect(answer).toMatchObject({ kind: 'results', hits: [], hosts: [], isComplete: false })
    })

    it('pages to the end, each hit once and in order', async () => {
      await using trawl = await open()
      const ids: string[] = []
      for await (const page of trawl.pages({ query: 'lighthouse', executionHostId: 'all', limit: 3 })) {
        expect(page.hosts.length).toBeGreaterThan(0)
        if (page.kind !== 'results') throw new Error(page.kind)
        ids.push(...page.hits.map(({ sessionId }) => sessionId))
      }
      expect(ids).toEqual(['ci-8', 'laptop-7', 'ci-6', 'laptop-5', 'ci-4', 'laptop-3', 'ci-2', 'laptop-1'])
    })

    it('tells each host, then the answer', async () => {
      await using trawl = await open()
      const parts: PartialAnswer[] = []
      for await (const part of trawl.partial({ query: 'lighthouse', executionHostId: 'all' }))
        parts.push(part)
      const legs = parts.flatMap((part) => (part.kind === 'leg' ? [part] : []))
      expect(legs.map(({ leg, hits }) => [leg.executionHostId, hits.length]).sort()).toEqual([
        ['local', 4],
        ['runtime:ci', 4],
        ['runtime:gone', 0],
      ])
      expect(parts.at(-1)).toMatchObject({ kind: 'answer', answer: { kind: 'results' } })
      expect(parts).toHaveLength(4)
    })

    it('asks for states, transcripts and whatever else the table has', async () => {
      await using trawl = await open()
      expect((await trawl.hosts()).map((host) => host.executionHostId)).toContain('runtime:gone')
      expect((await trawl.status('runtime:ci')).filesIndexed).toBe(4)
      expect((await trawl.describe()).executionHostId).toBe('local')
      const read = await trawl.readSession({ agent: 'claude', sessionId: 'laptop-1' })
      expect(read.kind === 'messages' && read.messages[0]?.text).toBe('the lighthouse, day 1')
      expect(await trawl.call('devices.list', {})).toEqual({ devices: [] })
      await expect(trawl.search({ query: 'x', executionHostId: 'runtime:none' })).rejects.toMatchObject({
        name: 'TrawlError',
        code: 'unknown_host',
      })
      await expect(trawl.status('runtime:gone')).rejects.toMatchObject({
        code: 'unreachable',
        details: { reason: 'offline' },
      })
    })

    it('ends with the reason that it was closed here, and does not answer then', async () => {
      const trawl = await open()
      expect(trawl.state.kind, name).toBe('ready')
      await trawl.close()
      expect(await trawl.closed).toMatchObject({ why: 'left' })
      await expect(trawl.hosts()).rejects.toMatchObject({ code: 'unreachable' })
    })
  })

  it.each([
    ['WebSocket', 'wrong', webSocketUrl],
    ['WebSocket', undefined, webSocketUrl],
    ['HTTP', 'wrong', () => gateway.url],
    ['HTTP', undefined, () => gateway.url],
  ])('is refused over %s with the token %s', async (_name, wrong, url) => {
    const options = wrong === undefined ? { url: url() } : { url: url(), token: wrong }
    await expect(connect(options)).rejects.toMatchObject({ name: 'TrawlError', code: 'unauthorized' })
  })

  it('pairs, searches as the paired device, and is told when it is revoked', async () => {
    await using owner = await connect({ socketPath: gateway.socketPath })
    const offer: DeviceOffer = await owner.call('devices.offer', {})
    let shown = ''
    const pairing = pair({
      url: gateway.url,
      code: offer.code.toLowerCase(),
      name: 'Pixel 8',
      kind: 'mobile',
      onDigits: (digits) => {
        shown = digits
      },
    })
    const { offerId } = offer
    let state: DeviceOfferState = { state: 'open' }
    while (state.state === 'open') state = await owner.call('devices.await', { offerId, seen: 'open' })
    if (state.state !== 'asking') throw new Error(state.state)
    await owner.call('devices.decide', { offerId, may: ['search'] })
    const device = await pairing
    expect(device).toMatchObject({ name: 'Pixel 8', may: ['search'] })
    expect(shown).toBe(state.request.digits)

    const trawl = await connect({ url: webSocketUrl(), token: device.token })
    expect((await trawl.search({ query: 'lighthouse' })).kind).toBe('results')
    await expect(trawl.call('devices.list', {})).rejects.toMatchObject({ code: 'forbidden' })
    const states: string[] = []
    trawl.onState(({ kind }) => states.push(kind))
    await owner.call('devices.revoke', { name: 'Pixel 8' })
    expect(await trawl.closed).toMatchObject({ why: 'revoked', error: { code: 'unauthorized' } })
    // It is not asked again.
    expect(states).toEqual(['closed'])
    await expect(trawl.hosts()).rejects.toMatchObject({ code: 'unauthorized' })
    for (const url of [webSocketUrl(), gateway.url])
      await expect(connect({ url, token: device.token })).rejects.toMatchObject({
        code: 'unauthorized',
        details: { reason: 'revoked' },
      })
  })

  it('is told that nobody has made that code', async () => {
    const options = { url: gateway.url, code: 'AAAA-AAAA', name: 'x', onDigits: () => {} }
    await expect(pair(options)).rejects.toMatchObject({ code: 'unauthorized' })
  })
})
