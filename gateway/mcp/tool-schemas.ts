/**
 * What the four tools take and answer, made from the shapes of `protocol/`. The words for a model stand here, beside the
 * fields they describe.
 */
import * as z from 'zod'
import { hostEntrySchema } from '../../protocol/rpc/describe.ts'
import { hitSchema } from '../../protocol/session-search/hit.ts'
import { maxSessionPage, readSessionRequestSchema } from '../../protocol/session-search/read-session.ts'
import {
  agentNameSchema,
  gatewaySearchRequestSchema,
  maxLimit,
  searchFiltersSchema,
} from '../../protocol/session-search/request.ts'
import { legReportSchema, pageSchema } from '../../protocol/session-search/response.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import { defaultMaxTokens, leastMaxTokens, mostMaxTokens } from './token-budget.ts'

export const defaultHits = 10
export const defaultMessages = 20

const maxTokensSchema = z
  .int()
  .min(leastMaxTokens)
  .max(mostMaxTokens)
  .default(defaultMaxTokens)
  .describe(
    `The most tokens the answer may cost you. Long texts are cut to fit, ending in "…"; no hit or message is lost, paging goes on after the last one shown. Default ${defaultMaxTokens}.`,
  )

/** A session as agents name it: the pair is unique on a host. */
export const namedSessionSchema = z.object({ agent: agentNameSchema, sessionId: z.string().min(1).max(1024) })
export type NamedSession = z.output<typeof namedSessionSchema>

const { query, cursor, scope, freshness } = gatewaySearchRequestSchema.shape
const { agents, scopePaths, since, sort } = searchFiltersSchema.shape

export const searchInputSchema = z.object({
  query: query.describe(
    'Words that stand in the session, best the rare ones: an error message, an identifier, a file name. "two words" in quotes stand side by side, recon* is a beginning, -word leaves out. Operators narrow: agent:codex host:devbox repo:api path:/work/app branch:main role:user after:7d before:2026-11-30. Empty lists the newest sessions.',
  ),
  executionHostId: z
    .string()
    .default('all')
    .describe('"all" (default) searches every machine; otherwise one id of list_hosts, such as "local".'),
  agents: agents.describe('Only sessions of these coding agents, such as "claude" or "codex".'),
  scopePaths: scopePaths.describe('Only sessions that ran in these directories: absolute paths of the host.'),
  since: since.describe(
    'Only sessions touched since: ISO time with an offset, such as 2026-11-30T00:00:00Z.',
  ),
  sort: sort.describe(
    'With one host: "relevance" (default) or "newest". Several hosts are always newest first.',
  ),
  scope: scope.describe('"conversation" leaves the output of tools out; "all" (default) does not.'),
  freshness: freshness.describe(
    '"wait-until-current" lets indexes catch up first, 5 s at most: for what was said just now.',
  ),
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .default(defaultHits)
    .describe(`The most sessions to answer with. Default ${defaultHits}; fewer where maxTokens is small.`),
  cursor: cursor.describe(
    'page.cursor of the answer before, exactly as given, even if it is an empty string; all other arguments unchanged.',
  ),
  excludeSession: namedSessionSchema
    .optional()
    .describe('Your own session, so that you do not find yourself.'),
  maxTokens: maxTokensSchema,
})
export type SearchInput = z.output<typeof searchInputSchema>

const hostOutcomeSchema = legReportSchema.pick({ executionHostId: true, outcome: true, reason: true })
const notListedSchema = z
  .int()
  .min(0)
  .describe('How many hosts the list leaves out to stay within maxTokens.')
const outPageSchema = pageSchema.pick({ cursor: true, hasMore: true })

export const searchOutputSchema = z.object({
  complete: z
    .boolean()
    .describe(
      'False where a host did not answer or has not searched all it holds: then absence proves nothing.',
    ),
  hits: z.array(
    hitSchema
      .pick({ agent: true, sessionId: true, title: true, cwd: true, branch: true, updatedAt: true })
      .extend({
        executionHostId: z.string(),
        messageCount: hitSchema.shape.messageCount,
        evidence: hitSchema.shape.evidence.describe(
          'The message that shows why; its messageIndex is what read_session takes as around.',
        ),
        duplicateCount: hitSchema.shape.duplicateCount,
        resumeCommand: hitSchema.shape.resumeCommand,
      }),
  ),
  page: outPageSchema,
  hosts: z.array(hostOutcomeSchema).describe('Every host asked, those that did not answer first.'),
  hostsNotListed: notListedSchema,
  notes: z.array(z.string()).describe('What the answer leaves out, and why.'),
})
export type SearchOutput = z.output<typeof searchOutputSchema>

export const readInputSchema = z.object({
  executionHostId: z
    .string()
    .default('local')
    .describe('The host of the hit, as search_sessions gave it. Default: this machine.'),
  agent: readSessionRequestSchema.shape.agent.describe('The agent of the hit.'),
  sessionId: readSessionRequestSchema.shape.sessionId.describe('The sessionId of the hit.'),
  around: readSessionRequestSchema.shape.around.describe(
    "A message index to centre the page on: a hit's evidence.messageIndex. Without it the page begins at the head.",
  ),
  limit: z
    .int()
    .min(1)
    .max(maxSessionPage)
    .default(defaultMessages)
    .describe(
      `The most messages to answer with. Default ${defaultMessages}; fewer where maxTokens is small. 1, with around and a large maxTokens, gives one long message.`,
    ),
  cursor: cursor.describe('page.cursor or page.previousCursor of the answer before, exactly as given.'),
  maxTokens: maxTokensSchema,
})
export type ReadInput = z.output<typeof readInputSchema>

export const readOutputSchema = z.object({
  executionHostId: z.string(),
  session: z.object({
    agent: agentNameSchema,
    sessionId: z.string(),
    title: z.string(),
    messageCount: z.int().min(0),
  }),
  messages: z.array(
    z.object({
      index: z.int().min(0),
      role: z.enum(['user', 'assistant', 'tool']),
      timestamp: z.string().nullable(),
      text: z.string(),
      /** UTF-16 units. */
      leftOut: z.int().min(1).optional().describe('How many characters of the text were cut off behind.'),
    }),
  ),
  page: outPageSchema.extend({ previousCursor: z.string().nullable() }),
})
export type ReadOutput = z.output<typeof readOutputSchema>

export const listHostsInputSchema = z.object({ maxTokens: maxTokensSchema })

export const listHostsOutputSchema = z.object({
  hosts: z.array(
    hostEntrySchema
      .pick({ executionHostId: true, kind: true, label: true, state: true, version: true })
      .extend({ reason: hostEntrySchema.shape.reason, lastSeenAt: z.string().nullable() }),
  ),
  hostsNotListed: notListedSchema,
})
export type ListHostsOutput = z.output<typeof listHostsOutputSchema>

export const indexStatusInputSchema = z.object({
  executionHostId: z.string().optional().describe('One id of list_hosts; without it every host is asked.'),
  maxTokens: maxTokensSchema,
})

export const indexStatusOutputSchema = z.object({
  complete: z.boolean().describe('False where a host did not answer, or its index is not current.'),
  hosts: z.array(
    hostOutcomeSchema.extend({
      status: searchStatusSchema
        .pick({ enabled: true, phase: true, filesIndexed: true, filesDue: true, filesFailed: true })
        .extend({ degradedRoots: z.int().min(0).describe('How many sources could not be read.') })
        .optional(),
    }),
  ),
  hostsNotListed: notListedSchema,
})
export type IndexStatusOutput = z.output<typeof indexStatusOutputSchema>
