/** A gateway as a subcommand asks it, and the one that runs already, through its Unix socket. */
import { request } from 'node:http'
import { fromRpcError, TrawlError } from '../../protocol/rpc/errors.ts'
import { Refusal } from '../refusal.ts'

export interface GatewayClient extends AsyncDisposable {
  /** True where the gateway lives in this process, and its hosts were started just now. */
  readonly isFresh: boolean
  /** Waits until every host has finished its first attempt; a running gateway has long done so. */
  settled(): Promise<void>
  /** @throws TrawlError what the gateway answered; Refusal `gateway-unreachable` when it went away. */
  call(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
}

/** Speaks to the gateway that listens on the socket. */
export function socketClient(socketPath: string): GatewayClient {
  return {
    isFresh: false,
    settled: async () => {},
    async call(method, params, signal) {
      const text = await post(socketPath, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), signal)
      return readResult(text)
    },
    async [Symbol.asyncDispose]() {},
  }
}

/** No time-out of its own: the gateway bounds every call, and Ctrl-C ends the wait. */
function post(socketPath: string, body: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(
        signal.aborted
          ? new TrawlError('cancelled', undefined, {}, error)
          : new Refusal('gateway-unreachable', 'The running gateway went away before it answered.', error),
      )
    const call = request({
      socketPath,
      path: '/rpc',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      signal,
    })
    call.once('error', fail)
    call.once('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.once('error', fail)
      response.once('end', () => resolve(Buffer.concat(parts).toString('utf8')))
    })
    call.end(body)
  })
}

function readResult(text: string): unknown {
  const answer = parseAnswer(text)
  if (answer === null) throw new TrawlError('internal', 'The gateway answered something that is not JSON-RPC')
  if (isErrorObject(answer.error)) throw fromRpcError(answer.error)
  return answer.result
}

function parseAnswer(text: string): { result?: unknown; error?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function isErrorObject(value: unknown): value is { code: number; message: string; data?: unknown } {
  if (typeof value !== 'object' || value === null) return false
  return (
    'code' in value &&
    typeof value.code === 'number' &&
    'message' in value &&
    typeof value.message === 'string'
  )
}
