import * as crypto from 'node:crypto'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { dialPorts, openRuntimeLink } from '../../gateway/hosts/runtime.ts'
import { showPairs, unpair } from '../../host-agent/command/pair.ts'
import { systemClock } from '../../protocol/clock.ts'
import { parseOffer } from '../../protocol/link/offer.ts'
import { redeemOffer } from '../../protocol/link/redeem-offer.ts'
import { makeTlsKey, tlsIdentityOf } from '../../protocol/link/tls-identity.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { runCommand } from '../helpers/command.ts'
import { createManualClock } from '../helpers/manual-clock.ts'
import { offerOf, openTestPort, pairCommand, tempDir } from '../helpers/runtime-desk.ts'

const never = new AbortController().signal

async function redeem(text: string, name = 'desk') {
  const offer = parseOffer(text)
  if (offer === null) throw new Error('no offer')
  return await redeemOffer({
    offer,
    name,
    ports: dialPorts,
    clock: systemClock,
    signal: never,
    createId: crypto.randomUUID,
  })
}

async function link(where: { url: string; pin?: string; token: string }) {
  const channel = await openRuntimeLink({ ...where, clock: systemClock })(never)
  let closed: (cause: Error | null) => void = () => {}
  const ended = new Promise<Error | null>((resolve) => {
    closed = resolve
  })
  const connection = openConnection(channel, {
    methods: new Map(),
    maxMessageBytes: maxPeerMessageBytes,
    createId: crypto.randomUUID,
    onClosed: closed,
  })
  return { connection, ended, ask: async () => await connection.call('who', {}, { timeoutMs: 5_000 }) }
}

describe('trawl-agent listen --tls', () => {
  it('makes its key on the first start, closed to others, and keeps it', async () => {
    await using dir = await tempDir()
    const first = await openTestPort(dir.path)
    await first[Symbol.asyncDispose]()
    expect((await stat(join(dir.path, 'agent-key.pem'))).mode & 0o777).toBe(0o600)
    await using second = await openTestPort(dir.path)
    expect(second.pin).toBe(first.pin)
    expect(second.url).toMatch(/^wss:/)
  })

  it('takes TLS for granted beyond this machine, and refuses a second agent with the same data directory', async () => {
    await using dir = await tempDir()
    await using open = await openTestPort(dir.path, ['--insecure'])
    expect(open.url).toMatch(/^ws:/)
    await expect(openTestPort(dir.path)).rejects.toThrow('Another trawl-agent listens')
  })

  it('shows no token to a host whose key changed', async () => {
    const other = tlsIdentityOf(makeTlsKey(crypto), { commonName: 'x', nowMs: Date.now() }, crypto)
    if (other === null) throw new Error('no identity')
    const heard: Buffer[] = []
    const impostor = createServer({ key: other.key, cert: other.cert }, (socket) => {
      socket.on('error', () => {})
      socket.on('data', (bytes: Buffer) => void heard.push(bytes))
    })
    await new Promise<void>((resolve) => impostor.listen(0, '127.0.0.1', resolve))
    const { port } = impostor.address() as { port: number }
    impostor.on('tlsClientError', () => {})
    const gone = new Promise((resolve) => impostor.once('connection', (raw) => raw.once('close', resolve)))
    const { publicKey } = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const der = publicKey.export({ type: 'spki', format: 'der' })
    const pin = `sha256/${crypto.createHash('sha256').update(der).digest('base64')}`
    await expect(
      link({ url: `wss://127.0.0.1:${port}/rpc`, pin, token: 'planted-token' }),
    ).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'host-key' },
      message: expect.stringContaining('host key changed'),
    })
    await gone
    expect(Buffer.concat(heard).toString('latin1')).toBe('')
    await new Promise((resolve) => impostor.close(resolve))
  })

  it('is not trusted by a gateway that has no pin', async () => {
    await using dir = await tempDir()
    await using open = await openTestPort(dir.path)
    await expect(link({ url: open.url, token: 'x' })).rejects.toMatchObject({ code: 'unreachable' })
  })
})

