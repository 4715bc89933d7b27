/** One session that was found: what it is, where it lies, and the words that show why. */
import * as z from 'zod'
import { agentNameSchema } from './request.ts'

export const sourcePresenceSchema = z.enum(['present', 'unverifiable', 'missing'])

export const messageRoleSchema = z.enum(['user', 'assistant', 'tool'])
export type MessageRole = z.output<typeof messageRoleSchema>

/** What one message of the session says. */
const shownMessageFields = {
  snippet: z.string().describe('The words around the match, each match between `[[` and `]]`.'),
  role: messageRoleSchema.describe('Who said it.'),
  timestamp: z.string().nullable().describe('ISO time, where the message has one.'),
  messageIndex: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Where the message stands in the transcript, as `aiVault.readSession` counts (`around`).'),
}

export const hitSchema = z.object({
  executionHostId: z.string().optional().describe('The host that answered, as the gateway has stamped it.'),
  agent: agentNameSchema.describe('The coding agent the session is of.'),
  sessionId: z.string().min(1).describe('With `agent`, names the session on its host.'),
  title: z.string().describe('As the coding agent has it, else the first words of the session.'),
  cwd: z.string().nullable().describe('The folder it was at work in.'),
  branch: z.string().nullable().describe('The git branch.'),
  updatedAt: z
    .string()
    .nullable()
    .describe('ISO time of the last message, or null where the transcript has none.'),
  messageCount: z.number().int().min(0).describe('Messages of the transcript, tools’ included.'),
  score: z
    .number()
    .describe('Compares with those of the same answer of the same host alone; the higher, the better.'),
  source: z
    .object({
      presence: sourcePresenceSchema.describe('Whether the transcript was there when its host last looked.'),
      filePath: z.string().optional().describe('The transcript, on its host. Never for a `relay` caller.'),
      codexHome: z
        .string()
        .optional()
        .describe('The Codex home it lies in, where that is not the usual one. Never for a `relay` caller.'),
    })
    .describe('Where the transcript is.'),
  evidence: z
    .object({
      ...shownMessageFields,
      further: z
        .array(z.object(shownMessageFields))
        .optional()
        .describe('Up to three other messages of the session that match, the best first; absent for none.'),
    })
    .nullable()
    .describe(
      'The message that shows why. Null where operators alone matched, which have no text to show, and where nothing but the title matches.',
    ),
  duplicateCount: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Sessions folded into this one, for all that matches in them is a copy of what matches here; absent for none.',
    ),
  resumeCommand: z
    .string()
    .optional()
    .describe(
      'Goes on with the session. Only where the transcript is present, and never for a `relay` caller.',
    ),
  cursor: z.string().optional().describe('Resumes after this hit; with `paging: "complete"`.'),
})
export type Hit = z.output<typeof hitSchema>
