/** Puts the host agent's rooms together behind the method table. It answers for itself and forwards nothing. */
import { type HostDescription, hostDescriptionSchema } from '../protocol/rpc/describe.ts'
import type { RpcMethod, RpcMethods } from '../protocol/rpc/dispatch.ts'
import { TrawlError } from '../protocol/rpc/errors.ts'
import { maxPeerMessageBytes } from '../protocol/rpc/message-channel.ts'
import { type MethodName, methodTable, parseParams } from '../protocol/rpc/methods.ts'
import { protocolVersion } from '../protocol/rpc/ready-line.ts'
import {
  type ExposureClass,
  redactForTransport,
  redactPageForTransport,
  redactStatusForTransport,
} from '../protocol/session-search/exposure.ts'
import type { ReadSessionResponse } from '../protocol/session-search/read-session.ts'
import { maxLimit, maxQueryUnits } from '../protocol/session-search/request.ts'
import type { SearchResponse } from '../protocol/session-search/response.ts'
import { absentServiceStatus } from '../protocol/session-search/status.ts'
import type { SessionSearchService } from './search/search-registry.ts'
import type { TranscriptReader } from './transcripts/reader.ts'

export interface AgentOptions {
  /** What answers searches; it may hold nothing, or change while the agent runs. */
  readonly sessionSearch: SessionSearchService
  readonly readers: readonly Pick<TranscriptReader, 'agent' | 'label'>[]
  readonly version: string
  readonly platform: NodeJS.Platform
  /** The wall clock, in milliseconds; left out where nobody is to be told. */
  now?(): number
  /** The id others know this host by, where it was told. */
  readonly hostId?: string
}

/** The methods as one connection may use them: its exposure class was fixed when it was authenticated. */
export function agentMethods(options: AgentOptions, exposure: ExposureClass): RpcMethods {
  const isMine = (id: string | undefined) =>
    id === undefined || id === 'local' || id === 'all' || id === options.hostId
  const serve = (name: MethodName, method: RpcMethod): [MethodName, RpcMethod] => [name, method]

  const methods: ReadonlyMap<MethodName, RpcMethod> = new Map([
    serve('aiVault.searchSessions', async (params, { signal }) => {
      const { executionHostId, ...request } = parseParams(
        methodTable['aiVault.searchSessions'].hostAgent,
        params,
      )
      if (!isMine(executionHostId))
        return { kind: 'unavailable', reason: 'no-service' } satisfies SearchResponse
      return redactResponse(await options.sessionSearch.search(request, { signal }), exposure)
    }),
    serve('aiVault.searchStatus', async (params) => {
      const { executionHostId } = parseParams(methodTable['aiVault.searchStatus'].hostAgent, params)
      if (!isMine(executionHostId)) return absentServiceStatus
      return redactStatusForTransport(await options.sessionSearch.status(), exposure)
    }),
    serve('aiVault.readSession', (params) => {
      const request = parseParams(methodTable['aiVault.readSession'].hostAgent, params)
      if (!isMine(request.executionHostId)) {
        return { kind: 'unavailable', reason: 'no-service' } satisfies ReadSessionResponse
      }
      return redactPageForTransport(options.sessionSearch.readSession(request), exposure)
    }),
    serve('host.describe', (params) => {
      const { executionHostId } = parseParams(methodTable['host.describe'].hostAgent, params)
      if (!isMine(executionHostId)) throw new TrawlError('not_found')
      return describe(options, Array.from(methods.keys()))
    }),
  ])
  return methods
}

function describe(options: AgentOptions, methods: string[]): HostDescription {
  return hostDescriptionSchema.parse({
    ...(options.hostId === undefined ? {} : { executionHostId: options.hostId }),
    version: options.version,
    protocol: protocolVersion,
    platform: options.platform,
    ...(options.now === undefined ? {} : { timeMs: options.now() }),
    agents: options.readers.map(({ agent, label }) => ({ agent, label })),
    searchModes: ['text'],
    methods,
    limits: { maxMessageBytes: maxPeerMessageBytes, maxLimit, maxQueryUnits },
  } satisfies HostDescription)
}

function redactResponse(response: SearchResponse, exposure: ExposureClass): SearchResponse {
  if (response.kind !== 'results') return response
  return { ...response, hits: response.hits.map((hit) => redactForTransport(hit, exposure)) }
}
