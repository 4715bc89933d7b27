/** The built `trawl` as a process of its own: signals, and an output that closes early. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../helpers/bundle.ts'

const program = join(repositoryRoot, 'bin', 'trawl.js')
const isBuilt = existsSync(join(repositoryRoot, 'dist', 'trawl.js'))
if (!isBuilt) console.log('gateway-process: skipped, because there is no build (npm run build)')

describe.skipIf(!isBuilt)('bin/trawl.js', () => {
  let dir = ''
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'trawl-process-'))
  })
  // The agent of a gateway that was killed ends by itself a moment later, and writes until then.
  afterEach(async () => await rm(dir, { recursive: true, maxRetries: 20, retryDelay: 100 }))

  function start(
    args: string[],
    env: Record<string, string> = {},
  ): {
    child: ChildProcess
    stderrHas(text: string): Promise<void>
    stderr(): string
  } {
    const child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, HOME: dir, TRAWL_DATA_DIR: join(dir, 'data'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    child.stderr?.on('data', (part: Buffer) => {
      stderr += part.toString()
    })
    return {
      child,
      stderr: () => stderr,
      async stderrHas(text) {
        while (!stderr.includes(text)) await once(child.stderr ?? child, 'data')
      },
    }
  }

  it.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s and leaves no socket file', async (signal) => {
    const { child, stderrHas } = start(['serve', '--listen', '127.0.0.1:0'])
    await stderrHas('Listening on')
    expect(existsSync(join(dir, 'data', 'gateway.sock'))).toBe(true)
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(existsSync(join(dir, 'data', 'gateway.sock'))).toBe(false)
  })

  it('ends at once with 130 on Ctrl-C, though a host keeps it waiting', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const config = join(dir, 'config.toml')
    const host = `[[hosts]]\nid = "runtime:silent"\nurl = "ws://127.0.0.1:${port}/rpc"\ntoken = "t"\n`
    await writeFile(config, `legTimeoutMs = 600000\n\n${host}`, { mode: 0o600 })
    const { child, stderr } = start(['hosts'], { TRAWL_CONFIG: config })
    const [socket] = (await once(silent, 'connection')) as [Socket]
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    expect(stderr()).toBe('')
    socket.destroy()
    silent.close()
  })

  it('starts again after kill -9, over the socket file that was left', async () => {
    const killed = start(['serve', '--listen', '127.0.0.1:0'])
    await killed.stderrHas('Listening on')
    killed.child.kill('SIGKILL')
    await once(killed.child, 'exit')
    expect(existsSync(join(dir, 'data', 'gateway.sock'))).toBe(true)
    const again = start(['serve', '--listen', '127.0.0.1:0'])
    await again.stderrHas('Listening on')
    again.child.kill('SIGINT')
    expect(await once(again.child, 'exit')).toEqual([0, null])
  })

  it('is quiet when nobody reads its output any more', async () => {
    const { child, stderr } = start(['search', '--help'])
    child.stdout?.destroy()
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(stderr()).toBe('')
  })

  it('says its version', async () => {
    const { child } = start(['--version'])
    const [text] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    expect(text.toString()).toMatch(/^trawl \d+\.\d+\.\d+\n$/)
    if (child.exitCode === null) await once(child, 'exit')
  })
})
