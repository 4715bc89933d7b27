/** Pairing and administering clients: the methods `devices.*`, for same-machine callers alone (wire.md §3). */
import * as z from 'zod'
import { deviceKinds, deviceRights } from './rights.ts'

export const deviceOfferRequestSchema = z.object({
  /** Where clients find this gateway, if it cannot tell itself. */
  url: z.url({ protocol: /^https?$/ }).optional(),
})

export const deviceOfferSchema = z.object({
  offerId: z.string(),
  /** To be typed, good once and for five minutes. */
  code: z.string(),
  /** Addresses for a QR code, the likeliest first; the code is behind the `#`, which no browser sends. */
  links: z.array(z.string()),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  /** False where this gateway listens on loopback alone, and only this machine can reach it. */
  isReachable: z.boolean(),
})
export type DeviceOffer = z.output<typeof deviceOfferSchema>

export const deviceRequestSchema = z.object({
  name: z.string(),
  kind: z.enum(deviceKinds),
  /** To be compared with those on the client's screen. */
  digits: z.string().regex(/^\d{6}$/),
})
export type DeviceRequest = z.output<typeof deviceRequestSchema>

/** Answers when the state is another than `seen`, or after 20 s. */
export const deviceAwaitRequestSchema = z.object({
  offerId: z.string(),
  seen: z.enum(['open', 'asking']).optional(),
})
export const deviceOfferStateSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('open') }),
  z.object({ state: z.literal('asking'), request: deviceRequestSchema }),
  /** `left`: the client went away before the owner had decided. */
  z.object({ state: z.literal('ended'), reason: z.enum(['expired', 'wrong-codes', 'left', 'decided']) }),
])
export type DeviceOfferState = z.output<typeof deviceOfferStateSchema>

export const deviceDecisionSchema = z.object({
  offerId: z.string(),
  /** What it may do; null to send it away. */
  may: z.array(z.enum(deviceRights)).min(1, 'must name one right at least').nullable(),
  /** Instead of the name the client gave itself. */
  name: z.string().trim().min(1).max(100).optional(),
})

export const deviceEntrySchema = z.object({
  name: z.string(),
  kind: z.enum(deviceKinds),
  exposure: z.literal('relay'),
  may: z.array(z.enum(deviceRights)),
  /** Milliseconds since the epoch, as is `lastSeenAt`. */
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
  /** Links open now. */
  connections: z.number().int(),
})
export type DeviceEntry = z.output<typeof deviceEntrySchema>

export const deviceListSchema = z.object({ devices: z.array(deviceEntrySchema) })
export const deviceDecidedSchema = z.object({ device: deviceEntrySchema.nullable() })
export const deviceRevokeRequestSchema = z.object({ name: z.string() })
export const deviceRevokedSchema = z.object({ name: z.string(), closedConnections: z.number().int() })
