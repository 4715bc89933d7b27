/** Addresses of the page: read back as written, and never an error. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Address, emptyAddress, readAddress, writeAddress } from './address.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((word) => word.trim() !== '')
const hostId = fc.oneof(
  fc.constant('local'),
  fc
    .tuple(fc.constantFrom('ssh', 'runtime'), text)
    .map(([kind, name]) => `${kind}:${encodeURIComponent(name)}`),
)
const agent = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,12}$/)
const open = fc.record({ executionHostId: hostId, agent, sessionId: text })
const address: fc.Arbitrary<Address> = fc
  .record({
    view: fc.constantFrom('sessions' as const, 'hosts' as const, 'devices' as const),
    query: fc.string({ unit: 'grapheme' }),
    hosts: fc.uniqueArray(hostId, { maxLength: 3 }),
    agents: fc.uniqueArray(agent, { maxLength: 3 }),
    paths: fc.uniqueArray(text, { maxLength: 3 }),
    scope: fc.constantFrom('conversation' as const, null),
    since: fc.constantFrom('24h', '7d', '2026-11-30', null),
    sort: fc.constantFrom('newest' as const, null),
    open: fc.option(open),
    at: fc.option(fc.nat()),
  })
  .map((any) => (any.open === null ? { ...any, at: null } : any))

describe('an address', () => {
  it('is read back as it was written', () => {
    fc.assert(
      fc.property(address, (any) => {
        expect(readAddress(writeAddress(any))).toEqual(any)
      }),
    )
  })

  it('is bare where everything is as at first', () => {
    expect(writeAddress(emptyAddress)).toBe('')
    expect(readAddress('')).toEqual(emptyAddress)
  })

  it('makes something of every text', () => {
    fc.assert(
      fc.property(fc.string(), (any) => {
        readAddress(`?${any}`)
      }),
    )
    expect(readAddress('?view=x&host=nowhere&agent=A!&since=soon&sort=best&scope=x&open=a/b&at=-1')).toEqual(
      emptyAddress,
    )
    expect(readAddress('?open=local%2Fclaude%2F%25').open).toBeNull()
  })
})
