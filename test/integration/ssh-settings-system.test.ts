/** Settings as the system's own ssh understands them: `ssh -G` on configurations of the test's own. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SshHostConfig } from '../../gateway/config-hosts.ts'
import { openSshHost } from '../../gateway/hosts/ssh/open-ssh-host.ts'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { parseSshTarget } from '../../gateway/hosts/ssh/target.ts'
import { systemClock } from '../../protocol/clock.ts'
import { createSshHome, type SshHome } from '../helpers/ssh-home.ts'

const hasSsh = spawnSync('ssh', ['-V']).status === 0

describe.skipIf(!hasSsh)('settingsFromConfig with the system’s ssh', () => {
  let home: SshHome
  beforeEach(async () => {
    home = await createSshHome({ PATH: process.env.PATH })
  })
  afterEach(async () => {
    await home[Symbol.asyncDispose]()
  })

  const settings = async (text: string, target = 'devbox', program = 'ssh', mode = 0o600) => {
    const configFile = await home.write('mine', text)
    chmodSync(configFile, mode)
    return await settingsFromConfig({ ...home.environment, configFile, sshProgram: program })(
      parseSshTarget(target),
    )
  }
  /** What the files say when they are read here, which is what must come out where ssh adds nothing. */
  const readHere = async (text: string, target = 'devbox') => {
    const configFile = await home.write('mine', text)
    return await settingsFromConfig({ ...home.environment, configFile })(parseSshTarget(target))
  }

  it('follows Match exec, as ssh does', async () => {
    const text =
      'Match originalhost devbox exec "true"\n User mira\nMatch originalhost devbox exec "false"\n Port 2022\n'
    const found = await settings(text)
    expect(found).toMatchObject({ user: 'mira', port: 22, notes: [] })
    expect((await readHere(text)).notes.join()).toContain('Match exec')
  })

  it.each([
    ['an empty file', ''],
    [
      'names, ports and keys',
      'Host devbox\n HostName farm.example\n Port 2022\n User mira\n IdentityFile ~/.ssh/farm_%h\n IdentitiesOnly yes\n',
    ],
    [
      'an agent and an alias',
      'IdentityAgent /run/agent.sock\nHostKeyAlias farm\nConnectTimeout 7\nAddressFamily inet6\n',
    ],
    ['jumps', 'Host devbox\n ProxyJump a,mira@b:2222\n'],
    [
      'files of known hosts',
      'UserKnownHostsFile /keys/one "/keys/two"\nGlobalKnownHostsFile /etc/all\nStrictHostKeyChecking yes\nHashKnownHosts yes\n',
    ],
    ['keepalive that is off', 'ServerAliveInterval 0\n'],
    ['keepalive that is on', 'ServerAliveInterval 30\nServerAliveCountMax 5\n'],
    ['a policy', 'StrictHostKeyChecking accept-new\n'],
  ])('comes to the same as reading %s here', async (_, text) => {
    const { userKnownHostsFiles, globalKnownHostsFiles, ...here } = await readHere(text)
    const asked = await settings(text)
    expect(asked).toMatchObject(here)
    if (text.includes('KnownHostsFile'))
      expect(asked).toMatchObject({ userKnownHostsFiles, globalKnownHostsFiles })
  })

  it('gives user and port of the target the last word', async () => {
    expect(await settings('User other\nPort 1\n', 'mira@devbox:2022')).toMatchObject({
      user: 'mira',
      port: 2022,
    })
  })

  it('keeps an address with a zone', async () => {
    expect((await settings('HostName fe80::1%%eth0\n')).hostName).toBe('fe80::1%eth0')
  })

  it('runs nothing of a configuration that others can write, and says so', async () => {
    const mark = join(home.homeDir, 'it-ran')
    const text = `Match exec "touch ${mark}"\n User mira\n`
    const found = await settings(text, 'devbox', 'ssh', 0o666)
    expect(existsSync(mark)).toBe(false)
    expect(found.user).not.toBe('mira')
    expect(found.notes.join()).toMatch(/Others can write .*mine.*chmod go-w/)
  })

  it('reads the files here where there is no ssh, and where it fails', async () => {
    expect(await settings('User mira\n', 'devbox', '/nowhere/ssh')).toMatchObject({ user: 'mira', notes: [] })
    const failed = await settings('User mira\n', 'devbox', 'false')
    expect(failed).toMatchObject({ user: 'mira', notes: [expect.stringContaining('ssh -G failed')] })
  })

  it('runs a command of Match exec once for an attempt, and anew for the next', async () => {
    const count = join(home.homeDir, 'count')
    const text = `Match exec "echo x >> ${count}"\n HostName 127.0.0.1\n Port 1\n`
    const configFile = await home.write('mine', text)
    const host: SshHostConfig = {
      kind: 'ssh',
      id: 'ssh:devbox',
      target: 'devbox',
      label: 'devbox',
      client: 'ssh2',
      install: 'never',
      configFile,
      agentCommand: null,
      keepAliveSec: null,
    }
    const env = { PATH: process.env.PATH }
    const { firstServer, open } = openSshHost(host, { env, homeDir: userInfo().homedir, clock: systemClock })
    for (const times of [1, 2]) {
      expect(await firstServer()).toBe('127.0.0.1:1')
      await expect(open(new AbortController().signal)).rejects.toMatchObject({
        details: { reason: 'offline' },
      })
      expect(readFileSync(count, 'utf8')).toBe('x\n'.repeat(times))
    }
  })

  it('refuses what this client cannot keep all the same', async () => {
    await expect(settings('ProxyCommand nc %h %p\n')).rejects.toMatchObject({
      details: { reason: 'not-configured' },
      message: expect.stringContaining('ProxyCommand'),
    })
  })
})
