/** One WebSocket to the gateway's `/rpc`: says who is calling, then carries calls, their progress and their cancelling. */

export interface RpcFailure {
  readonly message: string
  readonly data?: { readonly code?: string }
}

export interface GatewayLink {
  /** @throws Error with the gateway's own sentence; `AbortError` once `signal` is aborted. */
  call(
    method: string,
    params: object,
    options: { signal: AbortSignal; onProgress?(value: unknown): void },
  ): Promise<unknown>
  /** Settles when the link has ended; `revoked` where the credential is good no more. */
  readonly closed: Promise<{ readonly revoked: boolean }>
  close(): void
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
  onProgress?(value: unknown): void
}

interface Incoming {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly token?: number; readonly value?: unknown }
  readonly result?: unknown
  readonly error?: RpcFailure
}

/** RFC 6455 §7.4.1: the gateway closes so where a credential is unknown or revoked. */
const policyViolation = 1008

/** @param token null for a link to pair over, which needs none. @throws Error where the gateway cannot be reached or does not know the token. */
export async function openGatewayLink(url: string, token: string | null): Promise<GatewayLink> {
  const socket = new WebSocket(url)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  const closed = new Promise<{ revoked: boolean }>((resolve) => {
    socket.addEventListener('close', ({ code }) => {
      for (const { reject } of waiting.values()) reject(new Error('The gateway went away.'))
      waiting.clear()
      resolve({ revoked: code === policyViolation })
    })
  })
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(String(data)) as Incoming
    if (method === '$/progress') waiting.get(params?.token ?? -1)?.onProgress?.(params?.value)
    const call = waiting.get(id ?? -1)
    if (id === undefined || call === undefined) return
    waiting.delete(id)
    if (error === undefined) call.resolve(result)
    else call.reject(new Error(error.message, { cause: error.data }))
  })

  const call: GatewayLink['call'] = async (method, params, { signal, onProgress }) => {
    signal.throwIfAborted()
    if (socket.readyState !== WebSocket.OPEN) throw new Error('The gateway cannot be reached.')
    const id = ++lastId
    return await new Promise((resolve, reject) => {
      const onAbort = () => {
        if (!waiting.delete(id)) return
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } }))
        reject(new DOMException('cancelled', 'AbortError'))
      }
      signal.addEventListener('abort', onAbort, { once: true })
      waiting.set(id, { resolve, reject, ...(onProgress === undefined ? {} : { onProgress }) })
      const partial = onProgress === undefined ? {} : { partialResultToken: id }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, ...partial } }))
    })
  }

  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new Error('The gateway cannot be reached.')), {
      once: true,
    })
  })
  if (token !== null) await call('auth', { token }, { signal: new AbortController().signal })
  return { call, closed, close: () => socket.close() }
}
