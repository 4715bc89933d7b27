/** An index file that cannot be used as it is: rebuilt where it may be, left alone where not, and always said. */
import { spawnSync } from 'node:child_process'
import {
  chmod,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { giveToPlainUser, plainUid, whyNoPlainUser } from '../helpers/other-user.ts'
import { type RealAgentOptions, startRealAgent } from '../helpers/real-agent.ts'
import {
  agentProgram,
  createRealHome,
  gatewayProgram,
  type RealHome,
  whyNoBuild,
} from '../helpers/real-hosts.ts'
import { runProgram } from '../helpers/served-gateway.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

interface IndexedHome extends RealHome {
  readonly indexPath: string
}

/** @param sessions each with a word of its own, and enough text that the index has inner pages to damage. */
async function indexedHome(sessions = 1): Promise<IndexedHome> {
  const home = await createRealHome()
  open.push(home)
  for (let at = 0; at < sessions; at++) await writeSession(home, at)
  await runProgram(agentProgram, ['index'], home.env)
  return { ...home, indexPath: join(home.dataDir, 'index.sqlite') }
}

async function writeSession(home: RealHome, at: number, words = 500): Promise<void> {
  const filler = Array.from({ length: words }, (_, word) => `w${(word * 7919 + at * 104_729) % 99_991}`)
  await home.writeClaude({
    sessionId: `s${at}`,
    at: '2026-01-01T00:00:00Z',
    user: `everyword only${at} ${filler.join(' ')}`,
  })
}

async function agentOf(home: RealHome, options: RealAgentOptions = {}) {
  const agent = await startRealAgent(home, { exposure: 'ipc', ...options })
  open.push(agent)
  return agent
}

function changeIndex(path: string, sql: string): void {
  using db = loadSqlDriver().open(path, { readOnly: false })
  db.exec(sql)
}

async function overwrite(path: string, at: number, bytes: Buffer): Promise<void> {
  const file = await openFile(path, 'r+')
  await file.write(bytes, 0, bytes.length, at)
  await file.close()
}

describe.skipIf(whyNoBuild() !== null)('an index file that is', () => {
  it.each<[string, (path: string) => Promise<void>]>([
    ['garbage', async (path) => await writeFile(path, 'this was never an index\n'.repeat(1000))],
    ['corrupt at its head', async (path) => await overwrite(path, 0, Buffer.alloc(4096, 0xa5))],
    ['cut in half', async (path) => await truncate(path, Math.floor((await stat(path)).size / 2))],
    ['empty', async (path) => await truncate(path, 0)],
    ['gone', async (path) => await rm(path)],
    [
      'another program’s',
      async (path) => {
        await rm(path)
        changeIndex(
          path,
          'CREATE TABLE meta (key TEXT, somethingelse TEXT); CREATE TABLE invoices (id INTEGER)',
        )
      },
    ],
  ])('%s is built again from the transcripts, and nothing is missing', async (_name, damage) => {
    const home = await indexedHome(3)
    await damage(home.indexPath)
    const agent = await agentOf(home)
    expect((await agent.find('everyword')).sort()).toEqual(['s0', 's1', 's2'])
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'current',
      filesIndexed: 3,
      degradedRoots: [],
    })
  })

  it('corrupt or another’s is set aside, not thrown away', async () => {
    const home = await indexedHome()
    await writeFile(home.indexPath, 'somebody put this here')
    await (await agentOf(home)).find('only0')
    expect(await readFile(`${home.indexPath}.damaged`, 'utf8')).toBe('somebody put this here')
  })

  it('corrupt inside is noticed when it is used, and built again while the agent runs', async () => {
    const home = await indexedHome(60)
    const { size } = await stat(home.indexPath)
    const pageBytes = 16_384
    expect(size).toBeGreaterThan(8 * pageBytes)
    // All but the first pages, which hold the schema: the file opens as if it were sound.
    await overwrite(home.indexPath, 4 * pageBytes, Buffer.alloc(size - 4 * pageBytes, 0xa5))
    const agent = await agentOf(home)
    // The damage shows at some pass or some search, whichever comes to it first; the pass after that begins anew.
    let found: string[] = []
    // Until then it may say that it is not ready, at once; the test's own time ends the wait.
    while (found.length < 60)
      found = await agent.find('everyword').catch(async () => await delay(20, [] as string[]))
    expect(await agent.find('only59')).toEqual(['s59'])
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'current',
      filesIndexed: 60,
      degradedRoots: [],
    })
  })

  it('of a future version is left alone, byte for byte, and what to do is said', async () => {
    const home = await indexedHome()
    changeIndex(
      home.indexPath,
      "UPDATE meta SET value = 99 WHERE key = 'schema_version'; PRAGMA wal_checkpoint(TRUNCATE)",
    )
    const before = await readFile(home.indexPath)
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      enabled: true,
      phase: 'degraded',
      degradedRoots: [{ root: home.indexPath, reason: expect.stringContaining('made by a newer version') }],
    })
    expect(await agent.search({ query: 'everyword' })).toEqual({ kind: 'unavailable', reason: 'not-ready' })
    const indexed = await runProgram(agentProgram, ['index'], home.env)
    expect(indexed.exitCode).toBe(2)
    expect(indexed.stderr).toContain('open a newer trawl, or remove')
    const asked = await runProgram(agentProgram, ['status'], home.env)
    expect(asked.exitCode).toBe(2)
    expect(asked.stderr).toContain('made by a newer version')
    const shown = await runProgram(gatewayProgram, ['search', 'everyword'], home.env)
    expect(shown).toMatchObject({ exitCode: 2, stdout: '' })
    expect(shown.stderr).not.toContain('Nothing found')
    expect(before.equals(await readFile(home.indexPath))).toBe(true)
  })

  it.skipIf(whyNoPlainUser() !== null)(
    'read-only is searched as it is, the status says why nothing new comes, and what was missed comes later',
    async () => {
      const home = await indexedHome()
      await writeSession(home, 7)
      await giveToPlainUser(dirname(home.homeDir))
      await chmod(home.indexPath, 0o444)
      const agent = await agentOf(home, plainUid === undefined ? {} : { uid: plainUid })
      expect(await agent.settledStatus()).toMatchObject({
        phase: 'degraded',
        degradedRoots: [{ root: home.indexPath, reason: expect.stringContaining('may not be written') }],
      })
      expect(await agent.search({ query: 'everyword' })).toMatchObject({
        kind: 'results',
        hits: [{ sessionId: 's0' }],
      })
      await agent[Symbol.asyncDispose]()
      const shown = await runProgram(gatewayProgram, ['search', 'everyword'], home.env, plainUid)
      expect(shown.exitCode).toBe(0)
      expect(shown.stdout).toContain('s0')
      expect(shown.stderr).toContain('could not be brought up to date')
      for (const name of await readdir(home.dataDir)) await chmod(join(home.dataDir, name), 0o600)
      const again = await agentOf(home, plainUid === undefined ? {} : { uid: plainUid })
      expect((await again.find('everyword')).sort()).toEqual(['s0', 's7'])
      expect(await again.settledStatus()).toMatchObject({ phase: 'current', degradedRoots: [] })
    },
  )

  it.skipIf(whyNoPlainUser() !== null)(
    'in a read-only folder, where SQLite can open none, is told, is not touched, and is used once it may be',
    async () => {
      const home = await indexedHome()
      await giveToPlainUser(dirname(home.homeDir))
      await chmod(home.dataDir, 0o500)
      try {
        const agent = await agentOf(home, plainUid === undefined ? {} : { uid: plainUid })
        expect(await agent.settledStatus()).toMatchObject({
          phase: 'degraded',
          degradedRoots: [
            { root: home.indexPath, reason: expect.stringMatching(/folder|may not be written/) },
          ],
        })
        expect(await agent.search({ query: 'everyword' })).toEqual({
          kind: 'unavailable',
          reason: 'not-ready',
        })
        await chmod(home.dataDir, 0o700)
        const again = await agentOf(home, plainUid === undefined ? {} : { uid: plainUid })
        expect(await again.find('everyword')).toEqual(['s0'])
      } finally {
        await chmod(home.dataDir, 0o700)
      }
    },
  )

  it.skipIf(whyNoSmallDisk() !== null)(
    'on a full disk is searched as it is, says so, and goes on once there is room',
    async () => {
      const home = await createRealHome()
      open.push(home)
      const disk = await mountSmallDisk(home.dataDir, '2m')
      open.push(disk)
      await writeSession(home, 0)
      const agent = await agentOf(home)
      expect(await agent.find('only0')).toEqual(['s0'])
      for (let at = 1; at <= 40; at++) await writeSession(home, at, 20_000)
      await expect(agent.find('only0')).rejects.toMatchObject({ code: 'internal' })
      const status = await agent.settledStatus()
      expect(status).toMatchObject({
        phase: 'degraded',
        degradedRoots: [{ reason: expect.stringContaining('is full') }],
      })
      expect(await agent.search({ query: 'only0' })).toMatchObject({
        kind: 'results',
        hits: [{ sessionId: 's0' }],
      })
      disk.grow('200m')
      expect(await agent.find('only40')).toEqual(['s40'])
      expect((await agent.find('everyword')).length).toBe(41)
      expect(await agent.settledStatus()).toMatchObject({ phase: 'current', degradedRoots: [] })
    },
  )

  it('stopped by a limit on file sizes is searched as it is, and says so', async () => {
    const home = await indexedHome()
    for (let at = 1; at <= 20; at++) await writeSession(home, at, 20_000)
    const blocks = Math.ceil((await stat(home.indexPath)).size / 512)
    const agent = await agentOf(home, { shellPrefix: `ulimit -f ${blocks + 200};` })
    await expect(agent.find('only0')).rejects.toMatchObject({ code: 'internal' })
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ root: home.indexPath, reason: expect.stringMatching(/disk/) }],
    })
    expect(await agent.search({ query: 'only0' })).toMatchObject({
      kind: 'results',
      hits: [{ sessionId: 's0' }],
    })
  })

  it('a folder is told as what cannot be opened, and takes nothing with it', async () => {
    const home = await createRealHome()
    open.push(home)
    const path = join(home.dataDir, 'index.sqlite')
    await mkdir(path)
    const agent = await agentOf(home)
    expect(await agent.settledStatus()).toMatchObject({
      phase: 'degraded',
      degradedRoots: [{ root: path, reason: expect.stringContaining('cannot be opened') }],
    })
    expect(await agent.search({ query: 'x' })).toEqual({ kind: 'unavailable', reason: 'not-ready' })
  })
})

interface SmallDisk extends AsyncDisposable {
  grow(size: string): void
}

/** A disk of its own, in memory. */
async function mountSmallDisk(path: string, size: string): Promise<SmallDisk> {
  mountOrThrow(['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', path])
  return {
    grow: (larger) => mountOrThrow(['-o', `remount,size=${larger}`, path]),
    async [Symbol.asyncDispose]() {
      spawnSync('umount', [path])
    },
  }
}

function mountOrThrow(args: readonly string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mount: ${stderr}`)
}

function whyNoSmallDisk(): string | null {
  const tried = spawnSync('sh', [
    '-c',
    'd=$(mktemp -d); mount -t tmpfs -o size=1m tmpfs "$d" && umount "$d"; s=$?; rmdir "$d"; exit $s',
  ])
  if (tried.status === 0) return null
  const reason = 'skipped: no small disk may be mounted here (a limit on file sizes stands in for it)'
  process.stderr.write(`${reason}\n`)
  return reason
}
