/** `trawl hosts add`, `test` and `remove` against a real sshd. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fingerprint } from '../../gateway/hosts/ssh/host-key-check.ts'
import { agentBundleFile, packagesDir, whyNoBundle } from '../helpers/agent-bundle.ts'
import { wantNoResident } from '../helpers/bridged-agent.ts'
import { type RunOptions, runCommand } from '../helpers/command.ts'
import { createSshDesk, onlyOpen, openSockets, type SshDesk } from '../helpers/ssh-desk.ts'
import { makeKeyPair } from '../helpers/ssh-home.ts'
import { startSshd, whyNoSshd } from '../helpers/sshd.ts'

describe.skipIf((whyNoSshd() ?? whyNoBundle()) !== null)('trawl hosts', () => {
  let desk: SshDesk
  let farm = ''
  let config = ''
  beforeEach(async () => {
    farm = await mkdtemp(join(tmpdir(), 'trawl-farm-'))
    await wantNoResident(farm)
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`
    desk = await createSshDesk([`SetEnv "HOME=${farm}" "PATH=${path}" "NODE_PATH=${packagesDir}"`])
    config = join(desk.home.homeDir, '.config/trawl/config.toml')
  })
  afterEach(async () => {
    await desk[Symbol.asyncDispose]()
    await rm(farm, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  const run = async (args: readonly string[], options: Partial<RunOptions> = {}) => {
    const before = openSockets()
    const { homeDir } = desk.home
    const done = await runCommand(['hosts', ...args], {
      dataDir: join(homeDir, 'data'),
      homeDir,
      agentBundleFile,
      ...options,
    })
    await onlyOpen(before)
    return done
  }
  const configText = async () => await readFile(config, 'utf8').catch(() => null)
  const configure = async (text: string) => {
    await mkdir(dirname(config), { recursive: true })
    await writeFile(config, text)
  }
  const wire = () => Buffer.from(desk.server.hostKey.split(' ')[1] ?? '', 'base64')

  it('add goes every step, shows what it found and saves the host behind what was there', async () => {
    await configure('# Mine.\nlegTimeoutMs = 5000 # patient\n')
    const done = await run(['add', 'ssh:devbox', '--label', 'dev box'])
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    const steps = done.stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect(steps.slice(0, 6).map(([name]) => name)).toEqual([
      'resolve',
      'connect',
      'host key',
      'login',
      'agent',
      'first query',
    ])
    for (const [, tookMs] of steps.slice(0, 6)) expect(tookMs).toMatch(/^\d+(\.\d)? m?s$/)
    const place = `127.0.0.1 port ${desk.server.port}`
    expect(done.stdout).toContain(`${desk.server.user}@${place}`)
    expect(done.stdout).toContain(fingerprint(wire()))
    expect(done.stdout).toContain(`${desk.server.user} with ${desk.home.sshDir}/id_ed25519`)
    expect(done.stdout).toMatch(/trawl-agent \S+ on \w+, just sent \(\d+ kB\)/)
    expect(done.stdout).toMatch(/transcripts indexed/)
    expect(await configText()).toBe(
      '# Mine.\nlegTimeoutMs = 5000 # patient\n\n[[hosts]]\nid = "ssh:devbox"\nlabel = "dev box"\n',
    )
    const again = await run(['add', 'ssh:devbox'])
    expect(again).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('already') })
  })

  it('test says the same of a host that was saved, as JSON too, and sends the agent no second time', async () => {
    await run(['add', 'ssh:devbox'])
    const done = await run(['test', 'ssh:devbox'])
    expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/agent .*trawl-agent/) })
    expect(done.stdout).not.toContain('just sent')
    const { stdout } = await run(['test', 'ssh:devbox', '--json'])
    const told = JSON.parse(stdout)
    expect(told).toMatchObject({ schemaVersion: 1, executionHostId: 'ssh:devbox', failed: null })
    expect(told.steps.map(({ step }: { step: string }) => step)).toHaveLength(6)
  })

  it('test names the step that failed and what to do, and exits 2', async () => {
    await configure('[[hosts]]\nid = "ssh:devbox"\n')
    await desk.home.writeKey('stranger')
    await desk.configure(['IdentityFile ~/.ssh/stranger'])
    const done = await run(['test', 'ssh:devbox'])
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toMatch(
      /^host key .*\nlogin +failed +after .* refused the login .*Try: ssh-copy-id/ms,
    )
    const { stdout } = await run(['test', 'ssh:devbox', '--json'])
    expect(JSON.parse(stdout).failed).toMatchObject({ step: 'login', reason: 'auth-failed' })
  })

  it.each([
    ['resolve', 'HostName no-such-host.invalid', 'No address is known'],
    ['connect', 'ProxyJump nowhere', 'nothing listens there'],
  ])('test tells a failure to %s', async (step, line, words) => {
    await configure('[[hosts]]\nid = "ssh:devbox"\n')
    const jump = 'Host nowhere\n HostName 127.0.0.1\n Port 1\n'
    await desk.home.write('config', `Host devbox\n ${line}\n HostName 127.0.0.1\n Port 2\n${jump}`)
    const done = await run(['test', 'ssh:devbox'])
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toMatch(new RegExp(`^${step} +failed .*${words}`, 'm'))
  })

  it('add saves nothing when the check fails, and does with --no-check', async () => {
    await desk.configure([], { port: 1 })
    const refused = await run(['add', 'ssh:devbox'])
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--no-check') })
    expect(await configText()).toBeNull()
    expect(await run(['add', 'ssh:devbox', '--no-check'])).toMatchObject({ exitCode: 0 })
    expect(await configText()).toBe('[[hosts]]\nid = "ssh:devbox"\n')
  })

  it('add refuses an unknown server where nobody can be asked, with its fingerprint and the command that adds it', async () => {
    await desk.home.write('known_hosts', '')
    const done = await run(['add', 'ssh:devbox'])
    expect(done.exitCode).toBe(2)
    expect(done.stdout).toContain(fingerprint(wire()))
    const command = done.stdout.split('then add it: ')[1]?.split('\n')[0] ?? ''
    expect(spawnSync('sh', ['-c', command]).status).toBe(0)
    expect(await run(['add', 'ssh:devbox'])).toMatchObject({ exitCode: 0 })
  })

  it.each(['yes', 'the fingerprint'])(
    'add asks about an unknown server on a terminal, and records it on %s',
    async (kind) => {
      await desk.home.write('known_hosts', '')
      await desk.configure(['HashKnownHosts no'])
      const asked: string[] = []
      const done = await run(['add', 'ssh:devbox'], {
        ask: async (question) => {
          asked.push(question)
          return kind === 'yes' ? 'yes' : fingerprint(wire())
        },
      })
      expect(done.exitCode).toBe(0)
      expect(asked).toEqual([expect.stringContaining(fingerprint(wire()))])
      expect(await readFile(desk.home.knownHostsFile, 'utf8')).toBe(
        `[127.0.0.1]:${desk.server.port} ${desk.server.hostKey}\n`,
      )
    },
  )

  it.each([
    ['the answer is no', 'no', []],
    ['another fingerprint is given', 'SHA256:AAAA', []],
  ])('add lets an unknown server in under no condition when %s', async (_, answer) => {
    await desk.home.write('known_hosts', '')
    expect(await run(['add', 'ssh:devbox'], { ask: async () => answer })).toMatchObject({ exitCode: 2 })
    expect(await readFile(desk.home.knownHostsFile, 'utf8')).toBe('')
    expect(await configText()).toBeNull()
  })

  it('add asks nothing about a server whose key has changed, nor under StrictHostKeyChecking yes', async () => {
    const ask = async () => {
      throw new Error('nobody is to be asked')
    }
    await desk.home.write('known_hosts', `[127.0.0.1]:${desk.server.port} ${makeKeyPair().public}\n`)
    const changed = await run(['add', 'ssh:devbox'], { ask })
    expect(changed).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('Someone may stand in between'),
    })
    await desk.home.write('known_hosts', '')
    await desk.configure(['StrictHostKeyChecking yes'])
    const strict = await run(['add', 'ssh:devbox'], { ask })
    expect(strict).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('is not in known_hosts') })
  })

  it.each([
    ['ssh:-oProxyCommand=x', 'may not start with a hyphen'],
    ['devbox', 'Did you mean ssh:devbox?'],
    ['runtime:ci', 'the offer'],
    ['ssh:a|b', 'is no host id'],
  ])('add refuses %s', async (id, words) => {
    expect(await run(['add', id])).toMatchObject({ exitCode: 64, stderr: expect.stringContaining(words) })
    expect(await configText()).toBeNull()
  })

  it('add refuses a setting the configuration would not take, in its words', async () => {
    const done = await run(['add', 'ssh:devbox', '--client', 'putty'])
    expect(done).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('ssh.client must be "ssh2" or "openssh"'),
    })
  })

  it('add reads another ssh_config, named from where the command was given', async () => {
    await desk.home.write('other', `Host farm\n HostName 127.0.0.1\n Port ${desk.server.port}\n`)
    const configFile = `../..${desk.home.sshDir}/other`
    expect(await run(['add', 'ssh:farm', '--config-file', configFile])).toMatchObject({ exitCode: 0 })
    expect(await configText()).toBe(
      `[[hosts]]\nid = "ssh:farm"\nssh.configFile = "${desk.home.sshDir}/other"\n`,
    )
  })

  it('add goes through a jump host, each server asked about under its own name', async () => {
    await using door = await startSshd({ authorizedKeys: [await desk.home.writeKey('door-key')] })
    const hop = `Host door\n HostName 127.0.0.1\n Port ${door.port}\n IdentityFile ~/.ssh/door-key\n`
    await desk.configure(['ProxyJump door', 'IdentityFile ~/.ssh/id_ed25519'], { after: hop })
    await desk.home.write('known_hosts', '')
    const asked: string[] = []
    const done = await run(['add', 'ssh:devbox'], {
      ask: async (question) => {
        asked.push(question.split(' ')[0] ?? '')
        return 'yes'
      },
    })
    expect(asked).toEqual(['door', 'devbox'])
    expect(done.exitCode).toBe(0)
    const last = done.stdout.slice(done.stdout.lastIndexOf('resolve '))
    const names = last.split('\n').map((line) => line.split(/ {2,}/)[0])
    const perServer = ['connect', 'host key', 'login']
    expect(names.slice(0, 9)).toEqual(['resolve', ...perServer, ...perServer, 'agent', 'first query'])
    expect(last).toMatch(
      new RegExp(`^resolve .*127\\.0\\.0\\.1 port ${desk.server.port} through .* port ${door.port}\n`),
    )
  })

  it('add goes through the system’s ssh where it is told to', async () => {
    const files = [
      `UserKnownHostsFile ${desk.home.knownHostsFile}`,
      `IdentityFile ${desk.home.sshDir}/id_ed25519`,
    ]
    await desk.configure(files)
    const flags = ['--client', 'openssh', '--config-file', join(desk.home.sshDir, 'config')]
    const done = await run(['add', 'ssh:devbox', ...flags])
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^resolve .*\nagent .*\nfirst query /),
    })
    expect(await configText()).toContain('ssh.client = "openssh"')
    await desk.home.write('known_hosts', '')
    const failed = await run(['test', 'ssh:devbox', '--json'])
    expect(JSON.parse(failed.stdout).failed).toMatchObject({ step: 'agent', reason: 'host-key' })
  })

  it('remove takes the host out and leaves the rest as it was', async () => {
    const rest = '# Mine.\n[[hosts]]\nid = "ssh:other" # stays\n'
    await configure(`${rest}\n[[hosts]]\nid = "ssh:devbox"\n`)
    expect(await run(['remove', 'ssh:devbox'])).toMatchObject({ exitCode: 0 })
    expect(await configText()).toBe(rest)
    expect(await run(['remove', 'ssh:othr'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('Did you mean ssh:other?'),
    })
  })
})
