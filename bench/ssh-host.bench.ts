/**
 * What an SSH host costs beyond the network: a query on a warm link beside a bare echo of the same bytes, and the round
 * trips until a fresh host, or one that has been there, is ready. Round trips are told from time: a network that is
 * slower by so much makes a start later by that many times as much.
 */
import type { Client, ClientChannel } from 'ssh2'
import { openAgentBundle } from '../gateway/hosts/ssh/agent-bundle.ts'
import { connectSsh } from '../gateway/hosts/ssh/connect.ts'
import { openSshHost } from '../gateway/hosts/ssh/open-ssh-host.ts'
import { settingsFromConfig } from '../gateway/hosts/ssh/ssh-settings.ts'
import { parseSshTarget } from '../gateway/hosts/ssh/target.ts'
import { systemClock } from '../protocol/clock.ts'
import { openConnection, type RpcConnection } from '../protocol/rpc/connection.ts'
import { maxPeerMessageBytes } from '../protocol/rpc/message-channel.ts'
import { searchResponseSchema } from '../protocol/session-search/response.ts'
import { measureByTurns, median } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'
import { type SshFarm, startSshFarm } from './ssh-farm.ts'

/** As between a home and a data centre nearby. */
const nearbyMs = 20
/** Slow enough that the machine's own moods are a small part of a round trip. */
const slowMs = 400

export const sshSecondQuery: BenchRow = {
  name: 'ssh-second-query',
  what: `second query to an SSH host ${nearbyMs} ms away ÷ bare \`ssh2\` echo of the same bytes, warm, p50`,
  unit: 'ratio',
  atMost: 1.5,
  measure: measureSecondQuery,
}

export const sshFirstUse: BenchRow = {
  name: 'ssh-first-use',
  what: 'round trips from nothing to a ready agent on a fresh SSH host: TCP, handshake, login, push, start',
  unit: 'ratio',
  atMost: 12,
  measure: async (context) => (await context.once('ssh-starts', () => measureStarts(context))).first,
}

export const sshNextUse: BenchRow = {
  name: 'ssh-next-use',
  what: 'round trips from the login to a ready agent on an SSH host that has it',
  unit: 'ratio',
  atMost: 3,
  measure: async (context) => (await context.once('ssh-starts', () => measureStarts(context))).next,
}

interface Start {
  readonly totalMs: number
  readonly afterLoginMs: number
  readonly pushedBytes: number
  readonly connection: RpcConnection
}

async function start({ desk, host, bundleFile }: SshFarm): Promise<Start> {
  const startedMs = performance.now()
  let loggedInMs = startedMs
  let pushedBytes = 0
  const { open } = openSshHost(host, {
    env: {},
    homeDir: desk.home.homeDir,
    clock: systemClock,
    timeoutMs: 30_000,
    bundle: openAgentBundle(bundleFile),
    onFound: (part) => {
      if (part === 'login') loggedInMs = performance.now()
    },
    onPush: (bytes) => {
      pushedBytes = bytes
    },
  })
  const channel = await open(new AbortController().signal)
  const readyMs = performance.now()
  const connection = openConnection(channel, {
    methods: new Map(),
    maxMessageBytes: maxPeerMessageBytes,
    createId: () => 'bench',
  })
  return { totalMs: readyMs - startedMs, afterLoginMs: readyMs - loggedInMs, pushedBytes, connection }
}

