/** `trawl/client` as another package finds it: its exports, its types, its weight, and the README's example. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../gateway/client/node.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { createRealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { runProgram, startServedGateway, writeConfig } from '../helpers/served-gateway.ts'

const maxBrowserKibibytes = 25

const consumer = `
import { connect, TrawlError, type SearchAnswer } from 'trawl/client'

const trawl = await connect({ url: 'ws://127.0.0.1:7717', token: 'x' })
const answer: SearchAnswer = await trawl.search({ query: 'x' }, { signal: new AbortController().signal })
export const outcome: string | undefined = answer.hosts[0]?.outcome
export const isComplete: boolean = answer.isComplete
// @ts-expect-error: there are hits under 'results' alone
answer.hits
if (answer.kind === 'results') {
  export_(answer.hits[0]?.sessionId, answer.page.cursor)
  // @ts-expect-error: no such member
  answer.hits[0]?.nothing
} else if (answer.kind === 'unavailable') export_(answer.reason, null)
for await (const part of trawl.partial({ query: 'x' })) {
  if (part.kind === 'leg') export_(part.leg.outcome, part.hits.length)
  else export_(part.answer.kind, null)
}
export const { devices } = await trawl.call('devices.list', {})
export const kind: 'web' | 'mobile' | 'other' | undefined = devices[0]?.kind
// @ts-expect-error: a status is of one host
await trawl.call('aiVault.searchStatus', { executionHostId: 7 })
// @ts-expect-error: not a method of the table
await trawl.call('aiVault.nothing', {})
// @ts-expect-error: a query is needed
await trawl.search({})
// @ts-expect-error: the client makes its own
await trawl.search({ query: 'x', partialResultToken: 'mine' })
try {
  await using used = trawl
  await used.hosts()
} catch (error) {
  if (error instanceof TrawlError && error.code === 'rate_limited') export_(error.details.retryAfterSec, null)
}
function export_(..._values: unknown[]): void {}
`
const inNode = `
import { connect } from 'trawl/client'
await connect({ socketPath: '/x', carrier: 'websocket' })
`
const inBrowser = `
import { connect } from 'trawl/client'
// @ts-expect-error: browsers have no Unix sockets
await connect({ socketPath: '/x' })
`

const common = { strict: true, noEmit: true, target: 'es2022', skipLibCheck: false }
const consumers = [
  {
    name: 'nodenext',
    options: { module: 'nodenext', moduleResolution: 'nodenext', types: ['node'] },
    more: inNode,
  },
  {
    name: 'bundler',
    options: {
      module: 'esnext',
      moduleResolution: 'bundler',
      customConditions: ['browser'],
      lib: ['es2022', 'dom'],
      types: [],
    },
    more: inBrowser,
  },
]

describe.skipIf(whyNoBuild() !== null)('trawl/client', () => {
  let dir: string

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'trawl-consumer-'))
    await mkdir(join(dir, 'node_modules/@types'), { recursive: true })
    await writeFile(join(dir, 'package.json'), '{"type":"module"}')
    await symlink(repositoryRoot, join(dir, 'node_modules/trawl'))
    await symlink(join(repositoryRoot, 'node_modules/@types/node'), join(dir, 'node_modules/@types/node'))
  })
  afterAll(async () => await rm(dir, { recursive: true, force: true }))

  it.each(consumers)('has types that resolve with $name, and say no where they should', async (each) => {
    const place = join(dir, each.name)
    await mkdir(place)
    await writeFile(join(place, 'consumer.ts'), consumer)
    await writeFile(join(place, 'more.ts'), each.more)
    const compilerOptions = { ...common, ...each.options }
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', place]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  })

  it('bundles for browsers with nothing of Node in it, and is light', async () => {
    await writeFile(
      join(dir, 'page.js'),
      "import { connect, pair } from 'trawl/client'\nconsole.log(connect, pair)",
    )
    const { outputFiles, metafile } = await build({
      absWorkingDir: dir,
      entryPoints: ['page.js'],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
    })
    const inputs = Object.keys(metafile.inputs)
    expect(inputs.some((path) => path.endsWith('dist/client/browser.js'))).toBe(true)
    const [file] = outputFiles
    expect(file?.text).not.toMatch(/node:|\bBuffer\b|\brequire\(/)
    expect(gzipSync(file?.contents ?? '').length / 1024).toBeLessThan(maxBrowserKibibytes)
  })

  it("runs the README's example as it is printed", async () => {
    const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8')
    const example = /```js\n(import \{ connect \} from 'trawl\/client'[^`]*?(?:`[^`]+`[^`]*?)*)```/.exec(
      readme,
    )?.[1]
    if (example === undefined) throw new Error('the README has no example')
    expect(example.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(10)
    await using home = await createRealHome('home')
    await home.writeClaude({ sessionId: 's1', at: '2026-01-02T00:00:00Z', user: 'the reconnect loop again' })
    const TRAWL_CONFIG = await writeConfig(
      home,
      '[[hosts]]\nid = "runtime:gone"\nurl = "ws://127.0.0.1:1/rpc"\ntoken = "x"\n',
    )
    const TRAWL_DATA_DIR = join(home.homeDir, '.local/share/trawl')
    await using _gateway = await startServedGateway(home, { TRAWL_CONFIG, TRAWL_DATA_DIR })
    const socketPath = join(TRAWL_DATA_DIR, 'gateway.sock')
    await using trawl = await connect({ socketPath })
    await trawl.search({ query: 'reconnect', freshness: 'wait-until-current' })
    const path = join(dir, 'example.mjs')
    await writeFile(path, example)
    expect(await runProgram(path, [], { HOME: home.homeDir })).toEqual({
      exitCode: 0,
      stdout: 'local claude the reconnect loop again\n',
      stderr: 'runtime:gone is missing: offline\n',
    })
  })
})
