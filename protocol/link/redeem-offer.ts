/** The reader's end of a pairing: finds the maker at one of the offer's addresses, by its key, and redeems the secret. */
import type { Clock } from '../clock.ts'
import { openConnection } from '../rpc/connection.ts'
import { TrawlError } from '../rpc/errors.ts'
import { livenessIntervalMs } from '../rpc/message-channel.ts'
import { createWebSocketChannel } from '../rpc/websocket-channel.ts'
import { type DialPorts, dialWebSocket } from './dial-web-socket.ts'
import type { PairingOffer } from './offer.ts'
import { agentsPath, maxIntroductionBytes, pairPath, redeemResultSchema } from './pairing-messages.ts'

/** For one address: the next one is tried then. */
const addressTimeoutMs = 5_000

export interface RedeemOptions {
  readonly offer: PairingOffer
  /** What the reader is to be called on the maker's side. */
  readonly name: string
  readonly ports: DialPorts
  readonly clock: Clock
  readonly signal: AbortSignal
  createId(): string
}

export interface Redeemed {
  /** Where links are dialled from now on. */
  readonly url: string
  readonly pin: string
  /** Given once, for this side alone. */
  readonly token: string
  /** The name this side (of a host's offer) or the host (of a gateway's) goes by there. */
  readonly name: string
}

/**
 * @throws TrawlError `unauthorized` when the offer is not open; `unreachable` with the last address's reason when none
 *   of them could be reached, or what answered had another key.
 */
export async function redeemOffer(options: RedeemOptions): Promise<Redeemed> {
  const { offer } = options
  let failure: unknown = new TrawlError('unreachable')
  for (const url of offer.urls) {
    options.signal.throwIfAborted()
    try {
      return await redeemAt(url, options)
    } catch (error) {
      // It was the maker that refused; its other addresses would only count as more tries.
      if (error instanceof TrawlError && error.code !== 'unreachable') throw error
      // Another machine may have one of the addresses; a wrong key says more than silence.
      if (!isHostKey(failure)) failure = error
    }
  }
  throw failure
}

async function redeemAt(url: string, options: RedeemOptions): Promise<Redeemed> {
  const { offer, clock } = options
  const attempt = new AbortController()
  const stopTimer = clock.after(addressTimeoutMs, () => attempt.abort())
  const signal = AbortSignal.any([attempt.signal, options.signal])
  try {
    const socket = await dialWebSocket(
      { url, pin: offer.pin, maxFrameBytes: maxIntroductionBytes, signal },
      options.ports,
    )
    const channel = createWebSocketChannel(socket, {
      maxMessageBytes: maxIntroductionBytes,
      pingIntervalMs: livenessIntervalMs,
      clock,
    })
    await using connection = openConnection(channel, {
      methods: new Map(),
      maxMessageBytes: maxIntroductionBytes,
      createId: options.createId,
      clock,
    })
    const answer = await connection.call(
      'pairing.redeem',
      { secret: offer.secret, name: options.name },
      { timeoutMs: addressTimeoutMs, signal },
    )
    const parsed = redeemResultSchema.safeParse(answer)
    if (!parsed.success) throw new TrawlError('internal', undefined, {}, parsed.error)
    const linkPath = offer.from === 'host' ? '/rpc' : agentsPath
    return { ...parsed.data, pin: offer.pin, url: url.slice(0, -pairPath.length) + linkPath }
  } finally {
    stopTimer()
  }
}

function isHostKey(error: unknown): boolean {
  return error instanceof TrawlError && error.details.reason === 'host-key'
}
