import * as crypto from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTlsKey, type TlsIdentity, tlsIdentityOf } from '../../protocol/link/tls-identity.ts'
import { createManualClock } from '../../test/helpers/manual-clock.ts'
import { refuseOrigin } from '../access/origin.ts'
import { openClientAccess } from './client-access.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'trawl-access-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const open = async (host: string, more: { tls?: Files; publicUrls?: string[]; isInsecure?: boolean } = {}) =>
  await openClientAccess({
    config: { publicUrls: more.publicUrls ?? [], tls: more.tls ?? null },
    listen: { host, port: 7717 },
    isInsecure: more.isInsecure ?? false,
    dataDir,
    clock: createManualClock(),
    createId: () => 'id',
  })

interface Files {
  readonly certFile: string
  readonly keyFile: string
}

function makeIdentity(): TlsIdentity {
  const identity = tlsIdentityOf(makeTlsKey(crypto), { commonName: 'x', nowMs: Date.now() }, crypto)
  if (identity === null) throw new Error('no identity')
  return identity
}

function write(cert: string, key: string): Files {
  const files = { certFile: join(dataDir, 'cert.pem'), keyFile: join(dataDir, 'key.pem') }
  writeFileSync(files.certFile, cert)
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  return files
}

describe('openClientAccess', () => {
  it.each(['127.0.0.1', 'localhost', '::1'])('is plain on %s', async (host) => {
    expect((await open(host)).tls).toBeNull()
  })

  it.each(['0.0.0.0', '::', '192.0.2.2', 'desk'])(
    'is TLS on %s with the gateway’s own key, and plain only where that was asked for',
    async (host) => {
      const { tls } = await open(host)
      expect(new crypto.X509Certificate(tls?.cert ?? '').publicKey.asymmetricKeyType).toBe('ec')
      expect((await open(host, { isInsecure: true })).tls).toBeNull()
      // The same key after a restart: it is what clients know the gateway by.
      expect((await open(host)).tls?.key).toBe(tls?.key)
    },
  )

  it('takes the certificate of the configuration, on loopback too, and names its key in what clients scan', async () => {
    const identity = makeIdentity()
    const tls = write(identity.cert, identity.key)
    const access = await open('127.0.0.1', { tls })
    expect(access.tls).toEqual({ cert: identity.cert, key: identity.key })
    const [link = ''] = access.offers.offer(undefined).links
    expect(new URLSearchParams(new URL(link).hash.slice(1)).get('pin')).toBe(identity.pin)
  })

  it('says what is wrong with a certificate, a key, or the two together', async () => {
    const [one, other] = [makeIdentity(), makeIdentity()]
    await expect(open('::1', { tls: write(one.cert, other.key) })).rejects.toThrow(/is not the key of/)
    await expect(open('::1', { tls: write('x', one.key) })).rejects.toThrow(/is no certificate in PEM/)
    await expect(open('::1', { tls: write(one.cert, 'x') })).rejects.toThrow(/is no private key in PEM/)
    const tls = { certFile: join(dataDir, 'none.pem'), keyFile: join(dataDir, 'none.pem') }
    await expect(open('::1', { tls })).rejects.toThrow(/none\.pem cannot be read \(ENOENT\)/)
  })

  it('answers beyond loopback under addresses and its own name, and under no address that nobody can mean', async () => {
    const { names } = await open('0.0.0.0', { publicUrls: ['https://trawl.example'] })
    const refused = (host: string) => refuseOrigin({ host, origin: undefined }, names)
    for (const host of ['192.0.2.2:7717', '[fd00::2]:7717', 'trawl.example', 'localhost'])
      expect(refused(host)).toBeNull()
    for (const host of ['0.0.0.0:7717', '[::]:7717', 'evil.example'])
      expect(refused(host), host).not.toBeNull()
    const { names: onLoopback } = await open('127.0.0.1')
    expect(refuseOrigin({ host: '192.0.2.2:7717', origin: undefined }, onLoopback)).not.toBeNull()
    const { names: byName } = await open('Desk')
    expect(refuseOrigin({ host: 'desk:7717', origin: 'https://desk:7717' }, byName)).toBeNull()
  })
})
