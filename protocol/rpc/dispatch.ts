/**
 * The answering half of JSON-RPC 2.0: one message of text in, at most one message of text out.
 * `json-rpc-2.0` runs the calls; the envelope is checked here first, because that package drops an invalid
 * request that has no id, answers a batch of one invalid member with a bare object, and lets error texts out.
 */
import {
  createJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCID,
  type JSONRPCRequest,
  type JSONRPCResponse,
  JSONRPCServer,
} from 'json-rpc-2.0'
import { type ErrorCode, TrawlError, toRpcError } from './errors.ts'
import { isTooDeep, maxBatchCalls } from './message-bounds.ts'

const cancelMethod = '$/cancelRequest'
/** Of a batch's answer: room for saying which calls' answers had none. */
const shareOfRefusals = 1 / 16

export interface CallContext {
  /** Aborted when the caller cancels or leaves. */
  readonly signal: AbortSignal
  /** Sends a notification to the caller; does nothing on a carrier that has no way back (plain HTTP). */
  notify(method: string, params: unknown): void
}

export type RpcMethod = (params: unknown, context: CallContext) => unknown
/** Method name → what answers it. */
export type RpcMethods = ReadonlyMap<string, RpcMethod>

export interface DispatchOptions {
  readonly methods: RpcMethods
  /** An answer larger than this becomes `response_too_large` for that call alone. */
  readonly maxMessageBytes: number
  /**
   * Weighs each message, and each member of a batch, whatever it is: one that is refused is answered with that. Whoever
   * cancels a call of theirs has paid with the call. Absent, all pass.
   */
  admit?(): TrawlError | null
  /** Every fault that became `internal`, with the id the caller was given. For the log. */
  onFault?(error: TrawlError, method: string): void
  /** Makes the `correlationId` of internal errors. */
  createId(): string
}

export interface Dispatcher {
  /** @returns the text to send back, or null where nothing is to be sent. Never throws. */
  dispatch(text: string, context: CallContext): Promise<string | null>
  /** The same for a message already parsed. */
  dispatchValue(value: unknown, context: CallContext): Promise<string | null>
}

/** Each call of a dispatcher's connection is cancellable by `$/cancelRequest {id}` on the same dispatcher. */
export function createDispatcher(options: DispatchOptions): Dispatcher {
  const running = new Map<JSONRPCID, AbortController>()
  const follow = createFollowers()
  const server = new JSONRPCServer<CallContext>({ errorListener: () => {} })
  server.mapErrorToJSONRPCErrorResponse = (id, thrown: unknown) => errorResponse(id, TrawlError.from(thrown))

  for (const [name, method] of options.methods) {
    server.addMethodAdvanced(name, async (request, context) => {
      const result = await runCancellable(request, context, method)
      return { jsonrpc: '2.0', id: request.id ?? null, result: result ?? null }
    })
  }
  server.addMethod('$/ping', () => null)
  server.addMethod(cancelMethod, (params: unknown) => {
    const id = isRecord(params) ? params.id : undefined
    if (typeof id === 'string' || typeof id === 'number') running.get(id)?.abort()
  })

  async function runCancellable(
    request: JSONRPCRequest,
    context: CallContext,
    method: RpcMethod,
  ): Promise<unknown> {
    const id = request.id
    if (id === undefined || id === null) return await guarded(request, method, context)
    const cancel = new AbortController()
    const unfollow = follow(context.signal, cancel)
    running.set(id, cancel)
    try {
      const { signal } = cancel
      return await untilAborted(guarded(request, method, { ...context, signal }), signal)
    } finally {
      unfollow()
      if (running.get(id) === cancel) running.delete(id)
    }
  }

  async function guarded(request: JSONRPCRequest, method: RpcMethod, context: CallContext): Promise<unknown> {
    try {
      return await method(request.params, context)
    } catch (thrown) {
      const error = TrawlError.from(thrown)
      if (error.code !== 'internal') throw error
      const traced = new TrawlError(
        'internal',
        undefined,
        { correlationId: options.createId() },
        error.cause ?? error,
      )
      options.onFault?.(traced, request.method)
      throw traced
    }
  }

  async function answerOne(value: unknown, context: CallContext): Promise<JSONRPCResponse | null> {
    const request = readRequest(value)
    const refused = request !== null && cancelsRunning(request) ? null : weigh()
    if (request === null)
      return errorResponse(readableId(value), refused ?? new TrawlError('invalid_request'))
    const response =
      refused === null ? await server.receive(request, context) : errorResponse(request.id ?? null, refused)
    // A notification is not answered, whatever came of it.
    return request.id === undefined ? null : response
  }

  function weigh(): TrawlError | null {
    return options.admit?.() ?? null
  }

  /** Once a call: one that has been cancelled is not cancelled again. */
  function cancelsRunning({ method, params }: JSONRPCRequest): boolean {
    return method === cancelMethod && running.get(params?.id)?.signal.aborted === false
  }

  function refuseWhole(code: ErrorCode): string {
    return refuse(weigh() ?? new TrawlError(code))
  }

  function serialize(response: JSONRPCResponse): string {
    const text = JSON.stringify(response)
    return exceedsBytes(text, options.maxMessageBytes) ? tooLarge(response.id) : text
  }

  function tooLarge(id: JSONRPCID): string {
    return JSON.stringify(errorResponse(id, new TrawlError('response_too_large')))
  }

  async function dispatchValue(value: unknown, context: CallContext): Promise<string | null> {
    if (isTooDeep(value)) return refuseWhole('invalid_request')
    if (!Array.isArray(value)) {
      const response = await answerOne(value, context)
      return response === null ? null : serialize(response)
    }
    if (value.length === 0 || value.length > maxBatchCalls) return refuseWhole('invalid_request')
    return await answerBatch(value, context)
  }

  /** An answer that no longer fits beside those before it fails its own call, and is not kept until the last one is there. */
  async function answerBatch(members: readonly unknown[], context: CallContext): Promise<string | null> {
    let leftBytes = options.maxMessageBytes * (1 - shareOfRefusals)
    const answers = await Promise.all(
      members.map(async (member) => {
        const response = await answerOne(member, context)
        if (response === null) return null
        const text = serialize(response)
        const bytes = new TextEncoder().encode(text).byteLength
        if (bytes > leftBytes) return tooLarge(response.id)
        leftBytes -= bytes
        return text
      }),
    )
    const told = answers.filter((answer) => answer !== null)
    return told.length === 0 ? null : joinBatch(told)
  }

  function joinBatch(answers: readonly string[]): string {
    const text = `[${answers.join(',')}]`
    return exceedsBytes(text, options.maxMessageBytes) ? refuse(new TrawlError('response_too_large')) : text
  }

  return {
    dispatchValue,
    async dispatch(text, context) {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch {
        return refuseWhole('parse_error')
      }
      return await dispatchValue(value, context)
    },
  }
}

