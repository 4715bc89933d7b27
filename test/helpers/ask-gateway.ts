/** All that there is to ask of a planted gateway, by a paired client and by the owner alike, over each carrier. */
import { createAsker } from './ask-everything.ts'
import type { Connection, PlantedGateway, Who } from './planted-gateway.ts'
import { sessionCount } from './planted-home.ts'

export type GatewayAnswers = Readonly<Record<Who, readonly string[]>>

/** @returns what the answers were, in short, for each of the two. */
export async function askGateway(gateway: PlantedGateway): Promise<GatewayAnswers> {
  const kinds: Record<Who, Set<string>> = { relay: new Set(), owner: new Set() }
  const both = async (ask: (who: Who, note: (kind: string) => void) => Promise<void>) => {
    for (const who of ['relay', 'owner'] as const) await ask(who, (kind) => kinds[who].add(kind))
  }
  await both(async (who, note) => await askHosts(gateway, who, note, 'askWorking'))
  await both(async (who, note) => await askAsWhole(gateway, who, note))
  await both(async (who) => await askOverMcp(gateway, who))
  await both(async (who) => await askDoor(gateway, who))
  gateway.turnErrors()
  await both(async (who, note) => await askOthers(gateway, who, note))
  gateway.breakIndexes()
  await both(async (who, note) => await askHosts(gateway, who, note, 'askBroken'))
  await both(async (who) => await askOverMcp(gateway, who))
  await gateway.endRuntimeHost()
  await both(async (who, note) => await askAsWhole(gateway, who, note))
  await both(async (who, note) => await askOthers(gateway, who, note))
  return { relay: [...kinds.relay].sort(), owner: [...kinds.owner].sort() }
}

type Note = (kind: string) => void

/** A new device for each host and carrier: one alone would be told to wait. */
async function askHosts(
  gateway: PlantedGateway,
  who: Who,
  note: Note,
  what: 'askWorking' | 'askBroken',
): Promise<void> {
  for (const { id, home } of gateway.hosts)
    for (const carrier of ['overPost', 'overWebSocket'] as const) {
      await using connection = await gateway.connect(who)
      const options = { executionHostId: id, sessionCount, pathToTry: home.homeDir }
      const asker = createAsker(connection[carrier], options)
      await asker[what]()
      for (const kind of asker.seen()) note(kind)
    }
}

async function call({ overPost, overWebSocket }: Connection, note: Note, method: string, params: object) {
  for (const ask of [overPost, overWebSocket]) {
    const { error, result } = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    note(error?.data?.code ?? result?.kind ?? (error ? 'error' : 'value'))
  }
}

/** What is asked of all hosts at once, or of the gateway itself. */
async function askAsWhole(gateway: PlantedGateway, who: Who, note: Note): Promise<void> {
  await using connection = await gateway.connect(who)
  const ask = async (method: string, params: object = {}) => await call(connection, note, method, params)
  const all = { executionHostId: 'all', query: 'timer' }
  await ask('hosts.list')
  await ask('caller.describe')
  for (const more of [
    { partialResultToken: 'p', debug: true },
    { partialResultToken: 7, paging: 'complete', limit: 3 },
    { strict: true },
    { deadlineMs: 1 },
    { query: 'host:liar q' },
    { query: 'host:nobody q' },
    { cursor: 'nonsense' },
    { cursor: Buffer.from('{"runtime:gone":"x"}').toString('base64url') },
  ])
    await ask('aiVault.searchSessions', { ...all, ...more })
  await ask('aiVault.searchStatus', { executionHostId: 'all' })
  // The owner may do these, and is not to do them here.
  if (who === 'owner') return
  for (const [method, params] of [
    ['devices.list', {}],
    ['devices.offer', {}],
    ['devices.await', { offerId: 'x' }],
    ['devices.decide', { offerId: 'x', may: ['read'] }],
    ['devices.revoke', { name: 'phone 1' }],
    ['hosts.add', { host: { id: 'ssh:other' } }],
    ['hosts.remove', { executionHostId: 'ssh:nowhere' }],
    ['hosts.retry', { executionHostId: 'runtime:gone' }],
    ['hosts.invite', { executionHostId: 'runtime:other' }],
  ] as const)
    await ask(method, params)
}

