import { describe, expect, it } from 'vitest'
import { isFromThisMachine, loopbackOnly, refuseOrigin } from './origin.ts'

const ok = 'localhost:7717'

describe('refuseOrigin', () => {
  it.each([
    'localhost',
    'LOCALHOST:7717',
    '127.0.0.1:7717',
    '127.1.2.3',
    '[::1]:7717',
    'trawl.localhost:7717',
  ])('lets the loopback name %s pass', (host) => expect(refuseOrigin({ host, origin: undefined })).toBeNull())

  it.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example#@localhost',
    'user@localhost',
    '192.168.1.2:7717',
    '0.0.0.0:7717',
    'notlocalhost',
  ])('refuses the Host %j', (host) => expect(refuseOrigin({ host, origin: undefined })).toContain('loopback'))

  it.each(['http://localhost:3000', 'http://127.0.0.1:7717', 'http://[::1]:7717', 'https://localhost'])(
    'lets the page %s call',
    (origin) => expect(refuseOrigin({ host: ok, origin })).toBeNull(),
  )

  it.each([
    'null',
    '',
    'https://evil.example',
    'https://localhost.evil.example',
    'file://',
    'http://me:pw@localhost',
  ])('refuses the Origin %j', (origin) =>
    expect(refuseOrigin({ host: ok, origin })).toContain('other origins'),
  )
})

describe('refuseOrigin beyond loopback', () => {
  const known = {
    names: ['trawl.example', 'desk', 'desk.local'],
    mayBeAddress: true,
    origins: ['https://trawl.example'],
  }
  const refusal = (host: string, origin?: string) => refuseOrigin({ host, origin }, known)

  it.each([
    'trawl.example',
    'TRAWL.example:443',
    'desk:7717',
    'desk.local:7717',
    '192.168.1.5:7717',
    '[fd00::1]:7717',
    'localhost:7717',
  ])('answers under %s', (host) => expect(refusal(host)).toBeNull())

  it.each([
    'evil.example',
    'trawl.example.evil.example',
    '0.0.0.0:7717',
    '[::]:7717',
    '',
    '192.168.1.5.evil.example',
  ])('does not answer under %j, which a page may have been made to mean this machine', (host) =>
    expect(refusal(host)).toContain('does not answer under that name'),
  )

  it('lets its own page call, by every name, and the pages it was told of', () => {
    expect(refusal('192.168.1.5:7717', 'https://192.168.1.5:7717')).toBeNull()
    expect(refusal('desk:7717', 'https://desk:7717')).toBeNull()
    expect(refusal('localhost:7717', 'https://trawl.example')).toBeNull()
  })

  it('refuses another page, one on another port of the same machine too', () => {
    expect(refusal('192.168.1.5:7717', 'http://192.168.1.5:3000')).toContain('other origins')
    expect(refusal('trawl.example', 'https://evil.example')).toContain('other origins')
    expect(refusal('trawl.example', 'http://trawl.example:8080')).toContain('other origins')
    expect(refusal('trawl.example', 'null')).toContain('other origins')
  })
})

describe('isFromThisMachine', () => {
  const near = { host: 'localhost:7717', address: '127.0.0.1', isForwarded: false }

  it.each([near, { ...near, address: '::ffff:127.0.0.1' }, { ...near, address: '::1', host: '[::1]:7717' }])(
    'believes %j',
    (request) => {
      expect(isFromThisMachine(request)).toBe(true)
    },
  )

  it.each([
    { ...near, address: '192.0.2.1' },
    { ...near, address: '2001:db8::1' },
    { ...near, address: '' },
    { ...near, host: 'desk.example' },
    { ...near, host: '192.0.2.1:7717' },
    { ...near, host: undefined },
    { ...near, isForwarded: true },
  ])('does not believe %j', (request) => {
    expect(isFromThisMachine(request)).toBe(false)
  })

  it('believes nobody where a proxy stands before the gateway', () => {
    expect(isFromThisMachine(near, { ...loopbackOnly, origins: ['https://trawl.example'] })).toBe(false)
  })
})
