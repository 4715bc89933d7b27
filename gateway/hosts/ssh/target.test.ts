import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSshTarget } from './target.ts'

const parts = (text: string) => {
  const { host, user, port } = parseSshTarget(text)
  return { host, user, port }
}

describe('parseSshTarget', () => {
  it.each([
    ['devbox', 'devbox', null, null],
    ['alice@devbox', 'devbox', 'alice', null],
    ['alice@corp@devbox:2222', 'devbox', 'alice@corp', 2222],
    ['devbox.example:22', 'devbox.example', null, 22],
    ['[2001:db8::1]:2222', '2001:db8::1', null, 2222],
    ['bob@[::1]', '::1', 'bob', null],
    ['2001:db8::1', '2001:db8::1', null, null],
    ['ssh://alice@devbox:2022/', 'devbox', 'alice', 2022],
  ])('reads %s', (text, host, user, port) => {
    expect(parts(text)).toEqual({ host, user, port })
  })

  it.each([
    '',
    '-oProxyCommand=touch /tmp/x',
    '-Fx',
    'ssh://-oX',
    '-l@devbox',
    'alice@-G',
    '@devbox',
    'alice@',
    'dev box',
    'dev\nbox',
    'dev\u0000box',
    'dev\u001bbox',
    'devbox:',
    'devbox:0',
    'devbox:65536',
    'devbox:22x',
    '[::1',
    '[::1]x',
    'a]b',
    'dev/box',
  ])('refuses %j as not configured', (text) => {
    expect(() => parseSshTarget(text)).toThrow(
      expect.objectContaining({ code: 'unreachable', details: { reason: 'not-configured' } }),
    )
  })

  it('reads back any host, user and port it was given', () => {
    const name = fc.stringMatching(/^[a-z0-9_][a-z0-9._-]{0,20}$/)
    const port = fc.option(fc.integer({ min: 1, max: 65_535 }))
    fc.assert(
      fc.property(name, fc.option(name), port, (host, user, port) => {
        const text = `${user === null ? '' : `${user}@`}${host}${port === null ? '' : `:${port}`}`
        expect(parts(text)).toEqual({ host, user, port })
      }),
    )
  })
})
