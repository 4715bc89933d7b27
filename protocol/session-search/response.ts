/** Every shape an answer to `aiVault.searchSessions` can have. */
import * as z from 'zod'
import { type Hit, hitSchema } from './hit.ts'
import { queryReadingSchema } from './query-reading.ts'
import { isWholeHit } from './whole-hit.ts'

export const pageSchema = z.object({
  cursor: z
    .string()
    .nullable()
    .describe('For the next page; null where there is none. An empty string is a cursor.'),
  hasMore: z.boolean().describe('Whether there is a next page.'),
  startCursor: z.string().optional().describe('Resumes at the head of this page.'),
})

export const truncatedSchema = z.object({
  candidates: z.boolean().describe('More matched than are ranked.'),
  snippets: z.number().int().min(0).describe('How many snippets of this page were cut.'),
  query: z.boolean().describe('The query was too long, and what stands behind was left out.'),
  freshness: z.boolean().describe('The index had not caught up when the time for that was spent.'),
})
export type Truncated = z.output<typeof truncatedSchema>

export const searchDebugSchema = z.object({
  route: z.string().describe('Which way of looking answered.'),
  repairedTerms: z.array(z.string()).optional().describe('Words that stand in for misspelt ones.'),
  plannerReport: z
    .object({
      route: z.string().describe('As `debug.route`.'),
      repairedTerms: z.array(z.string()).optional().describe('As `debug.repairedTerms`.'),
      scope: z.enum(['conversation', 'all']).describe('As asked.'),
    })
    .describe('What was planned.'),
  reading: queryReadingSchema.optional().describe('How the query was read.'),
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
  executionHostId: z.string().describe('The host that was to be asked.'),
  outcome: legOutcomeSchema.describe('What became of this leg.'),
  reason: z
    .union([unavailableReasonSchema, unreachableReasonSchema])
    .optional()
    .describe('Why it gave no results: of `unavailable` and of `unreachable`.'),
  durationMs: z.number().min(0).describe('Until this leg landed.'),
  droppedHits: z.number().int().min(1).optional().describe('Hits that could not be read, and were left out.'),
  skipped: z
    .literal(true)
    .optional()
    .describe('It was not asked, since calls before went unanswered; it is again once it answers a ping.'),
  hits: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('How many hits it put into the pool the page was cut from.'),
})
export type LegReport = z.output<typeof legReportSchema>

const resultsFields = {
  kind: z.literal('results'),
  page: pageSchema.describe('How to go on.'),
  generation: z
    .number()
    .int()
    .min(0)
    .describe('Of the index that answered; under `all` the local one’s, 0 where that gave none.'),
  truncated: truncatedSchema.describe('What the answer leaves out, and why.'),
  durationMs: z.number().min(0).describe('Of the whole search.'),
  debug: searchDebugSchema.optional().describe('With `debug`.'),
  hosts: z
    .array(legReportSchema)
    .optional()
    .describe('Under `all` only: every leg, with or without results.'),
}

const refusals = [
  z.object({
    kind: z.literal('stale-cursor'),
    generation: z.number().int().min(0).describe('Of the index as it is now.'),
    expectedGeneration: z.number().int().min(0).optional().describe('Of the index the cursor came from.'),
  }),
  z.object({ kind: z.literal('malformed-cursor') }),
  z.object({
    kind: z.literal('unavailable'),
    reason: unavailableReasonSchema.describe(
      '`disabled`: switched off there; `not-ready`: its index is being made; `no-service`: it does not search.',
    ),
  }),
] as const

export const searchResponseSchema = z.discriminatedUnion('kind', [
  z.object({ ...resultsFields, hits: z.array(hitSchema).describe('In order, a page of them at most.') }),
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
