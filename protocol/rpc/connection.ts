/**
 * One duplex JSON-RPC connection over a message channel: calls both ways, each with a time of its own,
 * cancellation that reaches the other side, and notifications (wire.md §3, §5).
 */
import { createJSONRPCErrorResponse, type JSONRPCResponse } from 'json-rpc-2.0'
import { type Clock, systemClock } from '../clock.ts'
import { createDispatcher, exceedsBytes, type RpcMethods } from './dispatch.ts'
import { fromRpcError, TrawlError, toRpcError } from './errors.ts'
import type { MessageChannel } from './message-channel.ts'

export interface ConnectionOptions {
  /** What the other side may call. */
  readonly methods: RpcMethods
  /** Larger messages are not sent: a call fails, an answer becomes `response_too_large`. */
  readonly maxMessageBytes: number
  createId(): string
  /** Weighs whatever comes, as `DispatchOptions.admit`; an answer that nobody waits for costs as much as a call. */
  admit?(): TrawlError | null
  readonly clock?: Clock
  /** A notification from the other side that is not part of the connection itself. */
  onNotification?(method: string, params: unknown): void
  onFault?(error: TrawlError, method: string): void
  /** Called once when the link has ended. */
  onClosed?(cause: Error | null): void
}

export interface CallOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface RpcConnection extends AsyncDisposable {
  /**
   * @throws TrawlError `timeout`, `cancelled`, `unreachable` (the link ended first), `response_too_large`,
   *   or what the other side answered.
   */
  call(method: string, params: unknown, options: CallOptions): Promise<unknown>
  notify(method: string, params: unknown): void
  close(): Promise<void>
}

export function openConnection(channel: MessageChannel, options: ConnectionOptions): RpcConnection {
  const clock = options.clock ?? systemClock
  const leaving = new AbortController()
  /** Calls not answered yet; whoever ends one takes it out, so that a second answer finds nothing. */
  const waiting = new Map<JSONRPCResponse['id'], (answer: JSONRPCResponse | TrawlError) => void>()
  let nextId = 1
  let isOpen = true

  const dispatcher = createDispatcher({
    methods: withNotifications(options),
    maxMessageBytes: options.maxMessageBytes,
    createId: options.createId,
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    ...(options.onFault === undefined ? {} : { onFault: options.onFault }),
  })

  /** Ends a waiting call here, whatever the other side may still say of it. */
  function settle(id: number, error: TrawlError): void {
    waiting.get(id)?.(error)
  }

  function abandon(id: number, code: 'timeout' | 'cancelled'): void {
    notify('$/cancelRequest', { id })
    settle(id, new TrawlError(code))
  }

  function notify(method: string, params: unknown): void {
    const text = JSON.stringify({ jsonrpc: '2.0', method, params })
    if (!isOpen || exceedsBytes(text, options.maxMessageBytes)) return
    channel.send(text).catch(() => {})
  }

  function takeAnswer(answer: JSONRPCResponse): void {
    const take = waiting.get(answer.id)
    if (take === undefined) options.admit?.()
    else take(answer)
  }

  function receive(text: string): void {
    const value = parse(text)
    if (isResponse(value)) {
      takeAnswer(value)
      return
    }
    if (Array.isArray(value) && value.length > 0 && value.every(isResponse)) {
      for (const response of value) takeAnswer(response)
      return
    }
    const context = { signal: leaving.signal, notify }
    const answer =
      value === undefined ? dispatcher.dispatch(text, context) : dispatcher.dispatchValue(value, context)
    answer.then(
      (reply) => {
        if (reply !== null && isOpen) channel.send(reply).catch(() => {})
      },
      () => {},
    )
  }

  function refuseOversize(id: number | string | null): void {
    const tooLarge = new TrawlError('response_too_large', 'The message is larger than one may be')
    const { code, message, data } = toRpcError(options.admit?.() ?? tooLarge)
    const answer = createJSONRPCErrorResponse(id, code, message, data)
    channel.send(JSON.stringify(answer)).catch(() => {})
  }

  channel.start({
    message: receive,
    oversize(head) {
      const id = idInHead(head)
      if (isRequestHead(head)) refuseOversize(id)
      else if (typeof id === 'number') settle(id, new TrawlError('response_too_large'))
    },
    closed(cause) {
      isOpen = false
      leaving.abort()
      for (const end of waiting.values()) end(linkEnded())
      options.onClosed?.(cause)
    },
  })

  return {
    notify,
    async call(method, params, { timeoutMs, signal }) {
      if (!isOpen) throw linkEnded()
      if (signal?.aborted) throw new TrawlError('cancelled')
      const id = nextId++
      const text = JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
      if (exceedsBytes(text, options.maxMessageBytes)) throw new TrawlError('response_too_large')
      return await new Promise<unknown>((resolve, reject) => {
        const stopTimer = clock.after(timeoutMs, () => abandon(id, 'timeout'))
        const onAbort = () => abandon(id, 'cancelled')
        signal?.addEventListener('abort', onAbort, { once: true })
        waiting.set(id, (answer) => {
          waiting.delete(id)
          stopTimer()
          signal?.removeEventListener('abort', onAbort)
          if (answer instanceof TrawlError) reject(answer)
          else if (answer.error) reject(fromRpcError(answer.error))
          else resolve(answer.result)
        })
        channel.send(text).catch(() => settle(id, linkEnded()))
      })
    },
    async close() {
      await channel.close()
    },
    async [Symbol.asyncDispose]() {
      await channel.close()
    },
  }
}

/** Notifications reach `onNotification`, so that a connection needs no method of its own for each. */
function withNotifications(options: ConnectionOptions): RpcMethods {
  if (options.onNotification === undefined) return options.methods
  const onProgress = (params: unknown) => options.onNotification?.('$/progress', params)
  return new Map([...options.methods, ['$/progress', onProgress]])
}

function linkEnded(): TrawlError {
  return new TrawlError('unreachable', undefined, { reason: 'offline' })
}

/** undefined stands for "not JSON": the dispatcher answers that as the specification asks. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isResponse(value: unknown): value is JSONRPCResponse {
  if (typeof value !== 'object' || value === null || 'method' in value) return false
  return 'id' in value && ('result' in value || ('error' in value && isErrorObject(value.error)))
}

function isErrorObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'number'
}

/** Finds the id of a message whose text was too long to keep. */
function idInHead(head: string): number | string | null {
  const found = /^\s*\{[^{[]*?"id"\s*:\s*(?:(\d{1,15})|"([^"\\]{0,200})")/.exec(head)
  return found?.[1] === undefined ? (found?.[2] ?? null) : Number(found[1])
}

/** Whether that message was a call of the other side's, which is owed an answer. */
function isRequestHead(head: string): boolean {
  return /^\s*\{[^{[]*?"(?:method|params)"\s*:/.test(head)
}
