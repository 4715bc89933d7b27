/** Pairing and administering clients: the methods `devices.*`, for same-machine callers alone (wire.md §3). */
import * as z from 'zod'
import { deviceKinds, deviceRights } from './rights.ts'

export const deviceOfferRequestSchema = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where clients find this gateway, if it cannot tell itself: `http:` or `https:`.'),
})

export const deviceOfferSchema = z.object({
  offerId: z.string().describe('Names the offer in the other calls.'),
  code: z.string().describe('To be typed, good once and for five minutes.'),
  links: z
    .array(z.string())
    .describe(
      'Addresses for a QR code, the likeliest first; the code is behind the `#`, which no browser sends.',
    ),
  expiresAt: z.number().describe('Milliseconds since the epoch.'),
  isReachable: z
    .boolean()
    .describe('False where this gateway listens on loopback alone, and only this machine can reach it.'),
})
export type DeviceOffer = z.output<typeof deviceOfferSchema>

export const deviceRequestSchema = z.object({
  name: z.string().describe('What the client calls itself.'),
  kind: z.enum(deviceKinds).describe('What it says it is.'),
  digits: z
    .string()
    .regex(/^\d{6}$/)
    .describe('Six digits, to be compared with those on the client’s screen.'),
})
export type DeviceRequest = z.output<typeof deviceRequestSchema>

/** Answers when the state is another than `seen`, or after 20 s. */
export const deviceAwaitRequestSchema = z.object({
  offerId: z.string().describe('As `devices.offer` gave it.'),
  seen: z.enum(['open', 'asking']).optional().describe('The state the caller knows already.'),
})
export const deviceOfferStateSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('open') }),
  z.object({ state: z.literal('asking'), request: deviceRequestSchema.describe('Who asks.') }),
  z.object({
    state: z.literal('ended'),
    reason: z
      .enum(['expired', 'wrong-codes', 'left', 'decided'])
      .describe('`left`: the client went away before the owner had decided.'),
  }),
])
export type DeviceOfferState = z.output<typeof deviceOfferStateSchema>

export const deviceDecisionSchema = z.object({
  offerId: z.string().describe('As `devices.offer` gave it.'),
  may: z
    .array(z.enum(deviceRights))
    .min(1, 'must name one right at least')
    .nullable()
    .describe('What it may do; null to send it away.'),
  name: z.string().trim().min(1).max(100).optional().describe('Instead of the name the client gave itself.'),
})

export const deviceEntrySchema = z.object({
  name: z.string().describe('Unique among them; `devices.revoke` takes it.'),
  kind: z.enum(deviceKinds).describe('What it said it is.'),
  exposure: z.literal('relay').describe('The class all paired clients are of.'),
  may: z.array(z.enum(deviceRights)).describe('What it may do.'),
  createdAt: z.number().describe('Milliseconds since the epoch, as is `lastSeenAt`.'),
  lastSeenAt: z.number().nullable().describe('Null before its first call.'),
  connections: z.number().int().describe('Links open now.'),
})
export type DeviceEntry = z.output<typeof deviceEntrySchema>

export const deviceListSchema = z.object({ devices: z.array(deviceEntrySchema).describe('All of them.') })
export const deviceDecidedSchema = z.object({
  device: deviceEntrySchema.nullable().describe('The client as it was let in; null where it was sent away.'),
})
export const deviceRevokeRequestSchema = z.object({
  name: z.string().describe('As `devices.list` has it.'),
})
export const deviceRevokedSchema = z.object({
  name: z.string().describe('As asked.'),
  closedConnections: z.number().int().describe('Links of it that were cut.'),
})
