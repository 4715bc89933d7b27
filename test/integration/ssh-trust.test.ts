/** Whom the gateway trusts, and with what it logs in, against a real sshd. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fingerprint } from '../../gateway/hosts/ssh/host-key-check.ts'
import { gatherIdentities } from '../../gateway/hosts/ssh/identity.ts'
import { hashKnownHostName } from '../../gateway/hosts/ssh/known-hosts.ts'
import { SshAgent } from '../../gateway/hosts/ssh/ssh-agent.ts'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { parseSshTarget } from '../../gateway/hosts/ssh/target.ts'
import { createSshDesk, openSockets, type SshDesk } from '../helpers/ssh-desk.ts'
import { makeKeyPair } from '../helpers/ssh-home.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

const wireOf = (line: string) => Buffer.from(line.split(' ')[1] ?? '', 'base64')
/** What sshd logs at DEBUG1 for the first thing a client says about a login. */
const loginAttempt = 'userauth-request for user'

const why = whyNoSshd()

describe.skipIf(why !== null)('host keys with a real sshd', () => {
  let desk: SshDesk
  beforeEach(async () => {
    desk = await createSshDesk(['LogLevel DEBUG1'])
  })
  afterEach(async () => {
    await desk[Symbol.asyncDispose]()
  })

  const refused = async (text: string) => {
    const before = openSockets()
    await expect(desk.open('true')).rejects.toMatchObject({
      code: 'unreachable',
      details: { reason: 'host-key' },
      message: expect.stringContaining(text),
    })
    expect(openSockets()).toEqual(before)
    await desk.server.logged(/Connection (closed|reset) by|kex_exchange_identification|Connection from/)
  }

  it('refuses an unknown server with its fingerprint, before any login is tried', async () => {
    await desk.home.write('known_hosts', '')
    await refused(fingerprint(wireOf(desk.server.hostKey)))
    await desk.server.logged(/(closed|reset) by|Disconnecting|disconnect/)
    expect(desk.server.log()).not.toContain(loginAttempt)
    // The same log does show a login once the server is trusted.
    await desk.trust()
    await (await desk.open('true')).close()
    expect(desk.server.log()).toContain(loginAttempt)
  })

  it('accepts the server after the very command it told has been run', async () => {
    await desk.home.write('known_hosts', '')
    const error: unknown = await desk.open('true').catch((thrown: unknown) => thrown)
    const command = error instanceof Error ? (error.message.split('then add it: ')[1] ?? '') : ''
    expect(spawnSync('sh', ['-c', command]).status).toBe(0)
    await (await desk.open('true')).close()
  })

  it('refuses a server whose key has changed, before any login is tried', async () => {
    await desk.home.write('known_hosts', `[127.0.0.1]:${desk.server.port} ${makeKeyPair().public}\n`)
    await desk.configure(['StrictHostKeyChecking no'])
    await refused('Someone may stand in between')
    await desk.server.logged(/(closed|reset) by|Disconnecting|disconnect/)
    expect(desk.server.log()).not.toContain(loginAttempt)
  })

  it('refuses a server whose key was taken back', async () => {
    const name = `[127.0.0.1]:${desk.server.port}`
    await desk.home.write(
      'known_hosts',
      `${name} ${desk.server.hostKey}\n@revoked * ${desk.server.hostKey}\n`,
    )
    await refused('@revoked')
  })

  it('knows a server whose name is hashed, by our own hash and by ssh-keygen’s', async () => {
    const name = `[127.0.0.1]:${desk.server.port}`
    const salt = Buffer.alloc(20, 3)
    await desk.home.write('known_hosts', `${hashKnownHostName(name, salt)} ${desk.server.hostKey}\n`)
    await (await desk.open('true')).close()
    await desk.trust()
    expect(spawnSync('ssh-keygen', ['-q', '-H', '-f', desk.home.knownHostsFile]).status).toBe(0)
    expect(await readFile(desk.home.knownHostsFile, 'utf8')).toMatch(/^\|1\|/)
    await (await desk.open('true')).close()
  })

  it('records a new server under accept-new, as OpenSSH would, and knows it from then on', async () => {
    await desk.home.write('known_hosts', '')
    await desk.configure(['StrictHostKeyChecking accept-new'])
    await (await desk.open('true')).close()
    expect(await readFile(desk.home.knownHostsFile, 'utf8')).toBe(
      `[127.0.0.1]:${desk.server.port} ${desk.server.hostKey}\n`,
    )
    expect(desk.notes.join()).toContain('was added to')
    await desk.configure()
    await (await desk.open('true')).close()
  })

  it('runs no Match exec on the way and follows Include', async () => {
    const mark = join(desk.home.homeDir, 'it-ran')
    await desk.home.write('hosts/devbox', `Host farm\n HostName 127.0.0.1\n Port ${desk.server.port}\n`)
    await desk.home.write('config', `Match exec "touch ${mark}"\n Port 1\nMatch all\nInclude hosts/*\n`)
    await (await desk.open('true', { target: 'farm' })).close()
    expect(existsSync(mark)).toBe(false)
    expect(desk.notes.join()).toContain('Match exec')
  })
})

