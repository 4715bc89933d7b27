/** The agent's way to a fresh SSH host, over a real sshd: pushed, started, found again, and what stands in the way. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSshLink } from '../../gateway/hosts/ssh/ssh-link.ts'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { systemClock } from '../../protocol/clock.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { builtAgentBundle, packagesDir, whyNoBundle } from '../helpers/agent-bundle.ts'
import { createBridgeHome, untilGone, wantNoResident } from '../helpers/bridged-agent.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createSshDesk, openSockets } from '../helpers/ssh-desk.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

const whyNot = whyNoSshd() ?? whyNoBundle()
const nodeDir = dirname(process.execPath)

/** A desk whose server gives each session a home of its own, and the Node that runs this test. */
async function createFarm(
  config: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const home = await mkdtemp(join(tmpdir(), 'trawl-farm-'))
  await wantNoResident(home)
  const variables = {
    HOME: home,
    PATH: `${nodeDir}:/usr/bin:/bin`,
    NODE_PATH: packagesDir,
    ...environment,
  }
  const setEnv = Object.entries(variables).map(([name, value]) => `"${name}=${value}"`)
  const desk = await createSshDesk([...config, `SetEnv ${setEnv.join(' ')}`])
  const agentDir = join(home, '.local/share/trawl/agent')
  return {
    desk,
    home,
    agentDir,
    bundle: builtAgentBundle(),
    versions: async () => (await readdir(agentDir).catch(() => [])).toSorted(),
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
type Farm = Awaited<ReturnType<typeof createFarm>>

/** Opens the link, asks the agent who it is, closes. @returns the answer, and how much was pushed. */
async function visit({ desk, bundle }: Farm, target: { agentCommand?: string } = {}) {
  let pushedBytes = 0
  const open = openSshLink({
    target: 'devbox',
    bundle,
    resolveSettings: settingsFromConfig(desk.home.environment),
    clock: systemClock,
    timeoutMs: 15_000,
    onPush: (bytes) => {
      pushedBytes = bytes
    },
    ...target,
  })
  const channel = await open(new AbortController().signal)
  const connection = openConnection(channel, {
    methods: new Map(),
    maxMessageBytes: maxPeerMessageBytes,
    createId: () => 'test',
  })
  const described = await connection.call('host.describe', {}, { timeoutMs: 10_000 })
  await connection.close()
  return { described, pushedBytes }
}

/** Why no link came about, after which nothing may be left open. */
async function refusal(farm: Farm): Promise<unknown> {
  const before = openSockets()
  const error = await visit(farm).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(openSockets()).toEqual(before)
  return error
}

describe.skipIf(whyNot !== null)('an SSH host without an agent', () => {
  let farm: Farm
  beforeEach(async () => {
    farm = await createFarm()
  })
  afterEach(async () => {
    await farm[Symbol.asyncDispose]()
  })

  it('is sent the agent once, in a folder named by its content, closed to others', async () => {
    const first = await visit(farm)
    expect(first.described).toMatchObject({ protocol: 1 })
    expect(first.pushedBytes).toBeGreaterThan(50_000)
    const hash = await farm.bundle.hash()
    expect(await farm.versions()).toEqual([hash])
    const { mode } = await stat(join(farm.home, '.local/share/trawl'))
    expect(mode & 0o077).toBe(0)
    const again = await visit(farm)
    expect(again.described).toMatchObject({ protocol: 1 })
    expect(again.pushedBytes).toBe(0)
  })

  it('takes one connection and one session for all of it', async () => {
    const before = farm.desk.server.count('Starting session')
    await visit(farm)
    expect(farm.desk.server.count('Starting session') - before).toBe(1)
  })

  it('is left with one whole agent by two gateways at once', async () => {
    const visits = await Promise.all([visit(farm), visit(farm), visit(farm)])
    for (const { described } of visits) expect(described).toMatchObject({ protocol: 1 })
    expect(await farm.versions()).toEqual([await farm.bundle.hash()])
  })

  it('loses versions nobody has started for a month and what a cut link left, and keeps all else', async () => {
    const aged = async (name: string, days: number) => {
      const path = join(farm.agentDir, name)
      await mkdir(path, { recursive: true, mode: 0o700 })
      await writeFile(join(path, 'trawl-agent.mjs'), '')
      const time = new Date(Date.now() - days * 86_400_000)
      await utimes(path, time, time)
    }
    const old = 'a'.repeat(32)
    const recent = 'b'.repeat(32)
    await aged(old, 31)
    await aged(recent, 29)
    await aged(`.${old}.123.0badcafe`, 2)
    await aged(`.${recent}.123.0badcafe`, 0)
    await aged('notes', 100)
    await visit(farm)
    const expected = [`.${recent}.123.0badcafe`, await farm.bundle.hash(), recent, 'notes'].toSorted()
    expect(await farm.versions()).toEqual(expected)
  })

  it('keeps no part of an agent that did not arrive whole', async () => {
    const packed = await farm.bundle.packed()
    const damaged = Buffer.from(packed)
    damaged.set([0xff, 0xff, 0xff, 0xff], damaged.length - 2_000)
    const error = await refusal({ ...farm, bundle: { ...farm.bundle, packed: async () => damaged } })
    expect(error).toMatchObject({ details: { reason: 'agent-missing' } })
    expect(await farm.versions()).toEqual([])
  })

  it('keeps no part of an agent whose link is cut on the way, and gets it at the next attempt', async () => {
    await using proxy = await startFaultProxy(farm.desk.server.port)
    await farm.desk.trust(proxy.port)
    await farm.desk.configure([], { port: proxy.port })
    proxy.toServer.cutAfter(100_000, 'reset')
    expect(await refusal(farm)).toMatchObject({ code: 'unreachable', details: { reason: 'offline' } })
    await proxy.deserted()
    while ((await farm.versions()).length > 0) await new Promise((resolve) => setImmediate(resolve))
    await farm.desk.trust()
    await farm.desk.configure()
    expect((await visit(farm)).pushedBytes).toBeGreaterThan(0)
  })

  it('runs ssh.agentCommand as it is and is sent nothing', async () => {
    const { pushedBytes } = await visit(farm, {
      agentCommand: `printf 'trawl-agent ready {"protocol":1,"version":"own"}\\n'; while read -r line; do id="\${line##*\\"id\\":}"; echo "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":\${id%%[,\\}]*},\\"result\\":{}}"; done`,
    })
    expect(pushedBytes).toBe(0)
    expect(await farm.versions()).toEqual([])
  })

  it.skipIf(process.getuid?.() === 0 && !canMount())(
    'says that the home cannot be written, and what to do',
    async () => {
      const undo = await makeReadOnly(farm.home)
      try {
        expect(await refusal(farm)).toMatchObject({
          details: { reason: 'agent-missing' },
          message: expect.stringMatching(
            /could not be put on devbox .*(read-only|may not be written).*TRAWL_DATA_DIR/s,
          ),
        })
      } finally {
        await undo()
      }
    },
  )

  it('says that a file is in the way', async () => {
    await mkdir(join(farm.home, '.local/share'), { recursive: true })
    await writeFile(join(farm.home, '.local/share/trawl'), '')
    expect(await refusal(farm)).toMatchObject({
      details: { reason: 'agent-missing' },
      message: expect.stringContaining('a file is in the way'),
    })
  })

  it.skipIf(!canMount())('says that the disk is full, and leaves nothing on it', async () => {
    const place = join(farm.home, '.local/share/trawl')
    await mkdir(place, { recursive: true, mode: 0o700 })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300k,mode=700', 'tmpfs', place])
    try {
      expect(await refusal(farm)).toMatchObject({
        details: { reason: 'agent-missing' },
        message: expect.stringContaining('the disk is full'),
      })
      expect(await farm.versions()).toEqual([])
    } finally {
      execFileSync('umount', [place])
    }
  })
})

describe.skipIf(whyNot !== null)('an SSH host with a resident agent', () => {
  it('answers one gateway after another and several at once with it, and loses it without leaving anything', async () => {
    await using account = await createBridgeHome()
    await using farm = await createFarm([], { HOME: account.home })
    const at = { ...farm, agentDir: join(account.dataDir, 'agent') }
    expect((await visit(at)).described).toMatchObject({ protocol: 1 })
    const resident = await account.resident()
    expect(resident).toMatchObject({ connections: 0 })
    for (const { described } of await Promise.all([visit(at), visit(at), visit(at)]))
      expect(described).toMatchObject({ protocol: 1 })
    expect(await account.resident()).toMatchObject({ pid: resident?.pid })
    // The gateway's next connection starts another one, from the version that was sent.
    if (resident !== null) process.kill(resident.pid, 'SIGKILL')
    expect((await visit(at)).pushedBytes).toBe(0)
    const next = await account.resident()
    expect(next?.pid).not.toBe(resident?.pid)
    await account.run('stop')
    if (next !== null) await untilGone(next.pid)
    expect(await account.files('.sock')).toEqual([])
  })
})

describe.skipIf(whyNot !== null)('a login shell of its own kind', () => {
  it.each(['fish', 'csh', 'tcsh', 'zsh', 'dash', 'bash'].filter(hasProgram))(
    '%s hands the agent over to sh',
    async (shell) => {
      await using farm = await createFarm([`ForceCommand exec ${shell} -c "$SSH_ORIGINAL_COMMAND"`])
      expect((await visit(farm)).described).toMatchObject({ protocol: 1 })
      expect((await visit(farm)).pushedBytes).toBe(0)
    },
  )

  it('may print whatever it likes before, without a line end too', async () => {
    const noise = 'printf "welcome\\nlast login: never"; echo oops >&2'
    await using farm = await createFarm([`ForceCommand ${noise}; eval "$SSH_ORIGINAL_COMMAND"`])
    expect((await visit(farm)).pushedBytes).toBeGreaterThan(0)
    expect((await visit(farm)).pushedBytes).toBe(0)
  })

  it('that runs no command is told by its words', async () => {
    await using farm = await createFarm(['ForceCommand echo This account is currently not available.'])
    const error = await refusal(farm)
    expect(error).toMatchObject({
      code: 'unreachable',
      details: { reason: 'agent-missing' },
      message: expect.stringContaining('This account is currently not available.'),
    })
  })
})

function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0
}

/** Root is not held up by mode bits; where it may mount, it can have a read-only disk. */
function canMount(): boolean {
  if (process.getuid?.() !== 0) return false
  return spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d"']).status === 0
}

async function makeReadOnly(dir: string): Promise<() => Promise<void>> {
  if (process.getuid?.() !== 0) {
    await chmod(dir, 0o500)
    return async () => await chmod(dir, 0o700)
  }
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', dir])
  return async () => {
    execFileSync('umount', [dir])
  }
}
