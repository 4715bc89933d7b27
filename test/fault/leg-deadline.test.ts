/** Hosts that hang, each in another phase of a call and over a real socket or pipe: an `all` search ends in its time. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../../gateway/config.ts'
import { createGateway, type Gateway } from '../../gateway/gateway.ts'
import { systemClock } from '../../protocol/clock.ts'
import type { HostList } from '../../protocol/rpc/describe.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { createSshHome } from '../helpers/ssh-home.ts'

const legTimeoutMs = 400
/** The promise is 50 ms; the rest is for a machine that has more to do than this test. */
const slackMs = 250

const description = {
  version: 'x',
  protocol: 1,
  platform: 'linux',
  agents: [],
  searchModes: ['text'],
  methods: [],
  limits: { maxMessageBytes: 1, maxLimit: 1, maxQueryUnits: 1 },
}
const hit = {
  agent: 'claude',
  sessionId: 'good',
  title: 't',
  cwd: null,
  branch: null,
  updatedAt: '2026-01-01T00:00:00Z',
  messageCount: 1,
  score: 0,
  source: { presence: 'present' },
  evidence: null,
}
const results = {
  kind: 'results',
  hits: [hit],
  page: { cursor: null, hasMore: false },
  generation: 1,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false },
  durationMs: 1,
}
const answerText = (id: number, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result })

/** A whole text frame as a server sends it: no mask, one length field of two bytes. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 126, payload.length >> 8, payload.length & 255]), payload])
}

/** An agent that shakes hands itself, so that it can stop anywhere. `onCall` hears the client's frames, counted from 1. */
async function rawAgent(onCall: (count: number, socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let calls = 0
    socket.on('data', (chunk: Buffer) => {
      const key = /sec-websocket-key: (\S+)/i.exec(chunk.toString('latin1'))?.[1]
      if (key === undefined) return onCall(++calls, socket)
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Describes itself, and does with a search what the test says. */
const describing = (onSearch: (socket: Socket, id: number) => void) =>
  rawAgent((count, socket) => {
    if (count === 1) socket.write(frame(answerText(1, description)))
    else onSearch(socket, count)
  })

function drip(write: (byte: Buffer) => void, bytes: Buffer): NodeJS.Timeout {
  let at = 0
  return setInterval(() => write(bytes.subarray(at, ++at)), 5)
}

/** This machine's agent, which drips its answer into its stdout. */
const drippingStdio = `
process.stdout.write('trawl-agent ready {"protocol":1,"version":"x"}\\n')
let rest = ''
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n'); rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    const text = (result) => JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n'
    if (method === 'host.describe') process.stdout.write(text(${JSON.stringify(description)}))
    if (method !== 'aiVault.searchSessions') continue
    const bytes = text(${JSON.stringify(results)}); let at = 0
    setInterval(() => process.stdout.write(bytes.slice(at, ++at)), 5)
  }
})
process.stdin.on('end', () => process.exit(0))
`

describe('an `all` search while hosts hang', () => {
  const open: (AsyncDisposable | (() => void))[] = []
  let gateway: Gateway
  beforeEach(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'trawl-deadline-'))
    open.push({ [Symbol.asyncDispose]: async () => await rm(dir, { recursive: true }) })
    const silent = await startFaultProxy(null)
    const silentSsh = await startFaultProxy(null)
    const sshHome = await createSshHome({})
    await sshHome.writeKey('id_ed25519')
    await sshHome.write('config', `Host silent\n  HostName 127.0.0.1\n  Port ${silentSsh.port}\n`)
    const mute = await rawAgent(() => {})
    const good = await describing((socket, id) => socket.write(frame(answerText(id, results))))
    const hang = await describing(() => {})
    const half = await describing((socket, id) => {
      const whole = frame(answerText(id, results))
      socket.write(whole.subarray(0, whole.length / 2))
    })
    const dripping = await describing((socket, id) => {
      const timer = drip((byte) => void socket.write(byte), frame(answerText(id, results)))
      open.push(() => clearInterval(timer))
    })
    open.push(silent, silentSsh, sshHome, mute, good, hang, half, dripping)
    const runtime = (name: string, { port }: { port: number }) =>
      `[[hosts]]\nid = "runtime:${name}"\nurl = "ws://127.0.0.1:${port}/rpc"\ntoken = "t"\n`
    const { homeDir } = sshHome.environment
    const toml = [
      `legTimeoutMs = ${legTimeoutMs}\n`,
      `[[hosts]]\nid = "ssh:silent"\nssh.configFile = "${join(homeDir, '.ssh/config')}"\n`,
      ...Object.entries({ good, silent, mute, hang, half, dripping }).map(([name, host]) =>
        runtime(name, host),
      ),
    ].join('')
    gateway = createGateway({
      config: parseConfig(toml, { file: join(dir, 'c.toml'), homeDir, isOpenToOthers: false, isThere: true }),
      dataDir: dir,
      agentCommand: [process.execPath, '-e', drippingStdio, '--'],
      env: process.env,
      homeDir,
      log: pino({ level: 'silent' }),
      clock: systemClock,
      random: () => 0.9,
      createId: () => 'id',
    })
    open.push(gateway)
  })
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) {
      if (typeof one === 'function') one()
      else await one[Symbol.asyncDispose]()
    }
  })

  async function call(method: string, params: object): Promise<unknown> {
    const serve = gateway.methodsFor({ exposure: 'ipc', name: 'test' }).get(method)
    return await serve?.(params, { signal: new AbortController().signal, notify: () => {} })
  }

  async function stateOf(id: string): Promise<string | undefined> {
    const { hosts } = (await call('hosts.list', {})) as HostList
    return hosts.find((host) => host.executionHostId === id)?.state
  }

  async function timedSearch(): Promise<{ answer: SearchResults; elapsedMs: number }> {
    const startedMs = performance.now()
    const answer = (await call('aiVault.searchSessions', {
      query: 'q',
      executionHostId: 'all',
    })) as SearchResults
    return { answer, elapsedMs: performance.now() - startedMs }
  }

  const legs = ({ hosts = [] }: SearchResults) =>
    Object.fromEntries(
      hosts.map(({ executionHostId, outcome, reason }) => [executionHostId, reason ?? outcome]),
    )

  it('[routing.all-legs] ends within the leg’s time in every phase, connecting, unanswered and mid-answer', async () => {
    for (const id of ['local', 'runtime:good', 'runtime:hang', 'runtime:half', 'runtime:dripping'])
      while ((await stateOf(id)) !== 'ready') await new Promise((resolve) => setImmediate(resolve))

    const { answer, elapsedMs } = await timedSearch()
    expect(legs(answer)).toEqual({
      local: 'timeout',
      'ssh:silent': 'connecting',
      'runtime:good': 'results',
      'runtime:silent': 'connecting',
      'runtime:mute': 'connecting',
      'runtime:hang': 'timeout',
      'runtime:half': 'timeout',
      'runtime:dripping': 'timeout',
    })
    expect(answer.hits.map((one) => one.sessionId)).toEqual(['good'])
    expect(elapsedMs).toBeGreaterThanOrEqual(legTimeoutMs - 5)
    expect(elapsedMs).toBeLessThan(legTimeoutMs + slackMs)
    for (const leg of answer.hosts ?? []) expect(leg.durationMs).toBeLessThan(legTimeoutMs + slackMs)
  })
})
