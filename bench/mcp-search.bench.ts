/**
 * What MCP costs beyond the call it makes: `search_sessions` by the official client over HTTP, beside `POST /rpc` with the
 * same search, to one gateway with three real agents.
 */
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { pino } from 'pino'
import { createAccess } from '../gateway/access/caller.ts'
import { openDoors } from '../gateway/serve/open-doors.ts'
import { systemClock } from '../protocol/clock.ts'
import { median, timeMs } from './measure.ts'
import type { BenchContext, BenchRow, Measured } from './row.ts'
import { queriesFor, startThreeHosts } from './three-hosts.bench.ts'

const limit = 10

export const mcpSearch: BenchRow = {
  name: 'mcp-search',
  what: 'MCP `search_sessions` over 3 hosts, p50, ÷ the same JSON-RPC call',
  unit: 'ratio',
  atMost: 1.3,
  measure: measureMcpSearch,
}

async function measureMcpSearch(context: BenchContext): Promise<Measured> {
  await using hosts = await startThreeHosts(context)
  await using doors = await openDoors({
    listen: { host: '127.0.0.1', port: 0 },
    socketPath: join(context.workDir, 'mcp.sock'),
    access: createAccess([() => ({ exposure: 'runtime', name: 'bench' })]),
    version: 'bench',
    log: pino({ level: 'silent' }),
    clock: systemClock,
    methodsFor: async (caller) => hosts.gateway.methodsFor(caller),
    createId: () => 'bench',
  })
  const origin = `http://127.0.0.1:${doors.address.port}`
  const headers = { authorization: 'Bearer bench' }
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }),
  )
  const askMcp = async (query: string) => {
    const { structuredContent } = await client.callTool({
      name: 'search_sessions',
      arguments: { query, limit },
    })
    expectWhole((structuredContent as { hosts: readonly { outcome: string }[] } | undefined)?.hosts)
  }
  const askRpc = async (query: string) => {
    const params = { query, executionHostId: 'all', limit, paging: 'complete', filters: {} }
    const answer = await fetch(`${origin}/rpc`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'aiVault.searchSessions', params }),
    })
    const { result } = (await answer.json()) as { result?: { hosts: readonly { outcome: string }[] } }
    expectWhole(result?.hosts)
  }
  const mcpMs: number[] = []
  const rpcMs: number[] = []
  const queries = queriesFor(context, hosts.machines)
  const rounds = context.quick ? 3 : 15
  for (let round = -2; round < rounds; round++)
    for (const [at, query] of queries.entries()) {
      const turns = [
        { ask: askMcp, times: mcpMs },
        { ask: askRpc, times: rpcMs },
      ]
      if ((at + round) % 2 !== 0) turns.reverse()
      for (const { ask, times } of turns) {
        const ms = await timeMs(async () => await ask(query))
        if (round >= 0) times.push(ms)
      }
    }
  await client.close()
  const [mcp, rpc] = [median(mcpMs), median(rpcMs)]
  return {
    value: mcp / rpc,
    detail: `${mcp.toFixed(1)} ms ÷ ${rpc.toFixed(1)} ms; ${queries.length} queries, ${rounds} rounds by turns`,
  }
}

function expectWhole(hosts: readonly { outcome: string }[] | undefined): void {
  if (hosts?.length !== 3 || hosts.some(({ outcome }) => outcome !== 'results'))
    throw new Error(`not whole: ${JSON.stringify(hosts)}`)
}
