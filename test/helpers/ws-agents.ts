/**
 * Any number of runtime hosts behind one port, over real WebSockets: `/hosts/<name>` is the host of that name. Each
 * answers searches with one hit that bears its name, until the test says otherwise.
 */
import { createServer, type Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { HostDescription } from '../../protocol/rpc/describe.ts'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { absentServiceStatus } from '../../protocol/session-search/status.ts'
import { listedHit } from './listed-host.ts'

/** What a host does with a search. `mute` says nothing at all, from the first message of a connection on. */
export type Behaviour =
  | 'answer'
  | 'hang'
  | 'mute'
  | 'die'
  | { readonly answer: unknown; readonly status?: unknown }
  | { readonly error: unknown }

export interface WsAgents extends AsyncDisposable {
  readonly port: number
  url(name: string): string
  behave(name: string, behaviour: Behaviour): void
  /** Ends the host's links, with this close code or none at all, and refuses new ones until it is revived. */
  kill(name: string, closeCode?: number): void
  revive(name: string): void
  /** The params of every search the host was sent. */
  asked(name: string): readonly unknown[]
  /** How often the host was told that a call is not wanted any more. */
  cancelled(name: string): number
  /** Connections the host has now, and has had in all. */
  links(name: string): { readonly now: number; readonly ever: number }
}

export const agentDescription: HostDescription = {
  version: 'x',
  protocol: 1,
  platform: 'linux',
  agents: [],
  searchModes: ['text'],
  methods: [],
  limits: { maxMessageBytes: 1, maxLimit: 1, maxQueryUnits: 1 },
}

/** The answer of the host of that name: one session, named after it. */
export function answerOf(name: string): SearchResults {
  return {
    kind: 'results',
    hits: [{ ...listedHit(`session-of-${name}`, '2026-01-01T00:00:00Z'), cursor: `after-${name}` }],
    page: { cursor: null, hasMore: false },
    generation: 1,
    truncated: { candidates: false, snippets: 0, query: false, freshness: false },
    durationMs: 1,
  }
}

interface Agent {
  behaviour: Behaviour
  isDead: boolean
  readonly asked: unknown[]
  cancelled: number
  ever: number
  readonly sockets: Set<WebSocket>
}

export async function startWsAgents(): Promise<WsAgents> {
  const agents = new Map<string, Agent>()
  const agentOf = (name: string): Agent => {
    const known = agents.get(name)
    if (known !== undefined) return known
    const agent: Agent = {
      behaviour: 'answer',
      isDead: false,
      asked: [],
      cancelled: 0,
      ever: 0,
      sockets: new Set(),
    }
    agents.set(name, agent)
    return agent
  }
  const server: Server = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    const name = decodeURIComponent(request.url?.split('/').at(-1) ?? '')
    const agent = agentOf(name)
    if (agent.isDead) return void socket.destroy()
    sockets.handleUpgrade(request, socket, head, (link) => {
      agent.sockets.add(link)
      agent.ever++
      link.on('error', () => {})
      link.on('close', () => agent.sockets.delete(link))
      link.on('message', (data) => hear(name, agent, link, String(data)))
    })
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const { port } = address
  return {
    port,
    url: (name) => `ws://127.0.0.1:${port}/hosts/${encodeURIComponent(name)}`,
    behave: (name, behaviour) => {
      agentOf(name).behaviour = behaviour
    },
    kill: (name, closeCode) => {
      const agent = agentOf(name)
      agent.isDead = true
      for (const link of agent.sockets) closeCode === undefined ? link.terminate() : link.close(closeCode)
    },
    revive: (name) => {
      agentOf(name).isDead = false
    },
    asked: (name) => agentOf(name).asked,
    cancelled: (name) => agentOf(name).cancelled,
    links: (name) => ({ now: agentOf(name).sockets.size, ever: agentOf(name).ever }),
    async [Symbol.asyncDispose]() {
      for (const agent of agents.values()) for (const link of agent.sockets) link.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function hear(name: string, agent: Agent, link: WebSocket, text: string): void {
  const { behaviour } = agent
  if (behaviour === 'mute') return
  const { id, method, params } = JSON.parse(text)
  const say = (answer: object) => link.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  if (method === '$/cancelRequest') agent.cancelled++
  else if (method === 'host.describe') say({ result: agentDescription })
  else if (method === 'aiVault.searchStatus' && isAnswering(behaviour)) say({ result: statusOf(behaviour) })
  else if (method === 'aiVault.searchSessions' || method === 'aiVault.searchStatus') {
    agent.asked.push(params)
    if (behaviour === 'die') {
      agent.isDead = true
      for (const each of agent.sockets) each.terminate()
    } else if (behaviour === 'answer') say({ result: answerOf(name) })
    else if (typeof behaviour === 'object')
      say('answer' in behaviour ? { result: behaviour.answer } : behaviour)
  } else if (id !== undefined) say({ result: null })
}

function isAnswering(behaviour: Behaviour): boolean {
  return behaviour === 'answer' || (typeof behaviour === 'object' && 'answer' in behaviour)
}

function statusOf(behaviour: Behaviour): unknown {
  const told = typeof behaviour === 'object' && 'answer' in behaviour ? behaviour.status : undefined
  return (
    told ?? { ...absentServiceStatus, enabled: true, phase: 'current', lastReconcileAt: 1, generation: 1 }
  )
}
