/** Pairs a new client with a gateway: a short code is redeemed, six digits are compared, the owner says yes or no. */
import { systemClock } from '../../protocol/clock.ts'
import type { PairedDevice } from '../../protocol/link/device-pairing.ts'
import { redeemCode } from '../../protocol/link/redeem-code.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { DeviceKind } from '../../protocol/rpc/rights.ts'
import { type EventSocket, openEventChannel } from './event-socket-channel.ts'
import { readGatewayUrl } from './gateway-url.ts'
import { offline } from './http-carrier.ts'

const connectTimeoutMs = 10_000
/** The gateway gives its owner five minutes at most. */
const decisionTimeoutMs = 6 * 60_000
const maxMessageBytes = 8 * 1024

export interface PairOptions {
  /** Of the gateway, as for `connect`. */
  readonly url: string
  /** As it was read or typed. */
  readonly code: string
  /** What this client is to be called there. */
  readonly name: string
  /** Default `other`. */
  readonly kind?: DeviceKind
  /** The pin that the QR code gave, where there was one. */
  readonly expectedPin?: string
  /** The six digits to be shown, beside the gateway's name, until the owner has decided. */
  onDigits(digits: string, gatewayName: string): void
  readonly signal?: AbortSignal
}

/**
 * @returns the token to keep and to connect with.
 * @throws TrawlError `unauthorized` for a code that is not open, `forbidden` when the owner said no, `unreachable`,
 *   `cancelled`; `unsupported` where the platform has no cryptography to offer.
 */
export async function pairVia(
  openSocket: (url: string) => EventSocket,
  { url, signal, kind = 'other', ...options }: PairOptions,
): Promise<PairedDevice> {
  const { pairUrl } = readGatewayUrl(url)
  const { subtle } = globalThis.crypto
  if (subtle === undefined)
    throw new TrawlError('unsupported', 'Browsers pair over https only. Open this page by its https address.')
  if (signal?.aborted) throw new TrawlError('cancelled')
  const channel = await open(openSocket(pairUrl), signal)
  const connection = openConnection(channel, { methods: new Map(), maxMessageBytes, createId: () => '' })
  try {
    return await redeemCode({
      ...options,
      kind,
      subtle,
      call: async (method, params) =>
        await connection.call(method, params, {
          timeoutMs: decisionTimeoutMs,
          ...(signal === undefined ? {} : { signal }),
        }),
    })
  } finally {
    await connection.close()
  }
}

async function open(socket: EventSocket, signal: AbortSignal | undefined) {
  const attempt = new AbortController()
  const stopTimer = systemClock.after(connectTimeoutMs, () => attempt.abort())
  const leave = () => attempt.abort()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await openEventChannel(socket, attempt.signal)
  } catch (thrown) {
    if (signal?.aborted) throw new TrawlError('cancelled', undefined, {}, thrown)
    throw offline('The gateway cannot be reached.', thrown)
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', leave)
  }
}
