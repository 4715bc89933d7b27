/** What a door reads of somebody who has not said yet who it is: one small message, within five seconds. */
import type { Duplex } from 'node:stream'
import * as z from 'zod'
import { authParamsSchema, maxIntroductionBytes } from '../../protocol/link/pairing-messages.ts'

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
