/** A WebSocket at `/pair`: one client, one code, and the wait for the owner's word; nothing else is answered there. */
import type { WebSocket } from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import { pairingBeginParamsSchema, pairingRevealParamsSchema } from '../../protocol/link/device-pairing.ts'
import { introductionTimeoutMs, maxIntroductionBytes } from '../../protocol/link/pairing-messages.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import type { RpcMethod } from '../../protocol/rpc/dispatch.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { livenessIntervalMs } from '../../protocol/rpc/message-channel.ts'
import { parseParams } from '../../protocol/rpc/methods.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'
import type { DeviceOffers, PairingUnderWay } from '../access/device-offers.ts'

export interface PairingDoorOptions {
  begin: DeviceOffers['begin']
  /** Before a code is looked at. @throws TrawlError `rate_limited` for an address that has shown too many wrong ones. */
  tryCode(): void
  /** A code was wrong. @returns the refusal for an address that has tried too often. */
  wrongCode(): TrawlError | null
  readonly clock: Clock
  createId(): string
  onFault(error: TrawlError, method: string): void
}

export function serveDevicePairing(socket: WebSocket, options: PairingDoorOptions): void {
  const { clock } = options
  let underWay: Promise<PairingUnderWay> | null = null
  const channel = createWebSocketChannel(socket, {
    maxMessageBytes: maxIntroductionBytes,
    pingIntervalMs: livenessIntervalMs,
    clock,
  })

  async function begin(params: unknown): Promise<PairingUnderWay> {
    options.tryCode()
    try {
      return await options.begin(parseParams(pairingBeginParamsSchema, params))
    } catch (error) {
      throw TrawlError.from(error).code === 'unauthorized' ? (options.wrongCode() ?? error) : error
    }
  }

  const connection = openConnection(channel, {
    methods: new Map<string, RpcMethod>([
      [
        'pairing.begin',
        async (params) => {
          // One try a connection: the next one has to come anew, and is counted.
          if (underWay !== null) throw new TrawlError('invalid_request')
          underWay = begin(params)
          return (await underWay).begun
        },
      ],
      [
        'pairing.reveal',
        async (params) => {
          if (underWay === null) throw new TrawlError('invalid_request')
          const { publicKey } = parseParams(pairingRevealParamsSchema, params)
          const pairing = await underWay
          stopWaiting()
          return await pairing.reveal(publicKey)
        },
      ],
    ]),
    maxMessageBytes: maxIntroductionBytes,
    createId: options.createId,
    clock,
    onFault: options.onFault,
    onClosed: () => {
      stopWaiting()
      underWay?.then(
        (pairing) => pairing.leave(),
        () => {},
      )
    },
  })
  const stopWaiting = clock.after(introductionTimeoutMs, () => {
    void connection.close().catch(() => {})
  })
}
