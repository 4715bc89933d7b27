/** The memory of a real `trawl serve` that keeps 1,000 runtime hosts connected and has nothing to do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostListSchema } from '../protocol/rpc/describe.ts'
import { residentMB, startProgram } from './child-program.ts'
import { median } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'

const hostCount = 1000
const connectPatienceMs = 60_000

export const idleHosts: BenchRow = {
  name: 'idle-hosts',
  what: "the gateway's resident memory with 1,000 connected, idle hosts",
  unit: 'MB',
  atMost: 200,
  measure: measureIdleHosts,
}

async function measureIdleHosts(context: BenchContext): Promise<Measured> {
  // A Unix socket's path may not be long, so this does not lie in the work folder.
  const dir = mkdtempSync(join(tmpdir(), 'trawl-bench-'))
  try {
    await using hosts = await startProgram([join(context.programsDir, 'answering-hosts.mjs')])
    const configFile = join(dir, 'config.toml')
    writeFileSync(configFile, configText(Number(hosts.readyLine)), { mode: 0o600 })
    await using gateway = await startProgram(
      [join(context.binDir, 'trawl.js'), 'serve', '--listen', '127.0.0.1:0'],
      {
        env: { HOME: dir, TRAWL_DATA_DIR: join(dir, 'data'), TRAWL_CONFIG: configFile },
        readyOn: 'stderr',
        isReady: (line) => line.startsWith('Listening on'),
      },
    )
    await untilConnected(join(dir, 'data', 'gateway.sock'))
    // More than one interval of the links' pings, so that what those cost is in it.
    const samples: number[] = []
    for (let second = 0; second < (context.quick ? 3 : 20); second++) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      samples.push(residentMB(gateway.pid))
    }
    return {
      value: median(samples),
      detail: `VmRSS of \`trawl serve\`, median of ${samples.length} s, ${Math.max(...samples).toFixed(0)} MB at most; its local agent is another process`,
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function configText(port: number): string {
  const host = (at: number) =>
    `[[hosts]]\nid = "runtime:idle-${at}"\nurl = "ws://127.0.0.1:${port}/hosts/${at}"\ntoken = "bench"\n`
  return Array.from({ length: hostCount }, (_, at) => host(at)).join('\n')
}

/** @throws Error when they do not all connect. */
async function untilConnected(socketPath: string): Promise<void> {
  const giveUpAtMs = performance.now() + connectPatienceMs
  for (;;) {
    const { result } = (await post(socketPath, { jsonrpc: '2.0', id: 1, method: 'hosts.list' })) as {
      result: unknown
    }
    const { hosts } = hostListSchema.parse(result)
    const ready = hosts.filter((host) => host.kind === 'runtime' && host.state === 'ready').length
    if (ready === hostCount) return
    if (performance.now() > giveUpAtMs) throw new Error(`only ${ready} of ${hostCount} hosts connected`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function post(socketPath: string, body: object): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const call = request(
      { socketPath, path: '/rpc', method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve(JSON.parse(text)))
        response.on('error', reject)
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}