describe.skipIf(why !== null)('login with a real sshd', () => {
  let desk: SshDesk
  let agent: { socket: string; add(path: string): void; end(): Promise<void> }
  beforeAll(async () => {
    desk = await createSshDesk()
    agent = await startSshAgent(join(desk.home.homeDir, 'agent.sock'))
  })
  afterAll(async () => {
    await agent.end()
    await desk[Symbol.asyncDispose]()
  })

  const refused = async (...texts: string[]) => {
    const before = openSockets()
    const error: unknown = await desk.open('true').then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ code: 'unreachable', details: { reason: 'auth-failed' } })
    for (const text of texts) expect(error).toMatchObject({ message: expect.stringContaining(text) })
    expect(openSockets()).toEqual(before)
  }

  it('says which key did not fit, what the server offers and what to do', async () => {
    await desk.home.writeKey('stranger')
    await desk.configure(['IdentityFile ~/.ssh/stranger'])
    await refused(
      `devbox refused the login of ${desk.server.user}: it offers publickey`,
      `this key does not fit: ${desk.home.sshDir}/stranger`,
      `Try: ssh-copy-id -p ${desk.server.port} ${desk.server.user}@127.0.0.1`,
    )
  })

  it('passes over a key with a passphrase and says how to use it', async () => {
    await desk.home.writeKey('locked', 'a passphrase')
    await desk.configure(['IdentityFile ~/.ssh/locked'])
    await refused('locked with a passphrase', `Try: ssh-add ${desk.home.sshDir}/locked`)
  })

  it('says so when there is no key at all', async () => {
    await desk.configure(['IdentityFile none'])
    await refused('it offers publickey', 'there is no key to show', 'ssh-keygen -t ed25519')
  })

  it('does not use a key file that others can read', async () => {
    await desk.home.writeKey('open')
    spawnSync('chmod', ['644', join(desk.home.sshDir, 'open')])
    await desk.configure(['IdentityFile ~/.ssh/open', 'IdentityFile ~/.ssh/gone'])
    await refused('others can read it', 'it is not there')
  })

  it('tries the next key file when the first does not fit', async () => {
    await desk.home.writeKey('wrong')
    await desk.configure(['IdentityFile ~/.ssh/wrong', 'IdentityFile ~/.ssh/id_ed25519'])
    await (await desk.open('true')).close()
  })

  it('logs in with a key that only the agent holds', async () => {
    agent.add(join(desk.home.sshDir, 'id_ed25519'))
    await desk.configure([`IdentityAgent ${agent.socket}`, 'IdentityFile none'])
    const before = openSockets()
    await (await desk.open('true')).close()
    expect(openSockets()).toEqual(before)
  })

  it('offers the agent’s named keys first, then its others, then files it does not hold', async () => {
    const crowd = await startSshAgent(join(desk.home.homeDir, 'order.sock'))
    using link = new SshAgent(crowd.socket)
    try {
      for (const name of ['other', 'named', 'loose']) await desk.home.writeKey(name)
      for (const name of ['other', 'named']) crowd.add(join(desk.home.sshDir, name))
      const order = async (...lines: string[]) => {
        await desk.configure([`IdentityAgent ${crowd.socket}`, ...lines])
        const settings = await settingsFromConfig(desk.home.environment)(parseSshTarget('devbox'))
        const { offered } = await gatherIdentities(settings, link)
        const names = ['other', 'named', 'loose'].map(
          async (name) => [name, await readFile(join(desk.home.sshDir, `${name}.pub`), 'utf8')] as const,
        )
        const known = await Promise.all(names)
        return offered.map(({ kind, key }) => {
          const base64 = key.getPublicSSH().toString('base64')
          return `${kind} ${known.find(([, line]) => line.includes(base64))?.[0]}`
        })
      }
      const files = ['IdentityFile ~/.ssh/loose', 'IdentityFile ~/.ssh/named']
      expect(await order(...files)).toEqual(['agent named', 'agent other', 'file loose'])
      expect(await order(...files, 'IdentitiesOnly yes')).toEqual(['agent named', 'file loose'])
    } finally {
      await crowd.end()
    }
  })

  it('ends clearly after too many keys of an agent, and gets in with IdentitiesOnly', async () => {
    const crowd = await startSshAgent(join(desk.home.homeDir, 'crowd.sock'))
    try {
      for (let key = 0; key < 8; key++) {
        await desk.home.writeKey(`crowd-${key}`)
        crowd.add(join(desk.home.sshDir, `crowd-${key}`))
      }
      await desk.configure([`IdentityAgent ${crowd.socket}`])
      await refused('IdentitiesOnly yes')
      await desk.configure([
        `IdentityAgent ${crowd.socket}`,
        'IdentityFile ~/.ssh/id_ed25519',
        'IdentitiesOnly yes',
      ])
      await (await desk.open('true')).close()
    } finally {
      await crowd.end()
    }
  })

  it('goes on with key files when the agent is gone', async () => {
    await desk.configure(['IdentityAgent ~/no-such.sock'])
    await (await desk.open('true')).close()
    await desk.configure(['IdentityAgent ~/no-such.sock', 'IdentityFile none'])
    await refused('it does not answer')
  })

  it('gives up an agent that never answers when the caller does, and lets go of it', async () => {
    const socket = join(desk.home.homeDir, 'deaf.sock')
    const deaf = createServer((connection) => connection.on('error', () => {}))
    await new Promise<void>((resolve) => deaf.listen(socket, resolve))
    try {
      await desk.configure([`IdentityAgent ${socket}`])
      const caller = new AbortController()
      const opening = desk.open('true', {
        signal: caller.signal,
        resolveSettings: settingsFromConfig(desk.home.environment),
      })
      const [connection] = await once(deaf, 'connection')
      caller.abort()
      await expect(opening).rejects.toMatchObject({ code: 'cancelled' })
      await once(connection, 'close')
    } finally {
      await new Promise((resolve) => deaf.close(resolve))
    }
  })
})

async function startSshAgent(socket: string) {
  const child = spawn('ssh-agent', ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  // It prints its socket once it listens.
  await once(child.stdout, 'data')
  return {
    socket,
    add(path: string) {
      const { status, stderr } = spawnSync('ssh-add', ['-q', path], {
        env: { ...process.env, SSH_AUTH_SOCK: socket },
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`ssh-add: ${stderr}`)
    },
    async end() {
      child.kill()
      await ended
    },
  }
}
