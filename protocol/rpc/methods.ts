/**
 * The one method table: name → what it takes, what it answers, who serves it and who may call it (wire.md §3).
 * Parsing strips unknown members; both sides parse what they receive.
 */
import * as z from 'zod'
import { readSessionRequestSchema, readSessionResponseSchema } from '../session-search/read-session.ts'
import { gatewaySearchRequestSchema, searchRequestSchema } from '../session-search/request.ts'
import { searchResponseSchema } from '../session-search/response.ts'
import { searchStatusSchema, statusRequestSchema } from '../session-search/status.ts'
import {
  hostDescriptionSchema,
  hostInvitationSchema,
  hostInviteRequestSchema,
  hostListSchema,
} from './describe.ts'
import { TrawlError } from './errors.ts'

const hostOnlySchema = z.object({ executionHostId: z.string().optional() })

export const methodTable = {
  'aiVault.searchSessions': {
    summary: 'Search the sessions of one host, or of all.',
    gateway: gatewaySearchRequestSchema,
    hostAgent: searchRequestSchema,
    result: searchResponseSchema,
  },
  'aiVault.searchStatus': {
    summary: "What one host's indexer knows of its index.",
    gateway: statusRequestSchema,
    hostAgent: statusRequestSchema,
    result: searchStatusSchema,
  },
  'aiVault.readSession': {
    summary: 'A page of one transcript, around a message or from its head, both ways.',
    gateway: readSessionRequestSchema,
    hostAgent: readSessionRequestSchema,
    result: readSessionResponseSchema,
  },
  'hosts.list': {
    summary: 'Every configured host, connected or not.',
    gateway: z.object({}),
    hostAgent: null,
    result: hostListSchema,
  },
  'hosts.invite': {
    summary: 'An offer for the agent of a runtime host that dials in; for same-machine callers.',
    gateway: hostInviteRequestSchema,
    hostAgent: null,
    result: hostInvitationSchema,
  },
  'host.describe': {
    summary: "A host agent's version, platform, readers and limits.",
    gateway: hostOnlySchema,
    hostAgent: hostOnlySchema,
    result: hostDescriptionSchema,
  },
} as const satisfies Record<string, MethodRow>

interface MethodRow {
  readonly summary: string
  /** Parameters as the gateway takes them; null where it does not serve the method. */
  readonly gateway: z.ZodType | null
  /** Parameters as a host agent takes them; null where it does not serve the method. */
  readonly hostAgent: z.ZodType | null
  readonly result: z.ZodType
}

export type MethodName = keyof typeof methodTable

/**
 * Parses by-name parameters; absent ones count as `{}`.
 * @throws TrawlError `invalid_input`, each bad field named in `details.issues`.
 */
export function parseParams<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params ?? {})
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
  const fields = issues.map((issue) =>
    issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`,
  )
  throw new TrawlError('invalid_input', `Invalid params: ${fields.join('; ')}`, { issues })
}
