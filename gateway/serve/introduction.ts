/** What a door reads of somebody who has not said yet who it is: one small message, within five seconds. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import * as z from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { authParamsSchema, maxIntroductionBytes } from '../../protocol/link/pairing-messages.ts'

/** How long the other end has to answer a close: `ws` itself would wait half a minute. */
const closeGraceMs = 500

const authMessageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.literal('auth'),
  params: authParamsSchema,
})

/** @returns null for anything but `auth {token}`. */
export function readAuthMessage(text: string): z.output<typeof authMessageSchema> | null {
  if (text.length > maxIntroductionBytes) return null
  try {
    return authMessageSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * `ws` would take in a whole message of a known peer's size before it says that there is one.
 * @param limitBytes what may come with the introduction: a peer may send its first calls along.
 * @returns how the limit is lifted.
 */
export function limitIntroduction(stream: Duplex, limitBytes = 2 * maxIntroductionBytes): () => void {
  let leftBytes = limitBytes
  const count = (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes < 0) stream.destroy()
  }
  stream.on('data', count)
  return () => void stream.off('data', count)
}

/** Closes, and cuts off whoever does not answer that: a place is not held by silence. */
export function closeSoon(
  socket: WebSocket,
  { code, reason, clock }: { readonly code: number; readonly reason: string; readonly clock: Clock },
): void {
  socket.close(code, reason)
  const stopWaiting = clock.after(closeGraceMs, () => socket.terminate())
  socket.once('close', stopWaiting)
}
