/** What a caller may ask of `aiVault.searchSessions`, and the limits resolved while it is parsed. */
import * as z from 'zod'

export const defaultLimit = 20
export const maxLimit = 100
export const maxQueryUnits = 512
export const maxScopePaths = 64

/** Default 20; integers clamp to 1–100; a fraction means the default (contract, "Limits use the engine's resolver"). */
export function resolveLimit(sent: number | undefined): number {
  if (sent === undefined || !Number.isInteger(sent)) return defaultLimit
  return Math.min(Math.max(sent, 1), maxLimit)
}

/** Agent names are open strings: a host may know agents this version does not. */
export const agentNamePattern = /^[a-z0-9][a-z0-9-]*$/
export const agentNameSchema = z.string().regex(agentNamePattern, 'not an agent name')

export const searchFiltersSchema = z.object({
  agents: z.array(agentNameSchema).max(64).optional(),
  scopePaths: z.array(z.string().min(1).max(4096)).min(1).max(maxScopePaths).optional(),
  since: z.iso.datetime({ offset: true, error: 'not an ISO time with an offset' }).optional(),
  sort: z.enum(['relevance', 'newest']).optional(),
})

const searchRequestFields = {
  query: z.string(),
  scope: z.enum(['conversation', 'all']).optional(),
  freshness: z.enum(['indexed', 'wait-until-current']).optional(),
  limit: z.number().optional().transform(resolveLimit),
  cursor: z.string().optional(),
  filters: searchFiltersSchema.optional(),
  debug: z.boolean().optional(),
  /** Additive: `complete` pages lose no hit (wire.md §4). */
  paging: z.enum(['plain', 'complete']).optional(),
  /** Additive: the time left for this call, in milliseconds; the host stops working when it is spent. */
  deadlineMs: z.number().int().min(1).max(600_000).optional(),
}

/** A request as a host agent takes it. Unknown fields, and the legacy `tier` and `refresh`, are stripped. */
export const searchRequestSchema = z.object({
  ...searchRequestFields,
  executionHostId: z.string().optional(),
})

/** A request as the gateway takes it: with the caller's wish for results as they land, and for all or nothing. */
export const gatewaySearchRequestSchema = z.object({
  ...searchRequestFields,
  executionHostId: z.string().optional(),
  partialResultToken: z.union([z.string(), z.number()]).optional(),
  /** Additive, under `all`: a host without results makes the call an error that carries `hosts`. */
  strict: z.boolean().optional(),
})

export type SearchFilters = z.output<typeof searchFiltersSchema>
export type SearchRequest = Omit<z.output<typeof searchRequestSchema>, 'executionHostId'>
/** A request as it is written before parsing: `limit` and everything else but the query may be left out. */
export type SearchRequestInput = z.input<typeof gatewaySearchRequestSchema>
export type GatewaySearchRequest = z.output<typeof gatewaySearchRequestSchema>
