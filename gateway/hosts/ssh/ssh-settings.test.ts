import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSshHome, type SshHome } from '../../../test/helpers/ssh-home.ts'
import { type SshEnvironment, settingsFromConfig } from './ssh-settings.ts'
import { parseSshTarget } from './target.ts'

let home: SshHome
beforeEach(async () => {
  home = await createSshHome()
})
afterEach(async () => {
  await home[Symbol.asyncDispose]()
})

async function settings(config: string, target = 'devbox', environment: Partial<SshEnvironment> = {}) {
  await home.write('config', config)
  return await settingsFromConfig({ ...home.environment, localUser: 'me', ...environment })(
    parseSshTarget(target),
  )
}

describe('settingsFromConfig', () => {
  it('needs no configuration at all', async () => {
    const found = await settingsFromConfig({ ...home.environment, localUser: 'me' })(
      parseSshTarget('Dev.Example'),
    )
    expect(found).toMatchObject({
      hostName: 'dev.example',
      port: 22,
      user: 'me',
      hostKeyAlias: null,
      hostKeyPolicy: 'refuse-new',
      identitiesOnly: false,
      agentSocket: null,
      connectTimeoutMs: null,
      keepAlive: { intervalMs: 15_000, countMax: 3 },
      proxyJump: [],
    })
    expect(found.userKnownHostsFiles[0]).toBe(home.knownHostsFile)
    expect(found.identityFiles.map(({ path }) => path.replace(home.sshDir, '~'))).toEqual([
      '~/id_rsa',
      '~/id_ecdsa',
      '~/id_ed25519',
    ])
  })

  it('lets the target outweigh the file for user and port', async () => {
    const text = 'Host devbox\n HostName 10.0.0.7\n User filed\n Port 2022\n'
    expect(await settings(text)).toMatchObject({ hostName: '10.0.0.7', user: 'filed', port: 2022 })
    expect(await settings(text, 'given@devbox:22')).toMatchObject({
      hostName: '10.0.0.7',
      user: 'given',
      port: 22,
    })
  })

  it('expands tokens, ~ and variables in paths', async () => {
    const text = [
      'Host devbox',
      ' HostName %h.corp',
      ' Port 2022',
      ' User far',
      ' IdentityFile ~/keys/%h_%n_%p_%r_%u_%%',
      ' IdentityFile %d/id',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: ssh_config's own syntax
      ' IdentityFile ${KEYS}/one',
      ' UserKnownHostsFile ~/a /b/%k none',
      ' GlobalKnownHostsFile none',
      '',
    ].join('\n')
    const found = await settings(text, 'devbox', { variables: { KEYS: '/vault' } })
    expect(found.identityFiles).toEqual([
      { path: `${home.homeDir}/keys/devbox.corp_devbox_2022_far_me_%`, isDefault: false },
      { path: `${home.homeDir}/id`, isDefault: false },
      { path: '/vault/one', isDefault: false },
    ])
    expect(found.userKnownHostsFiles).toEqual([`${home.homeDir}/a`, '/b/devbox.corp'])
    expect(found.globalKnownHostsFiles).toEqual([])
  })

  it.each([
    ['IdentityAgent none', null],
    ['IdentityAgent SSH_AUTH_SOCK', '/run/agent'],
    ['IdentityAgent $OTHER', '/run/other'],
    ['IdentityAgent ~/agent.sock', 'HOME/agent.sock'],
    ['Compression yes', '/run/agent'],
  ])('finds the agent under %s', async (line, socket) => {
    const variables = { SSH_AUTH_SOCK: '/run/agent', OTHER: '/run/other' }
    const { agentSocket } = await settings(`${line}\n`, 'devbox', { variables })
    expect(agentSocket).toBe(socket?.replace('HOME', home.homeDir) ?? null)
  })

  it.each([
    ['yes', 'refuse-new'],
    ['ask', 'refuse-new'],
    ['perhaps', 'refuse-new'],
    ['accept-new', 'accept-new'],
    ['no', 'accept-any'],
    ['off', 'accept-any'],
  ])('reads StrictHostKeyChecking %s as %s', async (value, policy) => {
    expect((await settings(`StrictHostKeyChecking ${value}\n`)).hostKeyPolicy).toBe(policy)
  })

  it.each([
    ['ServerAliveInterval 0', 0, 3],
    ['ServerAliveInterval 30\nServerAliveCountMax 5', 30_000, 5],
    ['ServerAliveInterval 1m', 60_000, 3],
    ['ServerAliveCountMax 0', 0, 0],
  ])('reads %s', async (text, intervalMs, countMax) => {
    expect((await settings(`${text}\n`)).keepAlive).toEqual({ intervalMs, countMax })
  })

  it('reads ConnectTimeout, IdentitiesOnly, HostKeyAlias, AddressFamily and ProxyJump', async () => {
    const text =
      'ConnectTimeout 1m30\nIdentitiesOnly yes\nHostKeyAlias Farm\nAddressFamily inet6\nProxyJump a,b@c:22\n'
    expect(await settings(text)).toMatchObject({
      connectTimeoutMs: 90_000,
      identitiesOnly: true,
      hostKeyAlias: 'farm',
      addressFamily: 6,
      proxyJump: ['a', 'b@c:22'],
    })
    expect((await settings(`ProxyJump none\n${text}`)).proxyJump).toEqual([])
  })

  it('reads the file it is given and no other', async () => {
    await home.write('config', 'User wrong\n')
    const configFile = await home.write('mine', 'Host *\n Compression yes\n')
    const found = await settings('User wrong\n', 'devbox', { configFile })
    expect(found.user).toBe('me')
  })

  it.each([
    ['ProxyCommand nc %h %p', 'ProxyCommand'],
    ['RevokedHostKeys /etc/ssh/revoked', 'RevokedHostKeys'],
    ['Port 70000', 'Port'],
    ['ConnectTimeout soon', 'ConnectTimeout'],
    ['IdentityFile ~other/id', 'IdentityFile'],
    ['IdentityFile %Q', '%Q'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: ssh_config's own syntax
    ['IdentityFile ${UNSET_HERE}/id', 'UNSET_HERE'],
    ['ProxyJump a,,b', 'ProxyJump'],
  ])('refuses %s rather than going on without it', async (line, named) => {
    await expect(settings(`${line}\n`)).rejects.toThrow(
      expect.objectContaining({
        details: { reason: 'not-configured' },
        message: expect.stringContaining(named),
      }),
    )
  })
})
