/**
 * Dials a WebSocket and, where a pin is given, makes sure of the other side's key before anything is sent over the
 * connection: TLS first, then the key, and only then the request that carries a credential. What the pin does not fit
 * is refused under every setting. Sockets are brought by the caller, so that either side uses its own.
 */
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { WebSocket } from 'ws'
import { TrawlError } from '../rpc/errors.ts'
import type { UnreachableReason } from '../session-search/response.ts'
import { formatKeyPin } from './key-pin.ts'

export interface DialPorts {
  readonly WebSocket: typeof WebSocket
  connectTls(options: ConnectionOptions): TLSSocket
  sha256(bytes: Uint8Array): Uint8Array
}

export interface DialOptions {
  /** `ws://` or `wss://`, without credentials in it. */
  readonly url: string
  /** The key the other side must have (`sha256/…`). Null: a `wss://` certificate must be one the system trusts. */
  readonly pin: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** A message larger than this ends the link. */
  readonly maxFrameBytes: number
  /** For the status the other side may refuse the upgrade with; null leaves it to the general sentence. */
  sayRefusal?(statusCode: number): string | null
  /** The other side has shown that it has the right key, or, without a pin, a certificate the system trusts. */
  onKeyChecked?(): void
  readonly signal: AbortSignal
}

/** @throws TrawlError `unreachable`: `host-key`, `auth-failed`, `timeout`, `offline`, `protocol`. */
export async function dialWebSocket(options: DialOptions, ports: DialPorts): Promise<WebSocket> {
  options.signal.throwIfAborted()
  const secured =
    options.pin === null ? null : await openPinned(options.url, options.pin, options.signal, ports)
  if (secured !== null) options.onKeyChecked?.()
  const socket = new ports.WebSocket(options.url, {
    ...(options.headers === undefined ? {} : { headers: options.headers }),
    maxPayload: options.maxFrameBytes,
    perMessageDeflate: false,
    handshakeTimeout: 0,
    ...(secured === null ? {} : { createConnection: () => secured }),
  })
  await upgraded(socket, options)
  return socket
}

/** Certificates say nothing here: the key itself is known. TLS 1.3 proves that the other side has it. */
async function openPinned(
  url: string,
  pin: string,
  signal: AbortSignal,
  ports: DialPorts,
): Promise<TLSSocket> {
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'wss:')
    throw new TrawlError('unreachable', 'A host with a pin is reached by wss:// only.', {
      reason: 'host-key',
    })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = ports.connectTls({
    host,
    port: port === '' ? 443 : Number(port),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
  })
  try {
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => reject(inTime())
      signal.addEventListener('abort', onAbort, { once: true })
      socket.once('secureConnect', resolve)
      socket.once('error', (cause) => reject(offline(cause)))
      socket.once('close', () =>
        reject(offline(new Error('The connection was closed during the TLS handshake.'))),
      )
      socket.once('close', () => signal.removeEventListener('abort', onAbort))
      socket.once('secureConnect', () => signal.removeEventListener('abort', onAbort))
    })
    const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' })
    const found = key === undefined ? 'none' : formatKeyPin(ports.sha256(key))
    if (found !== pin)
      throw new TrawlError(
        'unreachable',
        `host key changed: expected ${pin}, found ${found}. Nothing was sent to it. If the host was set up anew, pair with it again.`,
        { reason: 'host-key' },
      )
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  }
}

function upgraded(socket: WebSocket, options: DialOptions): Promise<void> {
  const { signal, sayRefusal } = options
  // Without a pin the handshake of TLS is the client's own, and known to be over when there is an answer.
  const isTrusted = options.pin === null && /^wss:/i.test(options.url)
  const tellTrust = () => {
    if (isTrusted) options.onKeyChecked?.()
  }
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      signal.removeEventListener('abort', onAbort)
      socket.off('open', onOpen)
      socket.off('unexpected-response', onRefused)
      socket.off('error', onError)
      settle()
    }
    const fail = (error: TrawlError) =>
      finish(() => {
        // A socket that is torn down while it connects reports that as an error of its own.
        socket.on('error', () => {})
        socket.terminate()
        reject(error)
      })
    const onOpen = () => {
      tellTrust()
      finish(resolve)
    }
    const onAbort = () => fail(inTime())
    const onRefused = (_request: unknown, { statusCode = 0 }: { statusCode?: number }) => {
      tellTrust()
      fail(refusal(statusCode, sayRefusal?.(statusCode) ?? null))
    }
    const onError = (cause: Error) => fail(offline(cause))
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('open', onOpen)
    socket.on('unexpected-response', onRefused)
    socket.on('error', onError)
    if (signal.aborted) onAbort()
  })
}

function inTime(): TrawlError {
  return new TrawlError('unreachable', 'The connection did not come about in time.', { reason: 'timeout' })
}

function offline(cause: Error): TrawlError {
  return new TrawlError('unreachable', cause.message, { reason: 'offline' }, cause)
}

function refusal(statusCode: number, said: string | null): TrawlError {
  const reason: UnreachableReason = statusCode === 401 || statusCode === 403 ? 'auth-failed' : 'protocol'
  const sentence = said ?? `The host answered the WebSocket request with HTTP ${statusCode}.`
  return new TrawlError('unreachable', sentence, { reason })
}
