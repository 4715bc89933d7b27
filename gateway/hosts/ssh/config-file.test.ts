import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSshHome, type SshHome } from '../../../test/helpers/ssh-home.ts'
import { type ConfigQuery, evaluateSshConfig } from './config-file.ts'

let home: SshHome
beforeEach(async () => {
  home = await createSshHome()
})
afterEach(async () => {
  await home[Symbol.asyncDispose]()
})

async function evaluate(text: string, query: Partial<ConfigQuery> = {}) {
  const path = await home.write('config', text)
  return await evaluateSshConfig([{ path, includeDir: home.sshDir, isRequired: true }], {
    alias: 'devbox',
    user: null,
    localUser: 'me',
    homeDir: home.homeDir,
    ...query,
  })
}

const refusal = (text: string) =>
  expect.objectContaining({
    code: 'unreachable',
    details: { reason: 'not-configured' },
    message: expect.stringContaining(text),
  })

describe('evaluateSshConfig', () => {
  it('takes the first value of a directive, in any spelling of its name', async () => {
    const directives = await evaluate(
      'Host dev*\n hostname a.example\nHost *\n HostName b.example\n PORT=2022\n',
    )
    expect(directives.get('hostname')).toEqual(['a.example'])
    expect(directives.get('port')).toEqual(['2022'])
  })

  it('adds up identity files and keeps each once', async () => {
    const text =
      'IdentityFile ~/.ssh/a\nHost devbox\n IdentityFile "~/.ssh/b c"\nHost *\n IdentityFile ~/.ssh/a\n'
    expect((await evaluate(text)).all('identityfile')).toEqual(['~/.ssh/a', '~/.ssh/b c'])
  })

  it('leaves out a host that a negated pattern names', async () => {
    const text = 'Host * !devbox\n User wrong\nHost dev?ox\n User right\n'
    expect((await evaluate(text)).get('user')).toEqual(['right'])
  })

  it.each([
    ['all', true],
    ['host *.example', true],
    ['host devbox', false],
    ['originalhost devbox', true],
    ['!originalhost devbox', false],
    ['originalhost devbox user me', true],
    ['originalhost other,dev*', true],
    ['user me,you', true],
    ['localuser root', false],
    ['final', true],
    ['localnetwork 10.0.0.0/8', false],
  ])('applies Match %s: %s', async (criteria, applies) => {
    const directives = await evaluate(`HostName devbox.example\nMatch ${criteria}\n Port 2022\n`)
    expect(directives.get('port')).toEqual(applies ? ['2022'] : null)
  })

  it('never runs the command of Match exec, not even a negated one, and says so', async () => {
    const mark = join(home.homeDir, 'it-ran')
    const directives = await evaluate(
      `Match exec "touch ${mark}"\n Port 1\nMatch !exec "touch ${mark}"\n Port 2\nMatch all\n Port 3\n`,
    )
    expect(existsSync(mark)).toBe(false)
    expect(directives.get('port')).toEqual(['3'])
    expect(directives.notes.join()).toContain('Match exec')
  })

  it('looks up no name for CanonicalizeHostname', async () => {
    const text = 'Host devbox\n CanonicalizeHostname yes\n CanonicalDomains a.invalid b.invalid\n User me\n'
    const path = process.env.PATH
    try {
      // A look-up by command would be tried through the PATH.
      await writeFile(join(home.homeDir, 'nslookup'), `#!/bin/sh\ntouch ${home.homeDir}/it-ran\n`)
      await chmod(join(home.homeDir, 'nslookup'), 0o755)
      process.env.PATH = `${home.homeDir}:${path}`
      await evaluate(text)
    } finally {
      process.env.PATH = path
    }
    expect(existsSync(join(home.homeDir, 'it-ran'))).toBe(false)
  })

  it('follows Include: relative to ~/.ssh, from ~, sorted by wildcard, hidden files left out', async () => {
    await home.write('conf.d/20-b', 'User second\nPort 20\n')
    await home.write('conf.d/10-a', 'User first\n')
    await home.write('conf.d/.hidden', 'User hidden\n')
    await writeFile(join(home.homeDir, 'extra'), 'Compression yes\n')
    const directives = await evaluate('Include conf.d/* ~/extra missing/*.conf nowhere\nUser last\n')
    expect(directives.get('user')).toEqual(['first'])
    expect(directives.get('port')).toEqual(['20'])
    expect(directives.get('compression')).toEqual(['yes'])
  })

  it('applies an Include inside a section to that section alone, and closes what the file opened', async () => {
    await home.write('inner', 'User inner\nHost devbox\n Port 1\nHost other\n Port 2\n')
    const text = (alias: string) => `Host ${alias}\n Include inner\n Compression yes\nUser outer\n`
    const inside = await evaluate(text('devbox'))
    expect([inside.get('user'), inside.get('port'), inside.get('compression')]).toEqual([
      ['inner'],
      ['1'],
      ['yes'],
    ])
    const outside = await evaluate(text('somewhere-else'))
    expect([outside.get('user'), outside.get('port')]).toEqual([null, null])
  })

  it('refuses a file that includes itself, by any way round', async () => {
    await home.write('a', 'Include b\n')
    await home.write('b', 'Include ./a\n')
    await expect(evaluate('Include a\n')).rejects.toThrow(refusal('includes itself'))
  })

  it('refuses includes that nest too deep', async () => {
    for (let depth = 0; depth < 20; depth++) await home.write(`deep-${depth}`, `Include deep-${depth + 1}\n`)
    await expect(evaluate('Include deep-0\n')).rejects.toThrow(refusal('levels deep'))
  })

  it('refuses a file that is missing though named, cannot be read, or makes no sense', async () => {
    const query: ConfigQuery = { alias: 'devbox', user: null, localUser: 'me', homeDir: home.homeDir }
    const read = (path: string, isRequired: boolean) =>
      evaluateSshConfig([{ path, includeDir: home.sshDir, isRequired }], query)
    await expect(read(join(home.sshDir, 'gone'), true)).rejects.toThrow(refusal('ENOENT'))
    expect((await read(join(home.sshDir, 'gone'), false)).get('user')).toBeNull()
    await mkdir(join(home.sshDir, 'folder'))
    await expect(read(join(home.sshDir, 'folder'), false)).rejects.toThrow(refusal('EISDIR'))
    await expect(evaluate('Host "unclosed\n User x\n')).rejects.toThrow(refusal('cannot be understood'))
  })
})
