/** Beyond loopback: TLS without a word about it, plain only with a flag that says what it means; real `trawl serve`s. */
import { spawn } from 'node:child_process'
import * as crypto from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect, type DetailedPeerCertificate } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatKeyPin } from '../../protocol/link/key-pin.ts'
import { makeTlsKey, tlsIdentityOf } from '../../protocol/link/tls-identity.ts'
import type { DeviceOffer } from '../../protocol/rpc/devices.ts'
import { pairDevice } from '../helpers/paired-device.ts'
import {
  createRealHome,
  end,
  firstMatch,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram, type ServedGateway, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

/** One by which this machine reaches itself as others would, where it has one. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address
const address = ownAddress ?? '127.0.0.1'

describe.skipIf(whyNoBuild() !== null)('a gateway that listens beyond loopback', () => {
  let home: RealHome
  let gateway: ServedGateway | null = null
  beforeEach(async () => {
    home = await createRealHome()
  })
  afterEach(async () => {
    await gateway?.[Symbol.asyncDispose]()
    gateway = null
    await home[Symbol.asyncDispose]()
  })

  async function serve() {
    const started = await startServedGateway(home, {}, ['--listen', '0.0.0.0:0'])
    gateway = started
    const port = Number(new URL(started.url).port)
    const owner = async (method: string, params: object) => {
      const { result, error } = await started.call(method, params)
      if (error !== undefined) throw new Error(error.message)
      return result
    }
    return { ...started, port, owner }
  }

  const health = (
    protocol: 'http' | 'https',
    port: number,
    host = `${address}:${port}`,
  ): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const ask = protocol === 'http' ? plainRequest : tlsRequest
      const options = {
        host: address,
        port,
        path: '/health',
        agent: false as const,
        rejectUnauthorized: false,
      }
      ask({ ...options, headers: { host } }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      })
        .on('error', reject)
        .end()
    })

  const handshake = (port: number, options: ConnectionOptions = {}): Promise<DetailedPeerCertificate> =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, rejectUnauthorized: false, ...options }, () => {
        resolve(socket.getPeerCertificate(true))
        socket.destroy()
      })
      socket.once('error', reject)
    })
  const pinOf = ({ raw }: DetailedPeerCertificate) => {
    const { publicKey } = new crypto.X509Certificate(raw)
    const spki = publicKey.export({ type: 'spki', format: 'der' })
    return formatKeyPin(crypto.createHash('sha256').update(spki).digest())
  }

  it('speaks TLS alone, with the key that pairing names, and lets a client pair and ask', async () => {
    const { url, port, owner } = await serve()
    expect(url).toMatch(/^https:\/\/0\.0\.0\.0:/)
    // Which program answers, and which version of it, is for this machine alone.
    expect(await health('https', port)).toEqual({ status: 200, text: '{"status":"ok"}' })
    await expect(health('http', port)).rejects.toThrow()
    await expect(handshake(port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow()
    const { links, isReachable } = (await owner('devices.offer', {})) as DeviceOffer
    expect(isReachable).toBe(true)
    const pins = links.map((link) => new URLSearchParams(new URL(link).hash.slice(1)).get('pin'))
    expect(new Set(pins)).toEqual(new Set([pinOf(await handshake(port))]))
    if (ownAddress !== undefined)
      expect(links.map((link) => new URL(link).origin)).toContain(`https://${ownAddress}:${port}`)
    const device = await pairDevice(`wss://${address}:${port}/pair`, owner)
    expect(device.gatewayPin).toBe(pins[0])
    for (const host of ['evil.example', '0.0.0.0', `[::]:${port}`])
      expect((await health('https', port, host)).status).toBe(403)
  })

  /** Writes a new certificate of that name where the configuration has it. */
  async function writeCertificate(commonName: string) {
    const identity = tlsIdentityOf(makeTlsKey(crypto), { commonName, nowMs: Date.now() }, crypto)
    if (identity === null) throw new Error('no identity')
    const files = { certFile: join(home.homeDir, 'cert.pem'), keyFile: join(home.homeDir, 'key.pem') }
    await writeFile(files.certFile, identity.cert)
    await writeFile(files.keyFile, identity.key, { mode: 0o600 })
    const toml = `[tls]\ncertFile = "${files.certFile}"\nkeyFile = "${files.keyFile}"\n`
    home.env.TRAWL_CONFIG = await writeConfig(home, toml)
    return { ...identity, ...files }
  }

  it('shows the certificate of the configuration where there is one', async () => {
    const identity = await writeCertificate('mine')
    const { port, owner } = await serve()
    const shown = await handshake(port)
    expect(shown.subject.CN).toBe('mine')
    expect(pinOf(shown)).toBe(identity.pin)
    expect((await pairDevice(`wss://${address}:${port}/pair`, owner)).gatewayPin).toBe(identity.pin)
  })

  it('shows a certificate that was renewed after SIGHUP, and the old one while the new one cannot be used', async () => {
    const { keyFile } = await writeCertificate('old')
    const { port, owner, child } = await serve()
    await writeFile(keyFile, 'x')
    const told = firstMatch(child, /key\.pem is no private key in PEM/)
    child.kill('SIGHUP')
    await told
    expect((await handshake(port)).subject.CN).toBe('old')

    const renewed = await writeCertificate('renewed')
    const read = firstMatch(child, /certificate read again/)
    child.kill('SIGHUP')
    await read
    expect((await handshake(port)).subject.CN).toBe('renewed')
    expect((await pairDevice(`wss://${address}:${port}/pair`, owner)).gatewayPin).toBe(renewed.pin)
    await expect(handshake(port, { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toThrow()
  })

  it('says what is wrong with a certificate, and opens no door', async () => {
    const toml = `[tls]\ncertFile = "none.pem"\nkeyFile = "none.pem"\n`
    home.env.TRAWL_CONFIG = await writeConfig(home, toml)
    const run = await runProgram(gatewayProgram, ['serve', '--listen', '0.0.0.0:0'], home.env)
    expect(run.exitCode).not.toBe(0)
    expect(run.stderr).toMatch(/tls\.certFile .*none\.pem cannot be read \(ENOENT\)/)
    expect(run.stderr).not.toContain('Listening')
  })

  it('is plain with --insecure alone, which says what that means', async () => {
    const args = [gatewayProgram, 'serve', '--listen', '0.0.0.0:0', '--insecure']
    const child = spawn(process.execPath, args, { env: home.env, stdio: ['ignore', 'ignore', 'pipe'] })
    const [url, said] = await Promise.all([
      firstMatch(child, /Listening on (\S+)/),
      firstMatch(child, /^Not encrypted.*/),
    ])
    expect(said).toMatch(/as --insecure asks: .* can read the tokens .* Without the flag it is TLS\./)
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:/)
    expect((await health('http', Number(new URL(url).port))).status).toBe(200)
    await end(child)
  })
})
