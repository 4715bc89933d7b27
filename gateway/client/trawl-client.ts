/** The typed client: every method of the gateway, over whichever carrier it was connected by. */
import type * as z from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import type { HostDescription, HostEntry } from '../../protocol/rpc/describe.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { MethodName, methodTable } from '../../protocol/rpc/methods.ts'
import type {
  ReadSessionResponse,
  readSessionRequestSchema,
} from '../../protocol/session-search/read-session.ts'
import type { SearchRequestInput } from '../../protocol/session-search/request.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import {
  legsOfAnswer,
  type PartialAnswer,
  readPartial,
  readSearchAnswer,
  type SearchAnswer,
} from './answers.ts'
import type { Carrier, ClosedState, LinkState } from './carrier.ts'

/** The gateway bounds every call itself; this bounds a gateway that hangs. */
const defaultTimeoutMs = 60_000

type Table = typeof methodTable
/** What a gateway answers, of the one method table. */
export type GatewayMethod = {
  [Name in MethodName]: Table[Name]['gateway'] extends z.ZodType ? Name : never
}[MethodName]
export type ParamsOf<Name extends GatewayMethod> = z.input<NonNullable<Table[Name]['gateway']>>
export type ResultOf<Name extends GatewayMethod> = z.output<Table[Name]['result']>

/** `executionHostId`: one host, or `all`; left out it is `local`, the gateway's own machine. */
export type SearchRequest = Omit<SearchRequestInput, 'partialResultToken'>
export type ReadSessionRequest = z.input<typeof readSessionRequestSchema>

export interface CallOptions {
  /** Aborting it cancels the call, on the hosts too; it rejects with `cancelled`. */
  readonly signal?: AbortSignal
  /** Default 60 s. */
  readonly timeoutMs?: number
}

/** Every call throws TrawlError: what the gateway answered, `cancelled`, `timeout`, `unauthorized`, `unreachable`. */
export interface TrawlClient extends AsyncDisposable {
  search(request: SearchRequest, options?: CallOptions): Promise<SearchAnswer>
  /** Page after page to the end, each hit once. A page of another kind than `results` is the last. */
  pages(request: Omit<SearchRequest, 'paging'>, options?: CallOptions): AsyncGenerator<SearchAnswer, void>
  /** A `leg` as each host lands, then the `answer`. Over HTTP the legs come with the answer, and hold its page's hits. */
  partial(request: SearchRequest, options?: CallOptions): AsyncGenerator<PartialAnswer, void>
  status(executionHostId?: string, options?: CallOptions): Promise<SearchStatus>
  readSession(request: ReadSessionRequest, options?: CallOptions): Promise<ReadSessionResponse>
  hosts(options?: CallOptions): Promise<readonly HostEntry[]>
  describe(executionHostId?: string, options?: CallOptions): Promise<HostDescription>
  call<Name extends GatewayMethod>(
    method: Name,
    params: ParamsOf<Name>,
    options?: CallOptions,
  ): Promise<ResultOf<Name>>
  /** Settles when the gateway has answered. */
  ping(options?: CallOptions): Promise<void>
  readonly state: LinkState
  /** Called at every change from now on. @returns how to stop that. */
  onState(listener: (state: LinkState) => void): () => void
  /** Settles when this client is of no more use, with the reason; never rejects. */
  readonly closed: Promise<ClosedState>
  /** Tries a lost link again at once: a person asked for it, or the network is back. */
  retryNow(): void
  close(): Promise<void>
}

export function createClient(carrier: Carrier, clock: Clock): TrawlClient {
  let lastToken = 0

  async function call(method: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    const { signal, timeoutMs = defaultTimeoutMs } = options
    return await carrier.call(method, params, { timeoutMs, ...(signal === undefined ? {} : { signal }) })
  }

  const typedCall = call as TrawlClient['call']

  async function search(request: SearchRequestInput, options?: CallOptions): Promise<SearchAnswer> {
    const startedMs = clock.monotonicMs()
    const value = await call('aiVault.searchSessions', request, options)
    const { executionHostId, query } = request
    const durationMs = Math.round(clock.monotonicMs() - startedMs)
    return readSearchAnswer(value, { executionHostId, query, durationMs })
  }

  return {
    search,
    async *pages(request, options) {
      let cursor = request.cursor
      for (;;) {
        const sent: SearchRequestInput = {
          ...request,
          paging: 'complete',
          ...(cursor === undefined ? {} : { cursor }),
        }
        const answer = await search(sent, options)
        yield answer
        if (answer.kind !== 'results' || answer.page.cursor === null) return
        // A page without hits that leads to itself would never end.
        if (!answer.page.hasMore || (answer.hits.length === 0 && answer.page.cursor === cursor)) return
        cursor = answer.page.cursor
      }
    },
    async *partial(request, options = {}) {
      const landed: PartialAnswer[] = []
      const told = new Set<string>()
      let wake = () => {}
      const token = `client-${++lastToken}`
      const stopListening = carrier.onProgress(token, (value) => {
        const part = readPartial(value)
        if (part === null) return
        told.add(part.leg.executionHostId)
        landed.push(part)
        wake()
      })
      const leaving = new AbortController()
      const leave = () => leaving.abort()
      options.signal?.addEventListener('abort', leave, { once: true })
      if (options.signal?.aborted) leave()
      let isDone = false
      const answering = search(
        { ...request, partialResultToken: token },
        { ...options, signal: leaving.signal },
      )
      const done = () => {
        isDone = true
        wake()
      }
      answering.then(done, done)
      try {
        for (;;) {
          for (let part = landed.shift(); part !== undefined; part = landed.shift()) yield part
          if (isDone) break
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        const answer = await answering
        yield* legsOfAnswer(answer, told)
        yield { kind: 'answer', answer }
      } finally {
        // Whoever stops reading wants no more of it.
        stopListening()
        options.signal?.removeEventListener('abort', leave)
        leave()
      }
    },
    status: async (executionHostId, options) =>
      await typedCall('aiVault.searchStatus', addressed(executionHostId), options),
    readSession: async (request, options) => {
      const answer = await typedCall('aiVault.readSession', request, options)
      if (typeof answer?.kind !== 'string')
        throw new TrawlError(
          'internal',
          'The gateway answered in a way that this version does not understand.',
        )
      return answer
    },
    hosts: async (options) => (await typedCall('hosts.list', {}, options)).hosts,
    describe: async (executionHostId, options) =>
      await typedCall('host.describe', addressed(executionHostId), options),
    call: typedCall,
    ping: async (options) => void (await call('$/ping', undefined, options)),
    get state() {
      return carrier.link.state
    },
    onState: (listener) => carrier.link.onState(listener),
    closed: carrier.link.closed,
    retryNow: () => carrier.retryNow(),
    close: async () => await carrier.close(),
    [Symbol.asyncDispose]: async () => await carrier.close(),
  }
}

function addressed(executionHostId: string | undefined): { executionHostId?: string } {
  return executionHostId === undefined ? {} : { executionHostId }
}
