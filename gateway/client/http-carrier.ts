/** Calls as `POST /rpc`. There is no link to lose: the state is what the last call met. */
import type { Clock } from '../../protocol/clock.ts'
import { fromRpcError, type RpcErrorObject, TrawlError } from '../../protocol/rpc/errors.ts'
import type { Carrier, CarrierCall } from './carrier.ts'
import { LinkStateCell } from './link-state.ts'

export interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** Sends one JSON body. @throws Error of any kind where nothing came back, or `signal` fired. */
export type Post = (body: string, signal: AbortSignal) => Promise<HttpAnswer>

export function openHttpCarrier(post: Post, clock: Clock): Carrier {
  const link = new LinkStateCell({ kind: 'ready' })
  const leaving = new AbortController()

  async function call(method: string, params: unknown, { timeoutMs, signal }: CarrierCall): Promise<unknown> {
    if (leaving.signal.aborted) throw offline('This client was closed.')
    if (signal?.aborted) throw new TrawlError('cancelled')
    const ended = new AbortController()
    let isLate = false
    const stop = () => ended.abort()
    const stopTimer = clock.after(timeoutMs, () => {
      isLate = true
      stop()
    })
    signal?.addEventListener('abort', stop, { once: true })
    leaving.signal.addEventListener('abort', stop, { once: true })
    try {
      const answer = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), ended.signal)
      if (link.state.kind === 'offline') link.set({ kind: 'ready' })
      return readRpcAnswer(answer)
    } catch (thrown) {
      if (thrown instanceof TrawlError) throw thrown
      if (signal?.aborted) throw new TrawlError('cancelled', undefined, {}, thrown)
      if (isLate) throw new TrawlError('timeout', undefined, {}, thrown)
      const error = offline('The gateway cannot be reached.', thrown)
      link.set({ kind: 'offline', retryAtMs: null, error })
      throw error
    } finally {
      stopTimer()
      signal?.removeEventListener('abort', stop)
      leaving.signal.removeEventListener('abort', stop)
    }
  }

  return {
    link,
    async call(method, params, options) {
      try {
        return await call(method, params, options)
      } catch (thrown) {
        const error = TrawlError.from(thrown)
        // A credential does not get better.
        if (error.code === 'unauthorized') link.set({ kind: 'closed', why: whyUnauthorized(error), error })
        throw error
      }
    },
    onProgress: () => () => {},
    retryNow() {},
    async close() {
      link.set({ kind: 'closed', why: 'left', error: null })
      leaving.abort()
    },
  }
}

/** @throws TrawlError what the gateway answered; `unreachable` where it is no gateway that did. */
export function readRpcAnswer({ status, text }: HttpAnswer): unknown {
  const answer = parseAnswer(text)
  if (isErrorObject(answer?.error)) throw fromRpcError(answer.error)
  if (answer === null || !('result' in answer))
    throw new TrawlError('unreachable', `What answered, with HTTP ${status}, is no gateway.`, {
      reason: 'protocol',
    })
  return answer.result
}

export function whyUnauthorized({ details }: TrawlError): 'unauthorized' | 'revoked' {
  return details.reason === 'revoked' ? 'revoked' : 'unauthorized'
}

export function offline(sentence: string, cause?: unknown): TrawlError {
  return new TrawlError('unreachable', sentence, { reason: 'offline' }, cause)
}

function parseAnswer(text: string): { result?: unknown; error?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function isErrorObject(value: unknown): value is RpcErrorObject {
  if (typeof value !== 'object' || value === null) return false
  return (
    'code' in value &&
    typeof value.code === 'number' &&
    'message' in value &&
    typeof value.message === 'string'
  )
}