async function measureStarts(context: BenchContext): Promise<{ first: Measured; next: Measured }> {
  await using farm = await startSshFarm(context)
  const rounds = context.quick ? 1 : 5
  const times = { firstNear: [], firstFar: [], nextNear: [], nextFar: [] } as Record<string, number[]>
  let pushedBytes = 0
  for (let round = 0; round < rounds; round++) {
    for (const far of [false, true]) {
      farm.roundTrip(far ? slowMs : 0)
      await farm.makeFresh()
      const first = await start(farm)
      await first.connection.close()
      const next = await start(farm)
      await next.connection.close()
      if (first.pushedBytes === 0 || next.pushedBytes !== 0) throw new Error('the agent is sent once')
      pushedBytes = first.pushedBytes
      times[far ? 'firstFar' : 'firstNear']?.push(first.totalMs)
      times[far ? 'nextFar' : 'nextNear']?.push(next.afterLoginMs)
    }
  }
  const told = (near: string, far: string) => {
    const nearMs = median(times[near] ?? [])
    const farMs = median(times[far] ?? [])
    const detail = `${Math.round(nearMs)} ms with no delay, ${Math.round(farMs)} ms with ${slowMs} ms a round trip: ${((farMs - nearMs) / slowMs).toFixed(2)}; ${rounds} rounds`
    // They come whole; what is beside that is the machine's.
    return { value: Math.round((farMs - nearMs) / slowMs), detail }
  }
  const first = told('firstNear', 'firstFar')
  return {
    first: { ...first, detail: `${first.detail}; ${Math.round(pushedBytes / 1000)} kB sent` },
    next: told('nextNear', 'nextFar'),
  }
}

async function measureSecondQuery(context: BenchContext): Promise<Measured> {
  await using farm = await startSshFarm(context)
  const { connection } = await start(farm)
  try {
    const ask = async (query: string) => {
      const params = { query, limit: 20 }
      const answer = await connection.call('aiVault.searchSessions', params, { timeoutMs: 60_000 })
      return {
        request: JSON.stringify(params).length + 80,
        answer: JSON.stringify(answer).length + 40,
        parsed: searchResponseSchema.parse(answer),
      }
    }
    await connection.call(
      'aiVault.searchSessions',
      { query: 'index', freshness: 'wait-until-current' },
      { timeoutMs: 60_000 },
    )
    const query = farm.queries[0] ?? 'reconnect'
    const sizes = await ask(query)
    if (sizes.parsed.kind !== 'results' || sizes.parsed.hits.length === 0)
      throw new Error('the query finds nothing')
    await using echo = await startEcho(farm, sizes.request, sizes.answer)
    const rounds = { warmUp: 5, counted: context.quick ? 10 : 100 }
    const compare = async (roundTripMs: number) => {
      farm.roundTrip(roundTripMs)
      const { aMs, bMs } = await measureByTurns(
        async () => void (await ask(query)),
        () => echo.once(),
        rounds,
      )
      return { queryMs: median(aMs), echoMs: median(bMs) }
    }
    const loopback = await compare(0)
    const nearby = await compare(nearbyMs)
    farm.roundTrip(0)
    const figures = ({ queryMs, echoMs }: typeof nearby) => `${queryMs.toFixed(1)} ÷ ${echoMs.toFixed(1)} ms`
    return {
      value: nearby.queryMs / nearby.echoMs,
      detail: `${figures(nearby)}; on loopback ${figures(loopback)}, the search itself included; ${sizes.answer} bytes, ${rounds.counted} rounds by turns`,
    }
  } finally {
    await connection.close()
  }
}

/** One exec channel of its own connection to a program that answers a line of one size with one of another. */
async function startEcho(farm: SshFarm, requestBytes: number, answerBytes: number) {
  const settings = await settingsFromConfig(farm.desk.home.environment)(parseSshTarget('devbox'))
  const ssh = await connectSsh({
    settings,
    via: null,
    clock: systemClock,
    signal: new AbortController().signal,
    onStage: () => {},
    onNote: () => {},
  })
  const program = `const answer="x".repeat(${answerBytes - 1})+"\\n";process.stdin.on("data",(d)=>{if(d[d.length-1]===10)process.stdout.write(answer)})`
  const channel = await exec(ssh.client, `${process.execPath} -e '${program}'`)
  const request = `${'q'.repeat(requestBytes - 1)}\n`
  return {
    once: () =>
      new Promise<void>((resolve) => {
        let got = 0
        const onData = (chunk: Buffer) => {
          got += chunk.length
          if (got < answerBytes) return
          channel.off('data', onData)
          resolve()
        }
        channel.on('data', onData)
        channel.write(request)
      }),
    async [Symbol.asyncDispose]() {
      ssh.destroy()
      await ssh.closed
    },
  }
}

function exec(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)))
  })
}
