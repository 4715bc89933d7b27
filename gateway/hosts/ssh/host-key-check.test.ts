import { chmod, mkdir, readFile } from 'node:fs/promises'
import ssh2 from 'ssh2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSshHome, makeKeyPair, type SshHome } from '../../../test/helpers/ssh-home.ts'
import { fingerprint, loadHostKeyCheck } from './host-key-check.ts'
import { hashKnownHostName } from './known-hosts.ts'
import { recordHostKey } from './record-host-key.ts'
import { settingsFromConfig } from './ssh-settings.ts'
import { parseSshTarget } from './target.ts'

const key = publicKey(makeKeyPair().public)
const otherKey = publicKey(makeKeyPair().public)
const rsaKey = publicKey(ssh2.utils.generateKeyPairSync('rsa', { bits: 1024 }).public)

function publicKey(line: string) {
  const [type = '', base64 = ''] = line.split(' ')
  return { line: `${type} ${base64}`, wire: Buffer.from(base64, 'base64') }
}

let home: SshHome
beforeEach(async () => {
  home = await createSshHome()
})
afterEach(async () => {
  await home[Symbol.asyncDispose]()
})

async function check(knownHosts: string, config = '', target = 'devbox:2022') {
  await home.write('known_hosts', knownHosts)
  await home.write('config', config)
  return await loadHostKeyCheck(await settingsFromConfig(home.environment)(parseSshTarget(target)))
}

async function verdict(knownHosts: string, config = '', target = 'devbox:2022') {
  return (await check(knownHosts, config, target)).verify(key.wire)
}

const refusedWith = (text: string) => ({
  kind: 'refused',
  error: { details: { reason: 'host-key' }, message: expect.stringContaining(text) },
})

