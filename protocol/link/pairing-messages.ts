/** What is said while two machines pair, and by an agent that dials in; both over a link whose key is checked already. */
import * as z from 'zod'

/** The path of a pairing door, on either side. */
export const pairPath = '/pair'
/** The path agents dial in to, on the gateway. */
export const agentsPath = '/agents'
/** How long a connection may stay without saying who it is. */
export const introductionTimeoutMs = 5_000
export const maxIntroductionBytes = 8 * 1024
/** Close code of a link that gave way to a newer one from the same host. */
export const replacedCloseCode = 4001
/** Close code of a link to a gateway that has taken the host out of its configuration: there is nothing to come back to. */
export const removedCloseCode = 4002
/** IANA's registry: come back in a moment. */
export const serviceRestartCloseCode = 1012
/** RFC 6455 §7.4.1. */
export const policyViolationCloseCode = 1008

/** Shown to people and stored: one line, without control characters. */
export const peerNameSchema = z.string().transform((text) => {
  const line = text.replaceAll(/\p{C}/gu, '').trim().slice(0, 100)
  return line === '' ? 'unnamed' : line
})

/** `pairing.redeem` */
export const redeemParamsSchema = z.object({ secret: z.string().max(200), name: peerNameSchema })

export const redeemResultSchema = z.object({
  token: z.string().regex(/^[A-Za-z0-9_-]{43,128}$/),
  /** The name the peer goes by on the side that answers. */
  name: z.string().min(1).max(200),
})
export type RedeemResult = z.output<typeof redeemResultSchema>

/** `auth`, the first message of an agent that dials in. */
export const authParamsSchema = z.object({ token: z.string().max(200) })

/** Of a paired gateway, over a link it has shown its token for: the agent forgets that token. */
export const leaveMethod = 'pairing.leave'
export const leaveResultSchema = z.object({
  /** The name the gateway went by there. */
  name: z.string(),
})
