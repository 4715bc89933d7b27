/** One transcript, a page at a time: the shapes of `aiVault.readSession` (wire.md §3). */
import * as z from 'zod'
import { messageRoleSchema } from './hit.ts'
import { agentNameSchema, oneHostSchema } from './request.ts'
import { pageSchema, unavailableReasonSchema } from './response.ts'

export const defaultSessionPage = 50
export const maxSessionPage = 200

export const readSessionRequestSchema = z.object({
  executionHostId: oneHostSchema,
  agent: agentNameSchema.describe('As in the hit.'),
  sessionId: z.string().min(1).max(1024).describe('As in the hit.'),
  around: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('A message index to centre the page on; a cursor goes before it.'),
  limit: z.number().int().min(1).max(maxSessionPage).default(defaultSessionPage).describe('Messages a page.'),
  cursor: z
    .string()
    .optional()
    .describe('`page.cursor` or `page.previousCursor` of an answer, exactly as given.'),
})
export type ReadSessionRequest = z.output<typeof readSessionRequestSchema>

export const readSessionResponseSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('messages'),
    messages: z
      .array(
        z.object({
          index: z
            .number()
            .int()
            .min(0)
            .describe(
              'Which message, from 0; those of subagents follow, each subagent’s from a multiple of 1,048,576 on.',
            ),
          role: messageRoleSchema.describe('Who said it.'),
          text: z.string().describe('As indexed: user and assistant text in full, the head of a tool’s.'),
          timestamp: z.string().nullable().describe('ISO time, where the message has one.'),
        }),
      )
      .describe('In the order of the transcript.'),
    page: pageSchema
      .extend({
        previousCursor: z
          .string()
          .nullable()
          .describe('For the page before this one; null at the transcript’s head.'),
      })
      .describe('How to go on, both ways.'),
    session: z
      .object({
        agent: agentNameSchema.describe('As asked.'),
        sessionId: z.string().describe('As asked.'),
        title: z.string().describe('As in a hit.'),
        messageCount: z.number().int().min(0).describe('All messages of the transcript, tools’ included.'),
        cwd: z.string().nullable().optional().describe('Additive: as in a hit.'),
        branch: z.string().nullable().optional().describe('Additive: as in a hit.'),
        updatedAt: z.string().nullable().optional().describe('Additive: as in a hit.'),
        resumeCommand: z
          .string()
          .optional()
          .describe(
            'Additive: as in a hit, so never to a relay, and only beside a transcript that is there.',
          ),
      })
      .describe('The session itself.'),
  }),
  /** The transcript was rewritten, or the index built anew, since the cursor was given out. */
  z.object({ kind: z.literal('stale-cursor') }),
  z.object({ kind: z.literal('malformed-cursor') }),
  z.object({
    kind: z.literal('unavailable'),
    reason: unavailableReasonSchema.describe('As of a search.'),
  }),
])
export type ReadSessionResponse = z.output<typeof readSessionResponseSchema>
