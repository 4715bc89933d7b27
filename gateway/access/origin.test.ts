import { describe, expect, it } from 'vitest'
import { refuseOrigin } from './origin.ts'

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
