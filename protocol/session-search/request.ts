/** What a caller may ask of `aiVault.searchSessions`, and the limits resolved while it is parsed. */
import * as z from 'zod'
import { agentNamePattern } from './agent-name.ts'

export const defaultLimit = 20
export const maxLimit = 100
export const maxQueryUnits = 512
export const maxScopePaths = 64

/** Default 20; integers clamp to 1–100; a fraction means the default (contract, "Limits use the engine's resolver"). */
export function resolveLimit(sent: number | undefined): number {
  if (sent === undefined || !Number.isInteger(sent)) return defaultLimit
  return Math.min(Math.max(sent, 1), maxLimit)
}

export const agentNameSchema = z.string().regex(agentNamePattern, 'not an agent name')

export const searchFiltersSchema = z.object({
  agents: z.array(agentNameSchema).max(64).optional().describe('Only sessions of these coding agents.'),
  scopePaths: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(maxScopePaths)
    .optional()
    .describe('Only sessions at work in these folders, or below them: absolute paths of the host.'),
  since: z.iso
    .datetime({ offset: true, error: 'not an ISO time with an offset' })
    .optional()
    .describe('Only sessions touched at this time or later.'),
  sort: z
    .enum(['relevance', 'newest'])
    .optional()
    .describe(
      '`relevance` unless told otherwise, or unless the query has no words; under `all` always the newest first.',
    ),
})

/** As a host agent takes it: any other id is answered as no service of this host. */
export const ownHostSchema = z
  .string()
  .optional()
  .describe('Nothing, `local`, `all` or the host’s own id: itself. Any other is not served.')

/** As the gateway takes it where one host is asked. */
export const oneHostSchema = z
  .string()
  .optional()
  .describe('The host; the gateway’s own machine (`local`) where it is left out.')

const searchRequestFields = {
  query: z
    .string()
    .describe(
      `Words and operators. May be empty: the newest sessions then. What is longer than ${maxQueryUnits} characters is cut, and \`truncated.query\` says so.`,
    ),
  scope: z
    .enum(['conversation', 'all'])
    .optional()
    .describe('`conversation` leaves out what tools said; `all`, unless told otherwise, does not.'),
  freshness: z
    .enum(['indexed', 'wait-until-current'])
    .optional()
    .describe('`wait-until-current` lets the index catch up first, 5 s at most.'),
  limit: z
    .number()
    .optional()
    .transform(resolveLimit)
    .describe(
      `Hits a page, ${defaultLimit} unless told otherwise. Brought into 1 to ${maxLimit}; a fraction counts as not given.`,
    ),
  cursor: z
    .string()
    .optional()
    .describe('`page.cursor` of the page before, exactly as given; everything else as it was.'),
  filters: searchFiltersSchema.optional().describe('Narrow the search as operators in the query do.'),
  debug: z.boolean().optional().describe('One host only: the answer says how the query was read.'),
  paging: z
    .enum(['plain', 'complete'])
    .optional()
    .describe('`complete` pages lose no hit: put together they are the sorted union of all hosts.'),
  deadlineMs: z
    .number()
    .int()
    .min(1)
    .max(600_000)
    .optional()
    .describe('The time that is left for this call; the host stops working when it is spent.'),
}

/** A request as a host agent takes it. Unknown fields, and the legacy `tier` and `refresh`, are stripped. */
export const searchRequestSchema = z.object({
  ...searchRequestFields,
  executionHostId: ownHostSchema,
})

/** A request as the gateway takes it: with the caller's wish for results as they land, and for all or nothing. */
export const gatewaySearchRequestSchema = z.object({
  ...searchRequestFields,
  executionHostId: z
    .string()
    .optional()
    .describe('One host, or `all`; the gateway’s own machine (`local`) where it is left out.'),
  partialResultToken: z
    .union([z.string(), z.number()])
    .optional()
    .describe(
      'Over WebSocket, under `all`: have each host’s hits as they land, in `$/progress` with this token.',
    ),
  strict: z
    .boolean()
    .optional()
    .describe('Under `all`: a host without results makes the call an error that carries `hosts`.'),
})

export type SearchFilters = z.output<typeof searchFiltersSchema>
export type SearchRequest = Omit<z.output<typeof searchRequestSchema>, 'executionHostId'>
/** A request as it is written before parsing: `limit` and everything else but the query may be left out. */
export type SearchRequestInput = z.input<typeof gatewaySearchRequestSchema>
export type GatewaySearchRequest = z.output<typeof gatewaySearchRequestSchema>
