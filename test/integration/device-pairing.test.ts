/** Web and mobile clients: paired, limited to what they were given, listed, revoked; all with real processes. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeviceEntry, DeviceOffer, DeviceOfferState } from '../../protocol/rpc/devices.ts'
import { send, TestSocket } from '../helpers/doors.ts'
import { pairDevice, redeemAt } from '../helpers/paired-device.ts'
import { createRealHome, gatewayProgram, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { runProgram, type ServedGateway, startServedGateway } from '../helpers/served-gateway.ts'

describe.skipIf(whyNoBuild() !== null)('a paired client', () => {
  let home: RealHome
  let gateway: ServedGateway
  let port: number
  let pairUrl: string

  const owner = async (method: string, params: object) => {
    const { result, error } = await gateway.call(method, params)
    if (error !== undefined) throw Object.assign(new Error(error.message), { rpc: error })
    return result
  }
  const devices = async () => ((await owner('devices.list', {})) as { devices: DeviceEntry[] }).devices
  const rpc = async (token: string, method: string, params: object = {}) => {
    const answer = await send(
      { port },
      {
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      },
    )
    return { status: answer.status, ...JSON.parse(answer.text) }
  }

  beforeEach(async () => {
    home = await createRealHome()
    await home.writeClaude({
      sessionId: 's1',
      at: '2026-01-02T00:00:00Z',
      user: 'why does the lighthouse blink',
    })
    gateway = await startServedGateway(home)
    port = Number(new URL(gateway.url).port)
    pairUrl = `${gateway.url.replace(/^http/, 'ws')}/pair`
  })
  afterEach(async () => {
    await gateway[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  it('searches and reads with the token that both sides made, after the owner has said yes', async () => {
    const device = await pairDevice(pairUrl, owner)
    expect(device).toMatchObject({ name: 'Pixel 8', may: ['search', 'read'] })
    const found = await rpc(device.token, 'aiVault.searchSessions', {
      query: 'lighthouse',
      executionHostId: 'all',
      freshness: 'wait-until-current',
    })
    expect(found.result.hits).toHaveLength(1)
    expect(found.result.hits[0]).not.toHaveProperty('resumeCommand')
    const [hit] = found.result.hits
    const read = await rpc(device.token, 'aiVault.readSession', {
      agent: hit.agent,
      sessionId: hit.sessionId,
    })
    expect(read.result.messages[0].text).toContain('lighthouse')
  })

  it('holds no more than it was given, and may administer nothing', async () => {
    const { token } = await pairDevice(pairUrl, owner, { may: ['search'] })
    for (const [method, params] of Object.entries({
      'aiVault.readSession': { agent: 'claude', sessionId: 's1' },
      'devices.list': {},
      'devices.offer': {},
      'devices.revoke': { name: 'Pixel 8' },
      'devices.decide': { offerId: 'x', may: ['search'] },
      'hosts.add': { host: { id: 'ssh:evil' } },
      'hosts.remove': { executionHostId: 'local' },
      'hosts.retry': { executionHostId: 'local' },
      'hosts.invite': { executionHostId: 'runtime:evil' },
    }))
      expect(await rpc(token, method, params), method).toMatchObject({ error: { code: -32002 } })
    expect(await rpc(token, 'hosts.list')).toMatchObject({
      result: { hosts: [{ executionHostId: 'local' }] },
    })
    expect(await devices()).toHaveLength(1)
    expect((await rpc(token, 'caller.describe')).result).toEqual({
      exposure: 'relay',
      device: { name: 'Pixel 8', may: ['search'] },
    })
    expect(await owner('caller.describe', {})).toEqual({ exposure: 'ipc', device: null })
  })

  it('is stored as a hash, known again after a restart, and listed with when it came', async () => {
    const { token } = await pairDevice(pairUrl, owner)
    const file = join(home.dataDir, 'devices.json')
    const stored = await readFile(file, 'utf8')
    expect(stored).not.toContain(token)
    await gateway[Symbol.asyncDispose]()
    gateway = await startServedGateway(home)
    port = Number(new URL(gateway.url).port)
    expect(await rpc(token, 'hosts.list')).toHaveProperty('result')
    expect(await devices()).toMatchObject([
      { name: 'Pixel 8', kind: 'mobile', exposure: 'relay', may: ['search', 'read'], connections: 0 },
    ])
    const { stdout } = await runProgram(gatewayProgram, ['devices', '--json'], home.env)
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, devices: [{ name: 'Pixel 8' }] })
  })

  it('is cut off within a second of being revoked, and told why, on every carrier', async () => {
    const { token } = await pairDevice(pairUrl, owner)
    const kept = await pairDevice(pairUrl, owner)
    expect(kept.name).toBe('Pixel 8-2')
    await using first = await TestSocket.open({ port }, { authorization: `Bearer ${token}` })
    await using second = await TestSocket.open({ port })
    second.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'auth', params: { token } }))
    expect(await second.next()).toMatchObject({ result: { exposure: 'relay' } })
    await using other = await TestSocket.open({ port }, { authorization: `Bearer ${kept.token}` })
    expect((await devices()).map(({ connections }) => connections)).toEqual([2, 1])

    const beganMs = performance.now()
    const { exitCode, stderr } = await runProgram(gatewayProgram, ['devices', 'revoke', 'Pixel 8'], home.env)
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Pixel 8 is not paired any more. Closed: 2 connections.\n',
    })
    for (const socket of [first, second])
      expect(await socket.closed).toEqual({ code: 1008, reason: 'revoked' })
    // The command's own start is in it.
    expect(performance.now() - beganMs).toBeLessThan(3_000)
    expect(await rpc(token, 'hosts.list')).toMatchObject({
      status: 401,
      error: { code: -32001, data: { reason: 'revoked' } },
    })
    other.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hosts.list' }))
    expect(await other.next()).toHaveProperty('result')
  })

  it('gets nothing when the owner says no', async () => {
    const { offerId, code } = (await owner('devices.offer', {})) as DeviceOffer
    const { device, digits } = await redeemAt(pairUrl, code)
    await digits
    await owner('devices.await', { offerId, seen: 'open' })
    await owner('devices.decide', { offerId, may: null })
    await expect(device).rejects.toMatchObject({ code: 'forbidden' })
    expect(await devices()).toEqual([])
  })

  it('needs a code that is open: a used one and a wrong one get it nowhere, and close nobody’s offer', async () => {
    const { code } = (await owner('devices.offer', {})) as DeviceOffer
    const first = await redeemAt(pairUrl, code.toLowerCase().replace('-', ' '))
    await first.digits
    const again = await redeemAt(pairUrl, code)
    await expect(again.device).rejects.toMatchObject({ code: 'unauthorized' })
    first.leave()

    const { code: next } = (await owner('devices.offer', {})) as DeviceOffer
    for (let tries = 0; tries < 3; tries++)
      await expect((await redeemAt(pairUrl, '0000-0000')).device).rejects.toMatchObject({
        code: 'unauthorized',
      })
    const second = await redeemAt(pairUrl, next)
    expect(await second.digits).toMatch(/^\d{6}$/)
    second.leave()
  })

  it('shows other digits to whoever took the code first, so that the owner can tell', async () => {
    const { offerId, code } = (await owner('devices.offer', {})) as DeviceOffer
    const thief = await redeemAt(pairUrl, code, { name: 'Pixel 8' })
    await thief.digits
    const state = (await owner('devices.await', { offerId, seen: 'open' })) as DeviceOfferState
    const onScreen = state.state === 'asking' ? state.request.digits : ''
    const phone = await redeemAt(pairUrl, code, { name: 'Pixel 8' })
    await expect(phone.device).rejects.toMatchObject({ code: 'unauthorized' })
    expect(onScreen).toBe(await thief.digits)
    thief.leave()
    expect(await owner('devices.await', { offerId, seen: 'asking' })).toEqual({
      state: 'ended',
      reason: 'left',
    })
    await expect(owner('devices.decide', { offerId, may: ['search'] })).rejects.toThrow()
    expect(await devices()).toEqual([])
  })

  it('refuses to pair a page of another origin, and one that knows this machine by a foreign name', async () => {
    const { code } = (await owner('devices.offer', {})) as DeviceOffer
    for (const headers of [{ origin: 'https://evil.example' }, { host: 'evil.example' }])
      await expect(redeemAt(pairUrl, code, { headers })).rejects.toThrow('403')
  })
})
