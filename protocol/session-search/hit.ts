/** One session that was found: what it is, where it lies, and the words that show why. */
import * as z from 'zod'
import { agentNameSchema } from './request.ts'

export const sourcePresenceSchema = z.enum(['present', 'unverifiable', 'missing'])

export const messageRoleSchema = z.enum(['user', 'assistant', 'tool'])
export type MessageRole = z.output<typeof messageRoleSchema>

/** What one message of the session says. */
const shownMessageFields = {
  snippet: z.string(),
  role: messageRoleSchema,
  timestamp: z.string().nullable(),
  /** Additive: where the message stands in the transcript, as `aiVault.readSession` counts (`around`). */
  messageIndex: z.number().int().min(0).optional(),
}

export const hitSchema = z.object({
  executionHostId: z.string().optional(),
  agent: agentNameSchema,
  sessionId: z.string().min(1),
  title: z.string(),
  cwd: z.string().nullable(),
  branch: z.string().nullable(),
  /** ISO time of the last message, or null where the transcript has none. */
  updatedAt: z.string().nullable(),
  messageCount: z.number().int().min(0),
  score: z.number(),
  source: z.object({
    presence: sourcePresenceSchema,
    filePath: z.string().optional(),
    codexHome: z.string().optional(),
  }),
  /** Null for operator-only matches, which have no text to show, and where nothing but the title matches. */
  evidence: z
    .object({
      ...shownMessageFields,
      /** Additive: up to three other messages of the session that match, the best first; absent for none. */
      further: z.array(z.object(shownMessageFields)).optional(),
    })
    .nullable(),
  /** Additive: sessions folded into this one, for all that matches in them is a copy of what matches here; absent for none. */
  duplicateCount: z.number().int().min(0).optional(),
  resumeCommand: z.string().optional(),
  /** Additive: resume after this hit (wire.md §4, complete paging). */
  cursor: z.string().optional(),
})
export type Hit = z.output<typeof hitSchema>
