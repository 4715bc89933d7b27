import { describe, expect, it } from 'vitest'
import { reachableUrls } from './reachable-urls.ts'

const common = {
  port: 7718,
  hostName: 'ci',
  path: '/pair',
  interfaces: [
    { address: '127.0.0.1', internal: true },
    { address: '192.0.2.7', internal: false },
    { address: 'fe80::1', internal: false },
    { address: '2001:db8::7', internal: false },
  ],
}

describe('reachableUrls', () => {
  it('names the address a socket listens on, or all of the machine where it listens everywhere', () => {
    expect(reachableUrls({ ...common, host: '192.0.2.7' })).toEqual(['wss://192.0.2.7:7718/pair'])
    expect(reachableUrls({ ...common, host: '0.0.0.0' })).toEqual([
      'wss://ci:7718/pair',
      'wss://192.0.2.7:7718/pair',
    ])
    expect(reachableUrls({ ...common, host: '::' })).toEqual([
      'wss://ci:7718/pair',
      'wss://192.0.2.7:7718/pair',
      'wss://[2001:db8::7]:7718/pair',
    ])
  })
})
