/**
 * A real `trawl serve` over three real hosts – local, SSH, runtime – and four that are broken, set aside or lie, all of
 * them full of plants; and every byte that a paired client, or the owner, is sent by it.
 */
import { once } from 'node:events'
import { appendFile, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import WebSocket from 'ws'
import { systemCode } from '../../gateway/refusal.ts'
import { absentServiceStatus } from '../../protocol/session-search/status.ts'
import { type Ask, breakIndex } from './ask-everything.ts'
import { send } from './doors.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import { pairDevice } from './paired-device.ts'
import { commonPlants, type PlantedHome, type Plants, plantHome } from './planted-home.ts'
import { agentProgram, type ListeningAgent, startListeningAgent } from './real-hosts.ts'
import { type ServedGateway, startServedGateway } from './served-gateway.ts'
import { createSshDesk, type SshDesk } from './ssh-desk.ts'
import { whyNoSshd } from './sshd.ts'
import { answerOf, startWsAgents, type WsAgents } from './ws-agents.ts'

export type Who = 'relay' | 'owner'

export interface PlantedGateway extends AsyncDisposable {
  /** Those that work, until they are broken. */
  readonly hosts: readonly { readonly id: string; readonly home: PlantedHome }[]
  /** Broken ones, one that is set aside, and one that lies. */
  readonly otherIds: readonly string[]
  /** What no relay may be sent a byte of. */
  plants(): Plants
  /** A connection of one caller, a new device each time where it is a relay. */
  connect(who: Who): Promise<Connection>
  /** From here on the lying host answers with errors. */
  turnErrors(): void
  /** From here on nothing works inside the three. */
  breakIndexes(): void
  /** The runtime host is gone, and the gateway knows. */
  endRuntimeHost(): Promise<void>
  /** All that was sent to them so far, headers and handshakes too. */
  captured(who: Who): string
}

export interface Connection extends AsyncDisposable {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly overPost: Ask
  readonly overWebSocket: Ask
  /** Sends a request as it is; what comes is captured, and told. */
  request(options: Parameters<typeof send>[1]): Promise<string>
}

export async function startPlantedGateway(): Promise<PlantedGateway> {
  const open: AsyncDisposable[] = []
  const keep = <One extends AsyncDisposable>(one: One): One => {
    open.push(one)
    return one
  }
  const [laptop, devbox, ci] = await Promise.all(
    ['plantedlaptop', 'planteddevbox', 'plantedci'].map(async (name) => keep(await plantHome(name))),
  )
  if (laptop === undefined || devbox === undefined || ci === undefined) throw new Error('no homes')
  const agent = keep(await startListeningAgent(ci))
  const others = keep(await startWsAgents())
  others.behave('liar', { answer: lies, status: lyingStatus })
  const ssh = whyNoSshd() === null ? keep(await createSshDesk()) : null
  await appendFile(laptop.configFile, await hostsToml({ agent, others, ssh, devbox, laptop }))
  const gateway = keep(await startServedGateway(laptop))
  const gatewayPort = Number(new URL(gateway.url).port)
  const chunks: Record<Who, Buffer[]> = { relay: [], owner: [] }
  const proxyOf = async (who: Who) =>
    keep(await startFaultProxy(gatewayPort, { onToClient: (chunk) => void chunks[who].push(chunk) }))
  const proxies: Record<Who, FaultProxy> = { relay: await proxyOf('relay'), owner: await proxyOf('owner') }
  const localToken = (await readFile(join(laptop.dataDir, 'token'), 'utf8')).trim()
  const tokens: Record<string, string> = {
    'token of this machine': localToken,
    'token of the runtime host': agent.peerToken,
    'local token of the runtime host': agent.localToken,
  }
  const hosts = [
    { id: 'local', home: laptop },
    { id: 'runtime:ci', home: ci },
    ...(ssh === null ? [] : [{ id: 'ssh:devbox', home: devbox }]),
  ]
  await untilReady(gateway, [...hosts.map(({ id }) => id), 'runtime:liar'])

  const owner = async (method: string, params: object) => {
    const { result, error } = await gateway.call(method, params)
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  async function tokenFor(who: Who): Promise<string> {
    if (who === 'owner') return localToken
    const name = `phone ${Object.keys(tokens).length}`
    const device = await pairDevice(`ws://127.0.0.1:${proxies.relay.port}/pair`, owner, { name })
    tokens[`token of ${name}`] = device.token
    return device.token
  }

  return {
    hosts,
    otherIds: ['runtime:liar', 'runtime:down', 'runtime:bad', 'ssh:nowhere'],
    plants: () => ({
      ...commonPlants,
      ...tokens,
      ...Object.fromEntries(
        hosts.flatMap(({ id, home }) =>
          Object.entries(home.plants).map(([name, text]) => [`${name} of ${id}`, text]),
        ),
      ),
      'what a host says': 'plantedlie',
      'token file': 'plantedtoken',
      'configuration of ssh': 'plantedsshconfig',
      ...(ssh === null ? {} : { 'home of ssh': basename(ssh.home.homeDir) }),
    }),
    async connect(who) {
      return await connectionTo(proxies[who].port, await tokenFor(who))
    },
    turnErrors: () => others.behave('liar', { error: lyingError }),
    breakIndexes() {
      for (const { home } of hosts) breakIndex(home.dataDir)
    },
    async endRuntimeHost() {
      await agent[Symbol.asyncDispose]()
      await untilState(gateway, 'runtime:ci', 'offline')
    },
    captured: (who) => Buffer.concat(chunks[who]).toString('latin1'),
    async [Symbol.asyncDispose]() {
      for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
    },
  }
}

interface Parts {
  readonly agent: ListeningAgent
  readonly others: WsAgents
  readonly ssh: SshDesk | null
  readonly devbox: PlantedHome
  readonly laptop: PlantedHome
}

async function hostsToml({ agent, others, ssh, devbox, laptop }: Parts): Promise<string> {
  const entry = (id: string, lines: readonly string[]) => `\n[[hosts]]\nid = "${id}"\n${lines.join('\n')}\n`
  let toml =
    entry('runtime:ci', [`url = "${agent.url}"`, `token = "${agent.peerToken}"`]) +
    entry('runtime:liar', [`url = "${others.url('liar')}"`, 'token = "t"']) +
    entry('runtime:down', ['url = "ws://127.0.0.1:9/plantedpath"', 'token = "t"']) +
    entry('runtime:bad', [
      'url = "ws://127.0.0.1:9/rpc"',
      `tokenFile = "${join(laptop.homeDir, 'plantedtoken')}"`,
    ]) +
    entry('ssh:nowhere', [`ssh.configFile = "${join(laptop.homeDir, 'plantedsshconfig')}"`])
  if (ssh === null) return toml
  const { sshDir, knownHostsFile } = ssh.home
  await ssh.configure([
    `IdentityFile ${join(sshDir, 'id_ed25519')}`,
    'IdentityAgent none',
    `UserKnownHostsFile ${knownHostsFile}`,
  ])
  const variables = Object.entries(devbox.env).map(([name, value]) => `${name}=${value}`)
  const command = ['env', ...variables, process.execPath, agentProgram, 'stdio'].join(' ')
  toml += entry('ssh:devbox', [
    `ssh.configFile = "${join(sshDir, 'config')}"`,
    `ssh.agentCommand = "${command}"`,
  ])
  return toml
}

/** A host that answers a relay's question as no host should. */
const lies = {
  ...answerOf('liar'),
  hits: answerOf('liar').hits.map((hit) => ({
    ...hit,
    source: { presence: 'present', filePath: '/plantedlie/file', codexHome: '/plantedlie/codex' },
    resumeCommand: 'plantedlie resume',
    plantedlie: 'a member nobody knows',
  })),
}
const lyingStatus = {
  ...absentServiceStatus,
  enabled: true,
  phase: 'degraded',
  degradedRoots: [{ root: '/plantedlie/root', reason: 'EACCES /plantedlie/root' }],
  unreadFiles: [{ path: '/plantedlie/file', agent: 'claude', reason: 'plantedlie', lines: 1 }],
  watching: { mode: 'polling', reason: 'plantedlie' },
}
const lyingError = {
  code: -32602,
  message: 'cannot open /plantedlie/file',
  data: {
    code: 'invalid_path',
    reason: '/plantedlie/reason',
    correlationId: '/plantedlie/id',
    issues: [{ path: '/plantedlie', message: 'plantedlie' }],
    hosts: [{ executionHostId: 'plantedlie', outcome: 'results', durationMs: 1 }],
  },
}

async function untilReady(gateway: ServedGateway, ids: readonly string[]): Promise<void> {
  for (const id of ids) await untilState(gateway, id, 'ready')
  for (const id of ['runtime:down', 'ssh:nowhere']) await untilState(gateway, id, 'offline')
}

async function untilState(gateway: ServedGateway, id: string, wanted: string): Promise<void> {
  for (;;) {
    const { result } = await gateway.call('hosts.list', {})
    const { hosts } = result as { hosts: { executionHostId: string; state: string; detail?: string }[] }
    const host = hosts.find(({ executionHostId }) => executionHostId === id)
    if (host?.state === wanted) return
    if (host === undefined || (wanted === 'ready' && host.state === 'offline'))
      throw new Error(`${id}: ${JSON.stringify(host)}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function connectionTo(port: number, token: string): Promise<Connection> {
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/rpc`, { perMessageDeflate: false })
  await once(socket, 'open')
  const overWebSocket: Ask = async (text) => {
    const answered = new Promise<string>((resolve) => {
      const onMessage = (data: WebSocket.RawData) => {
        // Progress goes before its answer.
        if (String(data).includes('"$/progress"')) return
        socket.off('message', onMessage)
        resolve(String(data))
      }
      socket.on('message', onMessage)
    })
    socket.send(text)
    return JSON.parse(await answered)
  }
  const said = await overWebSocket(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'auth', params: { token } }),
  )
  if (said.error !== undefined) throw new Error(JSON.stringify(said))
  const request: Connection['request'] = async (options) => {
    try {
      return (await send({ port }, options)).text
    } catch (error) {
      // Whoever is refused while it still sends is not read to the end.
      if (systemCode(error) === 'ECONNRESET' || systemCode(error) === 'EPIPE') return ''
      throw error
    }
  }
  return {
    port,
    headers,
    overWebSocket,
    overPost: async (text) => JSON.parse(await request({ headers, body: text })),
    request,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
