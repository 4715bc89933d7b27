/** The maker's end of a pairing: one connection that may redeem an offer, do nothing else, and not stay. */
import type { Clock } from '../clock.ts'
import { openConnection } from '../rpc/connection.ts'
import { TrawlError } from '../rpc/errors.ts'
import type { MessageChannel } from '../rpc/message-channel.ts'
import { parseParams } from '../rpc/methods.ts'
import {
  introductionTimeoutMs,
  maxIntroductionBytes,
  type RedeemResult,
  redeemParamsSchema,
} from './pairing-messages.ts'

export interface ServePairingOptions {
  /** @returns null for a secret that is not open. */
  redeem(secret: string, name: string): Promise<RedeemResult | null>
  readonly clock: Clock
  createId(): string
  onFault(error: TrawlError, method: string): void
}

export function servePairing(channel: MessageChannel, options: ServePairingOptions): void {
  const connection = openConnection(channel, {
    methods: new Map([
      [
        'pairing.redeem',
        async (params) => {
          const { secret, name } = parseParams(redeemParamsSchema, params)
          const result = await options.redeem(secret, name)
          if (result === null) throw new TrawlError('unauthorized', offerNotOpen)
          return result
        },
      ],
    ]),
    maxMessageBytes: maxIntroductionBytes,
    createId: options.createId,
    clock: options.clock,
    onFault: options.onFault,
    onClosed: () => stopWaiting(),
  })
  const stopWaiting = options.clock.after(introductionTimeoutMs, () => {
    void connection.close().catch(() => {})
  })
}

/** One sentence for all of it: whoever guesses learns nothing. */
const offerNotOpen = 'That offer is not open: it was used, or it is older than five minutes. Make a new one.'
