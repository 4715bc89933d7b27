/** One transcript, a page at a time: the shapes of `aiVault.readSession` (wire.md §3). */
import * as z from 'zod'
import { messageRoleSchema } from './hit.ts'
import { agentNameSchema } from './request.ts'
import { pageSchema, unavailableReasonSchema } from './response.ts'

export const defaultSessionPage = 50
export const maxSessionPage = 200

export const readSessionRequestSchema = z.object({
  executionHostId: z.string().optional(),
  agent: agentNameSchema,
  sessionId: z.string().min(1).max(1024),
  /** A message index to centre the page on; a cursor goes before it. */
  around: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).max(maxSessionPage).default(defaultSessionPage),
  cursor: z.string().optional(),
})
export type ReadSessionRequest = z.output<typeof readSessionRequestSchema>

export const readSessionResponseSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('messages'),
    messages: z.array(
      z.object({
        /** Which message, from 0; those of subagents follow, each subagent's from a multiple of 1,048,576 on. */
        index: z.number().int().min(0),
        role: messageRoleSchema,
        /** As indexed: user and assistant text in full, the head of a tool's. */
        text: z.string(),
        timestamp: z.string().nullable(),
      }),
    ),
    page: pageSchema.extend({
      /** The page before this one; null at the transcript's head. */
      previousCursor: z.string().nullable(),
    }),
    session: z.object({
      agent: agentNameSchema,
      sessionId: z.string(),
      title: z.string(),
      /** All rows of the transcript, tools included. */
      messageCount: z.number().int().min(0),
    }),
  }),
  /** The transcript was rewritten, or the index built anew, since the cursor was given out. */
  z.object({ kind: z.literal('stale-cursor') }),
  z.object({ kind: z.literal('malformed-cursor') }),
  z.object({ kind: z.literal('unavailable'), reason: unavailableReasonSchema }),
])
export type ReadSessionResponse = z.output<typeof readSessionResponseSchema>
