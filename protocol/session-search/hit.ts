/** One session that was found: what it is, where it lies, and the words that show why. */
import { z } from 'zod'
import { agentNameSchema } from './request.ts'

export const sourcePresenceSchema = z.enum(['present', 'unverifiable', 'missing'])

export const messageRoleSchema = z.enum(['user', 'assistant', 'tool'])
export type MessageRole = z.output<typeof messageRoleSchema>

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
  /** Null for operator-only matches, which have no text to show. */
  evidence: z
    .object({
      snippet: z.string(),
      role: messageRoleSchema,
      timestamp: z.string().nullable(),
    })
    .nullable(),
  resumeCommand: z.string().optional(),
  /** Additive: resume after this hit (wire.md §4, complete paging). */
  cursor: z.string().optional(),
})
export type Hit = z.output<typeof hitSchema>