/** Hosts that are down, set aside, lie, or are gone. */
async function askOthers(gateway: PlantedGateway, who: Who, note: Note): Promise<void> {
  for (const executionHostId of [...gateway.otherIds, 'runtime:ci', 'ssh:elsewhere']) {
    await using connection = await gateway.connect(who)
    const ask = async (method: string, params: object = {}) =>
      await call(connection, note, method, { executionHostId, ...params })
    await ask('aiVault.searchSessions', { query: 'timer', debug: true })
    await ask('aiVault.searchStatus')
    await ask('aiVault.readSession', { agent: 'claude', sessionId: 's0' })
    await ask('host.describe')
    await ask('hosts.list')
  }
}

async function askOverMcp(gateway: PlantedGateway, who: Who): Promise<void> {
  await using connection = await gateway.connect(who)
  const accept = 'application/json, text/event-stream'
  const post = async (body: string) =>
    await connection.request({ path: '/mcp', headers: { ...connection.headers, accept }, body })
  const rpc = async (method: string, params: object = {}) =>
    await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const tool = async (name: string, args: object) => await rpc('tools/call', { name, arguments: args })
  const clientInfo = { name: 'test', version: '1' }
  await rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  for (const method of ['tools/list', 'resources/list', 'no/such', 'ping']) await rpc(method)
  await tool('list_hosts', {})
  await tool('index_status', {})
  await tool('search_sessions', { query: 'timer', limit: 3, maxTokens: 20_000 })
  await tool('no_such_tool', {})
  await tool('search_sessions', { query: 7 })
  for (const executionHostId of [
    ...gateway.hosts.map(({ id }) => id),
    ...gateway.otherIds,
    'ssh:elsewhere',
  ]) {
    await tool('search_sessions', { query: 'timer', executionHostId, maxTokens: 20_000 })
    await tool('read_session', { executionHostId, agent: 'claude', sessionId: 's0' })
    await tool('read_session', { executionHostId, agent: 'claude', sessionId: '../x', cursor: 'x' })
    await tool('index_status', { executionHostId })
  }
  for (const body of ['{', '[]', '1', JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'ping' }])])
    await post(body)
  for (const method of ['GET', 'DELETE'])
    await connection.request({ method, path: '/mcp', headers: connection.headers })
}

/** What is answered before JSON-RPC is. */
async function askDoor(gateway: PlantedGateway, who: Who): Promise<void> {
  await using connection = await gateway.connect(who)
  const { headers, request } = connection
  const body = '{"jsonrpc":"2.0","id":1,"method":"hosts.list"}'
  const long = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'x',
    params: { pad: 'x'.repeat(1024 * 1024) },
  })
  // Announced only: the answer to what is being sent can get lost.
  await request({ headers: { ...headers, 'content-length': String(2 * 1024 * 1024) } })
  await connection.overWebSocket(long)
  await request({ headers: { ...headers, 'content-type': 'text/plain' }, body })
  await request({ headers: { ...headers, host: 'evil.example' }, body })
  await request({ headers: { ...headers, origin: 'https://evil.example' }, body })
  for (const path of ['/health', '/', '/nowhere', '/assets/../../package.json', '/assets/%2e%2e/x', '/%'])
    await request({ method: 'GET', path, headers })
  for (const method of ['OPTIONS', 'HEAD', 'PUT']) await request({ method, headers })
  for (const path of ['/rpc', '/mcp', '/pair'])
    await request({ method: 'GET', path, headers: { ...headers, connection: 'Upgrade', upgrade: 'x' } })
  // The last, for after it no wrong one is told apart from another.
  for (let tries = 0; tries < 25; tries++) await request({ headers: { authorization: 'Bearer wrong' }, body })
}
