import { describe, expect, it } from 'vitest'
import { TrawlError } from '../../../protocol/rpc/errors.ts'
import { connectFailure } from './ssh-errors.ts'

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more)

describe('connectFailure', () => {
  it.each([
    ['a name without an address', error('x', { code: 'ENOTFOUND' }), 'connecting', 'offline'],
    ['a port nobody listens on', error('x', { code: 'ECONNREFUSED' }), 'connecting', 'offline'],
    ['a reset', error('x', { code: 'ECONNRESET' }), 'logging in', 'offline'],
    ['the system’s own time limit', error('x', { code: 'ETIMEDOUT' }), 'connecting', 'timeout'],
    ['a throttled connection', error('Connection lost before handshake'), 'greeting', 'offline'],
    ['no common algorithm', error('Handshake failed', { level: 'handshake' }), 'greeting', 'protocol'],
    ['too many keys', error('Too many authentication failures', { code: 2 }), 'logging in', 'auth-failed'],
    ['a login the server ended', error('No more', { code: 14 }), 'logging in', 'auth-failed'],
    ['the same word before the login', error('Going down', { code: 11 }), 'greeting', 'protocol'],
    ['a refused session', error('Unable to exec'), 'starting the agent', 'protocol'],
  ] as const)('gives %s its reason, names the host and keeps the cause', (_, cause, stage, reason) => {
    const failure = connectFailure(cause, 'devbox', stage)
    expect(failure).toMatchObject({ code: 'unreachable', details: { reason } })
    expect(failure.message).toContain('devbox')
    expect(failure.cause).toBe(cause)
  })

  it('passes on what has its reason already', () => {
    const known = new TrawlError('unreachable', 'known', { reason: 'host-key' })
    expect(connectFailure(known, 'devbox', 'greeting')).toBe(known)
  })
})