describe('loadHostKeyCheck', () => {
  it.each([
    ['with its port', `[devbox]:2022 ${key.line}`],
    ['without its port', `devbox ${key.line}`],
    ['in capitals', `[DevBox]:2022 ${key.line}`],
    ['among other names', `gone,[devbox]:2022,10.0.0.7 ${key.line}`],
    ['by wildcard', `[dev*]:20?? ${key.line}`],
    ['hashed', `${hashKnownHostName('[devbox]:2022', Buffer.alloc(20, 7))} ${key.line}`],
    [
      'after lines that make no sense',
      `|1|x ssh-ed25519\n# note\n@what devbox ${key.line}\n[devbox]:2022 ${key.line} c`,
    ],
    ['beside another of its keys', `[devbox]:2022 ${otherKey.line}\n[devbox]:2022 ${key.line}`],
    ['with Windows line ends', `[devbox]:2022 ${key.line}\r\n`],
  ])('knows a host that stands there %s', async (_, text) => {
    expect(await verdict(`${text}\n`)).toEqual({ kind: 'known' })
  })

  it.each([
    ['nowhere', ''],
    ['under another port', `[devbox]:2023 ${key.line}`],
    ['excluded by !', `*,![devbox]:2022,!devbox ${key.line}`],
    ['hashed as another', `${hashKnownHostName('other', Buffer.alloc(20, 7))} ${key.line}`],
  ])('refuses a host that stands %s, with fingerprint and the line to add', async (_, text) => {
    const found = await verdict(`${text}\n`)
    expect(found).toMatchObject(refusedWith(fingerprint(key.wire)))
    expect(found).toMatchObject(refusedWith(`echo '[devbox]:2022 ${key.line}' >> ${home.knownHostsFile}`))
  })

  it('prints the fingerprint as OpenSSH does', () => {
    const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
    // github.com's published ed25519 key and fingerprint.
    expect(fingerprint(Buffer.from(blob, 'base64'))).toBe(
      'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU',
    )
  })

  it.each(['yes', 'accept-new', 'no'])(
    'refuses a changed key under StrictHostKeyChecking %s',
    async (policy) => {
      const found = await verdict(
        `# one\n[devbox]:2022 ${otherKey.line}\n`,
        `StrictHostKeyChecking ${policy}\n`,
      )
      expect(found).toMatchObject(refusedWith(`${home.knownHostsFile} line 2`))
      expect(found).toMatchObject(refusedWith(`ssh-keygen -R '[devbox]:2022' -f ${home.knownHostsFile}`))
      expect(found).toMatchObject(refusedWith(fingerprint(otherKey.wire)))
    },
  )

  it('takes a key of another kind than those on record for a changed one', async () => {
    const found = await verdict(`[devbox]:2022 ${rsaKey.line}\n`, 'StrictHostKeyChecking accept-new\n')
    expect(found).toMatchObject(refusedWith('Someone may stand in between'))
  })

  it.each(['yes', 'accept-new', 'no'])(
    'refuses a revoked key under StrictHostKeyChecking %s',
    async (policy) => {
      const text = `[devbox]:2022 ${key.line}\n@revoked * ${key.line}\n`
      expect(await verdict(text, `StrictHostKeyChecking ${policy}\n`)).toMatchObject(refusedWith('@revoked'))
    },
  )

  it('does not take a revocation of another key for this one', async () => {
    const text = `[devbox]:2022 ${key.line}\n@revoked * ${otherKey.line}\n`
    expect(await verdict(text)).toEqual({ kind: 'known' })
  })

  it('says that it cannot check a certificate authority, and does not take its key for the host’s', async () => {
    expect(await verdict(`@cert-authority * ${key.line}\n`)).toMatchObject(
      refusedWith('certificate authority'),
    )
  })

  it.each(['accept-new', 'no'])('lets an unknown key in under %s, to be recorded', async (policy) => {
    const config = `StrictHostKeyChecking ${policy}\n`
    expect(await verdict('', config)).toEqual({ kind: 'accepted', isRecorded: true })
    expect(await verdict('', `${config}UserKnownHostsFile none\n`)).toEqual({
      kind: 'accepted',
      isRecorded: false,
    })
  })

  it('looks a host with HostKeyAlias up under that name alone', async () => {
    expect(await verdict(`farm ${key.line}\n`, 'HostKeyAlias Farm\n')).toEqual({ kind: 'known' })
    expect(await verdict(`devbox ${key.line}\n`, 'HostKeyAlias Farm\n')).toMatchObject({ kind: 'refused' })
  })

  it('reads every file that is named', async () => {
    await home.write('more', `devbox ${key.line}\n`)
    expect(await verdict('', 'UserKnownHostsFile ~/.ssh/known_hosts ~/.ssh/more\n')).toEqual({
      kind: 'known',
    })
    expect(await verdict('', 'GlobalKnownHostsFile ~/.ssh/more\n')).toEqual({ kind: 'known' })
  })

  it('trusts nothing while a file that is there cannot be read', async () => {
    await mkdir(`${home.sshDir}/folder`)
    const config = 'UserKnownHostsFile ~/.ssh/known_hosts ~/.ssh/folder\nStrictHostKeyChecking no\n'
    await expect(verdict(`devbox ${key.line}\n`, config)).rejects.toMatchObject({
      details: { reason: 'host-key' },
      message: expect.stringContaining('EISDIR'),
    })
  })

  it('asks first for the kinds of key the host is known by, in the order they stand there', async () => {
    expect((await check(`[devbox]:2022 ${rsaKey.line}\n`)).algorithms.slice(0, 3)).toEqual([
      'rsa-sha2-512',
      'rsa-sha2-256',
      'ssh-ed25519',
    ])
    expect((await check(`@revoked * ${rsaKey.line}\n`)).algorithms[0]).toBe('ssh-ed25519')
    const both = (...lines: string[]) => check(lines.map((line) => `[devbox]:2022 ${line}\n`).join(''))
    expect((await both(rsaKey.line, key.line)).algorithms.slice(0, 3)).toEqual([
      'rsa-sha2-512',
      'rsa-sha2-256',
      'ssh-ed25519',
    ])
    expect((await both(key.line, rsaKey.line)).algorithms.slice(0, 2)).toEqual([
      'ssh-ed25519',
      'rsa-sha2-512',
    ])
  })
})

describe('recordHostKey', () => {
  it('appends a line of its own, which the check then knows', async () => {
    await home.write('known_hosts', `other ${otherKey.line}`)
    const file = home.knownHostsFile
    await recordHostKey({ file, name: '[devbox]:2022', key: key.wire, isHashed: false })
    const text = await readFile(file, 'utf8')
    expect(text).toBe(`other ${otherKey.line}\n[devbox]:2022 ${key.line}\n`)
    expect(await verdict(text)).toEqual({ kind: 'known' })
  })

  it('hashes the name where HashKnownHosts asks for it', async () => {
    const file = `${home.sshDir}/new/known_hosts`
    const randomBytes = (size: number) => Buffer.alloc(size, 9)
    await recordHostKey({ file, name: '[devbox]:2022', key: key.wire, isHashed: true, randomBytes })
    const text = await readFile(file, 'utf8')
    expect(text).not.toContain('devbox')
    expect(await verdict(text)).toEqual({ kind: 'known' })
  })

  it('rejects where the file cannot be written', async () => {
    await mkdir(`${home.sshDir}/known_hosts`)
    await chmod(`${home.sshDir}/known_hosts`, 0o700)
    const record = { file: home.knownHostsFile, name: 'devbox', key: key.wire, isHashed: false }
    await expect(recordHostKey(record)).rejects.toMatchObject({ code: 'EISDIR' })
  })
})