describe('trawl-agent pair', () => {
  it('gives a gateway a token of its own, once, and stores its hash alone', async () => {
    await using dir = await tempDir()
    await using open = await openTestPort(dir.path)
    const offer = await offerOf(dir.path)
    const paired = await redeem(offer)
    expect(paired).toMatchObject({ url: open.url, pin: open.pin, name: 'desk' })
    expect(Buffer.from(paired.token, 'base64url').length).toBeGreaterThanOrEqual(32)
    const { connection, ask } = await link(paired)
    expect(await ask()).toBe('relay')
    await connection.close()

    await expect(redeem(offer)).rejects.toMatchObject({ code: 'unauthorized' })
    await open[Symbol.asyncDispose]()
    for (const name of await readdir(dir.path)) {
      expect(await readFile(join(dir.path, name), 'utf8')).not.toContain(paired.token)
    }
    const command = pairCommand(dir.path)
    await showPairs(command, true)
    expect(JSON.parse(command.printed.join(''))).toEqual({
      schemaVersion: 1,
      pairs: [{ name: 'desk', createdAt: expect.any(Number), lastSeenAt: expect.any(Number) }],
      dialled: [],
    })
  })

  it('has no offer closed by whoever guesses: a secret of 160 bits is not found', async () => {
    await using dir = await tempDir()
    await using _open = await openTestPort(dir.path)
    const text = await offerOf(dir.path)
    const offer = parseOffer(text)
    if (offer === null) throw new Error('no offer')
    const guess = { offer: { ...offer, secret: 'A'.repeat(27) }, name: 'x', ports: dialPorts }
    for (let wrong = 0; wrong < 6; wrong++)
      await expect(
        redeemOffer({ ...guess, clock: systemClock, signal: never, createId: crypto.randomUUID }),
      ).rejects.toMatchObject({ code: 'unauthorized' })
    expect(await redeem(text)).toMatchObject({ token: expect.any(String) })
  })

  it('makes offers that outlive neither five minutes nor the agent', async () => {
    await using dir = await tempDir()
    const clock = createManualClock(Date.now())
    const first = await openTestPort(dir.path, ['--tls'], clock)
    const late = await offerOf(dir.path)
    clock.advance(300_000)
    await expect(redeem(late)).rejects.toMatchObject({ code: 'unauthorized' })
    const orphan = await offerOf(dir.path)
    await first[Symbol.asyncDispose]()
    await using second = await openTestPort(dir.path)
    const moved = parseOffer(orphan)
    if (moved === null) throw new Error('no offer')
    // The same agent, key and all, at whatever port it has now.
    const urls = [second.url.replace('/rpc', '/pair')]
    await expect(
      redeemOffer({
        offer: { ...moved, urls },
        name: 'x',
        ports: dialPorts,
        clock: systemClock,
        signal: never,
        createId: crypto.randomUUID,
      }),
    ).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('makes none where the link could be read, or nobody listens', async () => {
    await using dir = await tempDir()
    await expect(offerOf(dir.path)).rejects.toThrow('No agent listens here')
    await using open = await openTestPort(dir.path, [])
    await expect(offerOf(dir.path)).rejects.toMatchObject({ code: 'unsupported' })
    const socket = new WebSocket(open.url.replace('/rpc', '/pair'))
    const status = await new Promise((resolve) =>
      socket.on('error', () => {}).once('unexpected-response', (_, response) => resolve(response.statusCode)),
    )
    expect(status).toBe(404)
    socket.terminate()
  })
})

describe('trawl-agent unpair', () => {
  it('cuts the links of that gateway within a second, and leaves the others', async () => {
    await using dir = await tempDir()
    await using _open = await openTestPort(dir.path)
    const desk = await redeem(await offerOf(dir.path), 'desk')
    const other = await redeem(await offerOf(dir.path), 'other')
    const deskLink = await link(desk)
    const otherLink = await link(other)
    await deskLink.ask()
    const startedMs = performance.now()
    await unpair(pairCommand(dir.path), 'desk')
    await deskLink.ended
    expect(performance.now() - startedMs).toBeLessThan(1_000)
    expect(await otherLink.ask()).toBe('relay')
    await expect(link(desk)).rejects.toMatchObject({ details: { reason: 'auth-failed' } })
    await expect(unpair(pairCommand(dir.path), 'desk')).rejects.toThrow('No gateway is paired')
    await otherLink.connection.close()
  })
})

describe('trawl hosts add runtime:NAME OFFER', () => {
  it('says where it looked, and what to do, when the host is not found', async () => {
    await using dir = await tempDir()
    await using open = await openTestPort(dir.path)
    const offer = await offerOf(dir.path)
    await open[Symbol.asyncDispose]()
    await using gatewayDir = await tempDir()
    const run = await runCommand(['hosts', 'add', 'runtime:ci', offer], {
      dataDir: gatewayDir.path,
      env: { TRAWL_CONFIG: join(gatewayDir.path, 'config.toml') },
    })
    expect(run.exitCode).toBe(69)
    expect(run.stderr).toContain(`not found at ${open.url.replace('/rpc', '/pair')}: connect ECONNREFUSED`)
    expect(run.stderr).toContain('trawl-agent pair --url')
    expect(await readdir(gatewayDir.path)).toEqual([])
  })

  it('pairs, saves host, pin and token, and refuses the offer’s second use and its wrong reader', async () => {
    await using agentDir = await tempDir()
    await using gatewayDir = await tempDir()
    await using open = await openTestPort(agentDir.path)
    const configDir = join(gatewayDir.path, 'config')
    const config = join(configDir, 'config.toml')
    await mkdir(configDir)
    const env = { TRAWL_CONFIG: config }
    const offer = await offerOf(agentDir.path)
    const run = async (...args: string[]) => await runCommand(args, { dataDir: gatewayDir.path, env })
    const added = await run('hosts', 'add', 'runtime:ci', offer, '--name', 'my desk')
    expect(added).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await readFile(config, 'utf8')).toBe(
      `[[hosts]]\nid = "runtime:ci"\nurl = "${open.url}"\npin = "${open.pin}"\ntokenFile = "ci.token"\n`,
    )
    expect((await stat(join(configDir, 'ci.token'))).mode & 0o777).toBe(0o600)
    const token = (await readFile(join(configDir, 'ci.token'), 'utf8')).trim()
    const { connection, ask } = await link({ url: open.url, pin: open.pin, token })
    expect(await ask()).toBe('relay')
    await connection.close()
    const command = pairCommand(agentDir.path)
    await showPairs(command, false)
    expect(command.printed.join('')).toMatch(/^my desk\tpaired .*\tseen /)

    expect((await run('hosts', 'add', 'runtime:other', offer)).stderr).toContain('That offer is not open')
    expect((await run('hosts', 'add', 'runtime:ci', await offerOf(agentDir.path))).exitCode).toBe(64)
    expect((await run('hosts', 'add', 'runtime:x', 'trawl-pair.xyz')).exitCode).toBe(64)
    expect(await readFile(config, 'utf8')).not.toContain('other')
  })
})