function refuse(error: TrawlError): string {
  return JSON.stringify(errorResponse(null, error))
}

/** `createJSONRPCErrorResponse` writes the members in the order of the specification's examples. */
function errorResponse(id: JSONRPCID, error: TrawlError): JSONRPCErrorResponse {
  const { code, message, data } = toRpcError(error)
  return createJSONRPCErrorResponse(id, code, message, data)
}

/** JSON-RPC 2.0 §4: version, a string method, structured params if any, and an id of the three allowed types if any. */
function readRequest(value: unknown): JSONRPCRequest | null {
  if (!isRecord(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return null
  if (value.params !== undefined && (typeof value.params !== 'object' || value.params === null)) return null
  if (
    value.id !== undefined &&
    value.id !== null &&
    typeof value.id !== 'string' &&
    !isFiniteNumber(value.id)
  )
    return null
  return {
    jsonrpc: '2.0',
    method: value.method,
    ...(value.params === undefined ? {} : { params: value.params }),
    ...(value.id === undefined ? {} : { id: value.id }),
  }
}

function readableId(value: unknown): JSONRPCID {
  if (!isRecord(value)) return null
  return typeof value.id === 'string' || isFiniteNumber(value.id) ? value.id : null
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Counts UTF-8 bytes only where the number of units does not already decide. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true
  if (text.length * 3 <= limit) return false
  return new TextEncoder().encode(text).byteLength > limit
}

/**
 * Ends calls with their caller: one listener a signal, however many calls it has. (What AbortSignal.any makes stays
 * listed with a connection's signal for as long as the connection lives.)
 */
function createFollowers(): (leader: AbortSignal, call: AbortController) => () => void {
  const followersOf = new WeakMap<AbortSignal, Set<AbortController>>()
  return (leader, call) => {
    const followers = followersOf.get(leader) ?? new Set()
    if (!followersOf.has(leader)) {
      followersOf.set(leader, followers)
      const onLeave = () => {
        for (const follower of followers) follower.abort()
      }
      leader.addEventListener('abort', onLeave, { once: true })
    }
    if (leader.aborted) call.abort()
    followers.add(call)
    return () => followers.delete(call)
  }
}

/** Settles with the work, or with `cancelled` as soon as the signal fires; the work's late end is ignored. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    work.catch(() => {})
    throw new TrawlError('cancelled')
  }
  const { promise: aborted, reject } = withRejecter()
  const onAbort = () => reject(new TrawlError('cancelled'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
    work.catch(() => {})
  }
}

function withRejecter(): { promise: Promise<never>; reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}
