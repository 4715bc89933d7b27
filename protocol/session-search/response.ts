/** Every shape an answer to `aiVault.searchSessions` can have. */
import * as z from 'zod'
import { type Hit, hitSchema } from './hit.ts'
import { queryReadingSchema } from './query-reading.ts'
import { isWholeHit } from './whole-hit.ts'

export const pageSchema = z.object({
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  /** Additive: resume at the head of this page. */
  startCursor: z.string().optional(),
})

export const truncatedSchema = z.object({
  candidates: z.boolean(),
  /** How many snippets of this page were cut. */
  snippets: z.number().int().min(0),
  query: z.boolean(),
  freshness: z.boolean(),
})
export type Truncated = z.output<typeof truncatedSchema>

export const searchDebugSchema = z.object({
  route: z.string(),
  repairedTerms: z.array(z.string()).optional(),
  plannerReport: z.object({
    route: z.string(),
    repairedTerms: z.array(z.string()).optional(),
    scope: z.enum(['conversation', 'all']),
  }),
  /** Additive: how the query was read. */
  reading: queryReadingSchema.optional(),
})
export type SearchDebug = z.output<typeof searchDebugSchema>

export const unavailableReasonSchema = z.enum(['disabled', 'not-ready', 'no-service'])
export type UnavailableReason = z.output<typeof unavailableReasonSchema>

/** Why a host could not be asked (wire.md §4). */
export const unreachableReasonSchema = z.enum([
  'timeout',
  'offline',
  'connecting',
  'auth-failed',
  'host-key',
  'protocol',
  'agent-missing',
  'crashed',
  'not-configured',
])
export type UnreachableReason = z.output<typeof unreachableReasonSchema>

export const legOutcomeSchema = z.enum([
  'results',
  'stale-cursor',
  'malformed-cursor',
  'unavailable',
  'unreachable',
])

export const legReportSchema = z.object({
  executionHostId: z.string(),
  outcome: legOutcomeSchema,
  reason: z.union([unavailableReasonSchema, unreachableReasonSchema]).optional(),
  durationMs: z.number().min(0),
  droppedHits: z.number().int().min(1).optional(),
  /** Additive: the host was not asked, since calls before went unanswered; it is again once it answers a ping. */
  skipped: z.literal(true).optional(),
  /** Additive: how many hits this host put into the pool the page was cut from. */
  hits: z.number().int().min(0).optional(),
})
export type LegReport = z.output<typeof legReportSchema>

const resultsFields = {
  kind: z.literal('results'),
  page: pageSchema,
  generation: z.number().int().min(0),
  truncated: truncatedSchema,
  durationMs: z.number().min(0),
  debug: searchDebugSchema.optional(),
  /** Present under `all` only: one entry per leg. */
  hosts: z.array(legReportSchema).optional(),
}

const refusals = [
  z.object({
    kind: z.literal('stale-cursor'),
    generation: z.number().int().min(0),
    expectedGeneration: z.number().int().min(0).optional(),
  }),
  z.object({ kind: z.literal('malformed-cursor') }),
  z.object({ kind: z.literal('unavailable'), reason: unavailableReasonSchema }),
] as const

export const searchResponseSchema = z.discriminatedUnion('kind', [
  z.object({ ...resultsFields, hits: z.array(hitSchema) }),
  ...refusals,
])
export type SearchResponse = z.output<typeof searchResponseSchema>
export type SearchResults = Extract<SearchResponse, { kind: 'results' }>

const tolerantResponseSchema = z.discriminatedUnion('kind', [
  z.object({ ...resultsFields, hits: z.custom<readonly unknown[]>(Array.isArray) }),
  ...refusals,
])

/**
 * UTF-16 units of one hit, or of a cursor: ten times what an agent sends. A host that sends more would leave no room in
 * the answer for what the others found.
 */
const maxHitUnits = 16_384

/**
 * Reads a host's answer: a hit this version cannot parse, or that no page has room for, is dropped and counted, and a resume command
 * beside a source that is not present is lost; neither fails the page (wire.md §3).
 * @throws Error when the answer itself has no known shape.
 */
export function parseHostResponse(value: unknown): { response: SearchResponse; droppedHits: number } {
  const parsed = tolerantResponseSchema.parse(value)
  if (parsed.kind !== 'results') return { response: parsed, droppedHits: 0 }
  if ((parsed.page.cursor?.length ?? 0) > maxHitUnits) throw new Error('the cursor is too long')
  const hits: Hit[] = []
  for (const candidate of parsed.hits) {
    const hit = isWholeHit(candidate) ? candidate : hitSchema.safeParse(candidate).data
    if (hit !== undefined && unitsOf(hit) <= maxHitUnits) hits.push(withoutUnprovenCommand(hit))
  }
  return { response: { ...parsed, hits }, droppedHits: parsed.hits.length - hits.length }
}

/** Adds up and makes nothing: an answer over many hosts brings thousands of hits. */
function unitsOf(hit: Hit): number {
  const { source, evidence, agent, sessionId, title } = hit
  let units = agent.length + sessionId.length + title.length
  units += lengthOf(hit.cwd) + lengthOf(hit.branch) + lengthOf(hit.updatedAt)
  units += lengthOf(source.filePath) + lengthOf(source.codexHome)
  units += lengthOf(hit.resumeCommand) + lengthOf(hit.cursor)
  if (evidence === null) return units
  units += evidence.snippet.length + lengthOf(evidence.timestamp)
  if (evidence.further !== undefined)
    for (const { snippet, timestamp } of evidence.further) units += snippet.length + lengthOf(timestamp)
  return units
}

function lengthOf(text: string | null | undefined): number {
  return text?.length ?? 0
}

function withoutUnprovenCommand(hit: Hit): Hit {
  if (hit.resumeCommand === undefined || hit.source.presence === 'present') return hit
  const { resumeCommand: _dropped, ...rest } = hit
  return rest
}
