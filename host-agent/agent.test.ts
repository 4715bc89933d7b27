import { describe, expect, it } from 'vitest'
import { hostDescriptionSchema } from '../protocol/rpc/describe.ts'
import { createDispatcher } from '../protocol/rpc/dispatch.ts'
import { methodTable } from '../protocol/rpc/methods.ts'
import { degradedRootSentence, type ExposureClass } from '../protocol/session-search/exposure.ts'
import type { SearchResponse } from '../protocol/session-search/response.ts'
import { absentServiceStatus, type SearchStatus } from '../protocol/session-search/status.ts'
import { agentMethods } from './agent.ts'
import {
  createDisabledService,
  createNotReadyService,
  createSessionSearchRegistry,
  type SessionSearchService,
} from './search/search-registry.ts'

const found: SearchResponse = {
  kind: 'results',
  hits: [
    {
      agent: 'codex',
      sessionId: 's-1',
      title: 'A title',
      cwd: '/home/dev/app',
      branch: 'main',
      updatedAt: null,
      messageCount: 2,
      score: 1,
      source: { presence: 'present', filePath: '/planted/file', codexHome: '/planted/home' },
      evidence: { snippet: 'the [[loop]]', role: 'user', timestamp: null },
      resumeCommand: "codex resume 'planted'",
    },
  ],
  page: { cursor: null, hasMore: false },
  generation: 3,
  truncated: { candidates: false, snippets: 0, query: false, freshness: false },
  durationMs: 1,
}
const status: SearchStatus = {
  ...absentServiceStatus,
  enabled: true,
  phase: 'degraded',
  degradedRoots: [{ root: '/planted/root', reason: 'EACCES /planted' }],
}

function agent(
  exposure: ExposureClass,
  service: SessionSearchService | null = {
    search: async () => found,
    status: () => status,
    readSession: () => ({ kind: 'malformed-cursor' }),
  },
) {
  const sessionSearch = createSessionSearchRegistry()
  sessionSearch.set(service)
  const methods = agentMethods(
    { sessionSearch, readers: [], version: '1.0.0', platform: 'linux', hostId: 'runtime:ci' },
    exposure,
  )
  const { dispatchValue } = createDispatcher({ methods, maxMessageBytes: 1e6, createId: () => 'id' })
  return async (method: string, params: unknown) => {
    const text = await dispatchValue(
      { jsonrpc: '2.0', id: 1, method, params },
      { signal: new AbortController().signal, notify: () => {} },
    )
    return JSON.parse(text ?? 'null')
  }
}

describe('agentMethods', () => {
  it('[boundary.methods] serves the contract under its names, and every row of the table that an agent serves', async () => {
    const ask = agent('relay')
    expect(await ask('aiVault.searchSessions', { query: 'q' })).toMatchObject({ result: { kind: 'results' } })
    expect(await ask('aiVault.searchStatus', {})).toMatchObject({ result: { phase: 'degraded' } })
    const { result } = await ask('host.describe', {})
    const served = Object.entries(methodTable).filter(([, row]) => row.hostAgent !== null)
    expect(hostDescriptionSchema.parse(result).methods.sort()).toEqual(served.map(([name]) => name).sort())
  })

  it.each(['local', 'all', 'runtime:ci', undefined])(
    '[boundary.web-all] takes %s for itself',
    async (executionHostId) => {
      expect(await agent('relay')('aiVault.searchSessions', { query: 'q', executionHostId })).toMatchObject({
        result: { kind: 'results' },
      })
    },
  )

  it.each(['ssh:devbox', 'runtime:other', 'nonsense'])(
    '[boundary.web-all] [routing.no-two-hops] answers unavailable/no-service for %s, and never asks on',
    async (executionHostId) => {
      const ask = agent('relay')
      expect(await ask('aiVault.searchSessions', { query: 'q', executionHostId })).toMatchObject({
        result: { kind: 'unavailable', reason: 'no-service' },
      })
      expect(await ask('aiVault.searchStatus', { executionHostId })).toMatchObject({
        result: absentServiceStatus,
      })
      expect(await ask('host.describe', { executionHostId })).toMatchObject({ error: { code: -32004 } })
    },
  )

  it('[exposure.relay] [exposure.count-kept] [exposure.class-from-connection] withholds from a relay what a request cannot ask back', async () => {
    const ask = agent('relay')
    const claims = { exposure: 'ipc', transport: 'ipc', clientKind: 'desktop', local: true }
    const answers = [
      await ask('aiVault.searchSessions', { query: 'q', ...claims }),
      await ask('aiVault.searchStatus', claims),
      await ask('host.describe', claims),
    ]
    expect(JSON.stringify(answers)).not.toContain('planted')
    expect(answers[1].result.degradedRoots).toEqual([{ reason: degradedRootSentence }])
  })

  it.each(['ipc', 'runtime'] as const)('[exposure.ipc] gives %s what the machine knows', async (exposure) => {
    const ask = agent(exposure)
    expect((await ask('aiVault.searchSessions', { query: 'q' })).result).toEqual(found)
    expect((await ask('aiVault.searchStatus', {})).result).toEqual(status)
  })

  it('[availability.no-service] [availability.value] [status.absent-sentinel] tells an absent service from a disabled and an unready one', async () => {
    const search = async (service: SessionSearchService | null) =>
      (await agent('ipc', service)('aiVault.searchSessions', { query: 'q' })).result
    expect(await search(null)).toEqual({ kind: 'unavailable', reason: 'no-service' })
    expect(await search(createDisabledService())).toEqual({ kind: 'unavailable', reason: 'disabled' })
    expect(await search(createNotReadyService())).toEqual({ kind: 'unavailable', reason: 'not-ready' })
    expect((await agent('ipc', null)('aiVault.searchStatus', {})).result).toEqual(absentServiceStatus)
  })

  it('[boundary.parse-both] names every bad field of a request', async () => {
    const { error } = await agent('ipc')('aiVault.searchSessions', { query: 7, filters: { sort: 'oldest' } })
    expect(error).toMatchObject({ code: -32602, data: { code: 'invalid_input' } })
    expect(error.data.issues.map(({ path }: { path: string }) => path)).toEqual(['query', 'filters.sort'])
  })

  it('[response.no-status] attaches no status to results', async () => {
    const { result } = await agent('ipc')('aiVault.searchSessions', { query: 'q' })
    expect(Object.keys(result).sort()).toEqual([
      'durationMs',
      'generation',
      'hits',
      'kind',
      'page',
      'truncated',
    ])
  })
})
