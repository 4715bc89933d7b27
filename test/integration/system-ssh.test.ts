/** `ssh.client = "openssh"`: the channel through the system's own ssh, to a real sshd; how it ends, and what is left. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SshHostConfig } from '../../gateway/config-hosts.ts'
import { openSshHost } from '../../gateway/hosts/ssh/open-ssh-host.ts'
import { openSystemSshStream, type SystemSshOptions } from '../../gateway/hosts/ssh/system-ssh-stream.ts'
import { systemClock } from '../../protocol/clock.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { builtAgentBundle, packagesDir, whyNoBundle } from '../helpers/agent-bundle.ts'
import { wantNoResident } from '../helpers/bridged-agent.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createSshDesk, onlyOpen, openSockets, type SshDesk } from '../helpers/ssh-desk.ts'
import { makeKeyPair } from '../helpers/ssh-home.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

const hasSsh = spawnSync('ssh', ['-V']).status === 0

describe.skipIf(!hasSsh || whyNoSshd() !== null)('openSystemSshStream', () => {
  let desk: SshDesk
  let farm = ''
  beforeEach(async () => {
    farm = await mkdtemp(join(tmpdir(), 'trawl-farm-'))
    await wantNoResident(farm)
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`
    desk = await createSshDesk([`SetEnv "HOME=${farm}" "PATH=${path}" "NODE_PATH=${packagesDir}"`])
    await configure()
  })
  afterEach(async () => {
    await desk[Symbol.asyncDispose]()
    await rm(farm, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })

  /** ssh goes by the account's home, so the test's files are named in its configuration. */
  const configure = async (lines: readonly string[] = [], port = desk.server.port): Promise<void> => {
    const { sshDir, knownHostsFile } = desk.home
    const files = [`UserKnownHostsFile ${knownHostsFile}`, 'GlobalKnownHostsFile none']
    await desk.configure([...lines, ...files, `IdentityFile ${sshDir}/id_ed25519`, 'IdentityAgent none'], {
      port,
    })
  }
  const configureName = async (name: string): Promise<void> => {
    await desk.home.write('config', `Host devbox\n HostName ${name}\n`)
  }
  const knowOnly = async (line: string): Promise<void> => {
    await desk.home.write('known_hosts', line)
  }
  const optionsFor = (options: Partial<SystemSshOptions> = {}): SystemSshOptions => ({
    target: 'devbox',
    agentCommand: 'cat',
    configFile: join(desk.home.sshDir, 'config'),
    keepAliveSec: null,
    env: { PATH: process.env.PATH, HOME: desk.home.homeDir },
    clock: systemClock,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    ...options,
  })
  const open = async (agentCommand: string, options: Partial<SystemSshOptions> = {}) =>
    await openSystemSshStream(optionsFor({ agentCommand, ...options }))
  /** The ssh processes that were started with this desk's configuration. */
  const sshProcesses = () => {
    const { stdout } = spawnSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line.includes(join(desk.home.sshDir, 'config')))
  }

  it('carries a megabyte both ways unchanged, and leaves no process and no pipe', async () => {
    const before = openSockets()
    const sent = randomBytes(1024 * 1024)
    const stream = await open('cat')
    const received = readAll(stream.stdout)
    stream.stdin.end(sent)
    expect((await received).equals(sent)).toBe(true)
    expect(await stream.closed).toBeNull()
    await stream.close()
    expect(sshProcesses()).toEqual([])
    await onlyOpen(before)
  })

  it('takes user, host and port from the target itself', async () => {
    const target = `${desk.server.user}@127.0.0.1:${desk.server.port}`
    await desk.home.write(
      'config',
      `UserKnownHostsFile ${desk.home.knownHostsFile}\nIdentityFile ${desk.home.sshDir}/id_ed25519\n`,
    )
    const stream = await open('echo here', { target })
    expect(String(await readAll(stream.stdout))).toBe('here\n')
  })

  it('is killed with its ProxyCommand when its agent does not end', async () => {
    const pidFile = join(farm, 'proxy')
    await configure([`ProxyCommand sh -c "echo $$ > ${pidFile}; while :; do sleep 1; done"`])
    const stream = await open('cat')
    const pid = await untilRead(pidFile)
    await stream.close(1)
    // They are told at once; who of them ends first is the system's.
    while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve))
    expect(sshProcesses()).toEqual([])
  })

  it('asks nothing at a terminal, whatever the configuration says', async () => {
    await desk.home.write('known_hosts', '')
    await configure(['StrictHostKeyChecking ask', 'BatchMode no'])
    const stream = await open('cat')
    expect(await stream.closed).toMatchObject({ details: { reason: 'host-key' } })
  })

  it.each([
    ['an unknown key', 'host-key', async () => await knowOnly('')],
    [
      'a changed key',
      'host-key',
      async () => await knowOnly(`[127.0.0.1]:${desk.server.port} ${makeKeyPair().public}\n`),
    ],
    [
      'a key that does not fit',
      'auth-failed',
      async () => {
        await desk.home.writeKey('id_ed25519')
      },
    ],
    ['a port where nothing listens', 'offline', async () => await configure([], 1)],
    ['a name without an address', 'offline', async () => await configureName('no-such-host.invalid')],
    ['an option ssh does not know', 'not-configured', async () => await configure(['NoSuchOption yes'])],
  ] as const)('tells %s as %s, in ssh’s own words', async (_, reason, spoil) => {
    await spoil()
    const stream = await open('cat')
    expect(await stream.closed).toMatchObject({
      code: 'unreachable',
      details: { reason },
      message: expect.stringContaining('It wrote: '),
    })
  })

  it('tells a server that never answers as a timeout, in its own time', async () => {
    await using silent = await startFaultProxy(null)
    await configure([], silent.port)
    const stream = await open('cat', { timeoutMs: 1_000 })
    expect(await stream.closed).toMatchObject({ details: { reason: 'timeout' } })
  })

  it.each([
    ['exit 3', 'crashed', /status 3/],
    ['no-such-program-here', 'agent-missing', /was not found on devbox/],
  ])('tells that the command %s ended as %s', async (command, reason, words) => {
    const stream = await open(command)
    expect(await stream.closed).toMatchObject({
      details: { reason },
      message: expect.stringMatching(words),
    })
  })

  it('is over when the connection is cut', async () => {
    await using relay = await startFaultProxy(desk.server.port)
    await desk.trust(relay.port)
    await configure([], relay.port)
    const stream = await open('echo up; exec cat')
    await new Promise((resolve) => stream.stdout.once('data', resolve))
    relay.cut()
    expect(await stream.closed).toMatchObject({ details: { reason: 'offline' } })
  })

  it('says that there is no ssh, and that a target may be no option', async () => {
    await expect(open('cat', { program: '/nowhere/ssh' })).rejects.toMatchObject({
      details: { reason: 'not-configured' },
    })
    await expect(open('cat', { target: '-oProxyCommand=touch x' })).rejects.toMatchObject({
      details: { reason: 'not-configured' },
    })
  })

  it('leaves a ControlMaster of the user’s in peace, and is not held up by it', async () => {
    const control = join(farm, 'm')
    await configure(['ControlMaster auto', `ControlPath ${control}`, 'ControlPersist 60'])
    const first = await open('echo one')
    expect(String(await readAll(first.stdout))).toBe('one\n')
    expect(await first.closed).toBeNull()
    const ask = (word: string) =>
      spawnSync('ssh', ['-F', join(desk.home.sshDir, 'config'), '-O', word, 'devbox']).status
    expect(ask('check')).toBe(0)
    expect(ask('exit')).toBe(0)
  })

  it.skipIf(whyNoBundle() !== null)('has the agent sent and started as over ssh2', async () => {
    const host: SshHostConfig = {
      kind: 'ssh',
      id: 'ssh:devbox',
      target: 'devbox',
      label: 'devbox',
      client: 'openssh',
      install: 'auto',
      configFile: join(desk.home.sshDir, 'config'),
      agentCommand: null,
      keepAliveSec: null,
    }
    const pushed: number[] = []
    const { open: openLink } = openSshHost(host, {
      env: { PATH: process.env.PATH },
      homeDir: desk.home.homeDir,
      clock: systemClock,
      bundle: builtAgentBundle(),
      onPush: (bytes) => pushed.push(bytes),
    })
    for (let visit = 0; visit < 2; visit++) {
      const connection = openConnection(await openLink(new AbortController().signal), {
        methods: new Map(),
        maxMessageBytes: maxPeerMessageBytes,
        createId: () => 'test',
      })
      expect(await connection.call('host.describe', {}, { timeoutMs: 10_000 })).toMatchObject({ protocol: 1 })
      await connection.close()
    }
    expect(pushed).toHaveLength(1)
    expect(sshProcesses()).toEqual([])
  })
})

async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Waits, bounded by the test's own time, for a process to have written its id. */
async function untilRead(path: string): Promise<number> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '')
    if (text.endsWith('\n')) return Number(text)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie that init has not collected is not alive.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
