/** A client that pairs with a running gateway as a phone would, the owner's word coming over the Unix socket. */
import { webcrypto } from 'node:crypto'
import WebSocket from 'ws'
import type { PairedDevice } from '../../protocol/link/device-pairing.ts'
import { redeemCode } from '../../protocol/link/redeem-code.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import type { DeviceOffer, DeviceOfferState } from '../../protocol/rpc/devices.ts'
import type { DeviceRight } from '../../protocol/rpc/rights.ts'
import { createWebSocketChannel } from '../../protocol/rpc/websocket-channel.ts'

/** Calls the gateway as its owner. @throws Error for an error answer. */
export type CallAsOwner = (method: string, params: object) => Promise<unknown>

export interface Redeeming {
  readonly device: Promise<PairedDevice>
  readonly digits: Promise<string>
  leave(): void
}

export interface RedeemingAs {
  readonly name?: string
  readonly headers?: Record<string, string>
  /** Where it comes from; on Linux any address of 127.0.0.0/8 will do. */
  readonly localAddress?: string
}

/** @param pairUrl as in `ws://127.0.0.1:7717/pair`. */
export async function redeemAt(
  pairUrl: string,
  code: string,
  { name = 'Pixel 8', headers = {}, localAddress }: RedeemingAs = {},
): Promise<Redeeming> {
  const socket = new WebSocket(pairUrl, {
    headers,
    rejectUnauthorized: false,
    ...(localAddress === undefined ? {} : { localAddress }),
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve())
    socket.once('error', reject)
  })
  const channel = createWebSocketChannel(socket, { maxMessageBytes: 65_536, pingIntervalMs: 15_000 })
  const connection = openConnection(channel, {
    methods: new Map(),
    maxMessageBytes: 65_536,
    createId: () => 'unused',
  })
  let onDigits: (digits: string) => void = () => {}
  const digits = new Promise<string>((resolve) => {
    onDigits = resolve
  })
  const device = redeemCode({
    code,
    name,
    kind: 'mobile',
    subtle: webcrypto.subtle,
    call: async (method, params) => await connection.call(method, params, { timeoutMs: 20_000 }),
    onDigits: (shown) => onDigits(shown),
  }).finally(() => void connection.close())
  device.catch(() => {})
  return { device, digits, leave: () => socket.terminate() }
}

/** The whole walk: offer, redeem, compare, confirm. */
export async function pairDevice(
  pairUrl: string,
  owner: CallAsOwner,
  { may = ['search', 'read'], name }: { may?: readonly DeviceRight[]; name?: string } = {},
): Promise<PairedDevice> {
  const { offerId, code } = (await owner('devices.offer', {})) as DeviceOffer
  const redeeming = await redeemAt(pairUrl, code, name === undefined ? {} : { name })
  const shown = await redeeming.digits
  const state = (await owner('devices.await', { offerId, seen: 'open' })) as DeviceOfferState
  if (state.state !== 'asking' || state.request.digits !== shown)
    throw new Error(`the digits differ: ${shown}, ${JSON.stringify(state)}`)
  await owner('devices.decide', { offerId, may })
  return await redeeming.device
}
