import { describe, expect, it } from 'vitest'
import { createAccess, credentialFromHeader } from './caller.ts'
import { localTokenLookup } from './local-token.ts'

const token = 'A'.repeat(43)
const access = createAccess([
  localTokenLookup(token),
  (shown) => (shown === 'device' ? { exposure: 'relay', name: 'phone' } : null),
])

describe('createAccess', () => {
  it('[exposure.class-from-connection] takes the class from the credential of the connection', () => {
    expect(access.callerFor({ kind: 'same-user' }).exposure).toBe('ipc')
    expect(access.callerFor({ kind: 'token', token }).exposure).toBe('runtime')
    expect(access.callerFor({ kind: 'token', token: 'device' })).toEqual({ exposure: 'relay', name: 'phone' })
  })

  it('refuses a missing and an unknown credential in the same words', () => {
    const refusals = [{ kind: 'none' } as const, { kind: 'token', token: `${token}x` } as const].map(
      (shown) => {
        try {
          return access.callerFor(shown)
        } catch (error) {
          return error
        }
      },
    )
    expect(refusals[0]).toMatchObject({ code: 'unauthorized' })
    expect(refusals[0]).toEqual(refusals[1])
  })
})

describe('credentialFromHeader', () => {
  it('reads a bearer token', () => {
    expect(credentialFromHeader('Bearer abc')).toEqual({ kind: 'token', token: 'abc' })
    expect(credentialFromHeader('bearer  abc ')).toEqual({ kind: 'token', token: 'abc' })
  })

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic abc', 'Bearer a b', 'abc'])(
    'sees no credential in %j',
    (header) => {
      expect(credentialFromHeader(header)).toEqual({ kind: 'none' })
    },
  )
})
