/**
 * The one method table: name → what it takes, what it answers, who serves it and who may call it (wire.md §3).
 * Parsing strips unknown members; both sides parse what they receive.
 */
import * as z from 'zod'
import { readSessionRequestSchema, readSessionResponseSchema } from '../session-search/read-session.ts'
import { gatewaySearchRequestSchema, oneHostSchema, searchRequestSchema } from '../session-search/request.ts'
import { searchResponseSchema } from '../session-search/response.ts'
import { searchStatusSchema, statusRequestSchema } from '../session-search/status.ts'
import {
  callerDescriptionSchema,
  hostAddedSchema,
  hostAddRequestSchema,
  hostDescriptionSchema,
  hostEntrySchema,
  hostInvitationSchema,
  hostInviteRequestSchema,
  hostListSchema,
  hostRemovedSchema,
  hostRemoveRequestSchema,
  hostRetryRequestSchema,
} from './describe.ts'
import {
  deviceAwaitRequestSchema,
  deviceDecidedSchema,
  deviceDecisionSchema,
  deviceListSchema,
  deviceOfferRequestSchema,
  deviceOfferSchema,
  deviceOfferStateSchema,
  deviceRevokedSchema,
  deviceRevokeRequestSchema,
} from './devices.ts'
import { TrawlError } from './errors.ts'
import type { DeviceRight } from './rights.ts'

const hostOnlySchema = z.object({ executionHostId: oneHostSchema })

export const methodTable = {
  'aiVault.searchSessions': {
    summary: 'Search the sessions of one host, or of all.',
    callers: 'any',
    right: 'search',
    gateway: gatewaySearchRequestSchema,
    hostAgent: searchRequestSchema,
    result: searchResponseSchema,
  },
  'aiVault.searchStatus': {
    summary: "What one host's indexer knows of its index.",
    callers: 'any',
    right: 'search',
    gateway: statusRequestSchema,
    hostAgent: statusRequestSchema,
    result: searchStatusSchema,
  },
  'aiVault.readSession': {
    summary: 'A page of one transcript, around a message or from its head, both ways.',
    callers: 'any',
    right: 'read',
    gateway: readSessionRequestSchema,
    hostAgent: readSessionRequestSchema,
    result: readSessionResponseSchema,
  },
  'hosts.list': {
    summary: 'Every configured host, connected or not.',
    callers: 'any',
    right: null,
    gateway: z.object({}),
    hostAgent: null,
    result: hostListSchema,
  },
  'hosts.retry': {
    summary: 'Tries a host again that cannot be asked; answers when it is known what came of it.',
    callers: 'owner',
    right: null,
    gateway: hostRetryRequestSchema,
    hostAgent: null,
    result: hostEntrySchema,
  },
  'hosts.invite': {
    summary: 'An offer for the agent of a runtime host that dials in.',
    callers: 'owner',
    right: null,
    gateway: hostInviteRequestSchema,
    hostAgent: null,
    result: hostInvitationSchema,
  },
  'hosts.add': {
    summary: 'Saves a host in the configuration and takes it up at once.',
    callers: 'owner',
    right: null,
    gateway: hostAddRequestSchema,
    hostAgent: null,
    result: hostAddedSchema,
  },
  'hosts.remove': {
    summary: 'Takes a host out of the configuration and gives it up at once.',
    callers: 'owner',
    right: null,
    gateway: hostRemoveRequestSchema,
    hostAgent: null,
    result: hostRemovedSchema,
  },
  'caller.describe': {
    summary: 'Who the gateway takes the caller for, and what that one may do.',
    callers: 'any',
    right: null,
    gateway: z.object({}),
    hostAgent: null,
    result: callerDescriptionSchema,
  },
  'host.describe': {
    summary: "A host agent's version, platform, readers and limits.",
    callers: 'any',
    right: null,
    gateway: hostOnlySchema,
    hostAgent: hostOnlySchema,
    result: hostDescriptionSchema,
  },
  'devices.offer': {
    summary: 'A short code by which a web or mobile client pairs, good once and for five minutes.',
    callers: 'owner',
    right: null,
    gateway: deviceOfferRequestSchema,
    hostAgent: null,
    result: deviceOfferSchema,
  },
  'devices.await': {
    summary: 'What became of such a code; answers when there is news, or after 20 s.',
    callers: 'owner',
    right: null,
    gateway: deviceAwaitRequestSchema,
    hostAgent: null,
    result: deviceOfferStateSchema,
    waits: true,
  },
  'devices.decide': {
    summary: 'Lets the client in that redeemed a code, naming what it may do, or sends it away.',
    callers: 'owner',
    right: null,
    gateway: deviceDecisionSchema,
    hostAgent: null,
    result: deviceDecidedSchema,
  },
  'devices.list': {
    summary: 'The paired clients.',
    callers: 'owner',
    right: null,
    gateway: z.object({}),
    hostAgent: null,
    result: deviceListSchema,
  },
  'devices.revoke': {
    summary: 'Ends a pairing, and at once what that client has open.',
    callers: 'owner',
    right: null,
    gateway: deviceRevokeRequestSchema,
    hostAgent: null,
    result: deviceRevokedSchema,
  },
} as const satisfies Record<string, MethodRow>

interface MethodRow {
  readonly summary: string
  /** `owner`: same-machine callers alone (`ipc`, `runtime`). */
  readonly callers: 'any' | 'owner'
  /** What a paired client must have been given; null for what every client may. */
  readonly right: DeviceRight | null
  /** Parameters as the gateway takes them; null where it does not serve the method. */
  readonly gateway: z.ZodType | null
  /** Parameters as a host agent takes them; null where it does not serve the method. */
  readonly hostAgent: z.ZodType | null
  readonly result: z.ZodType
  /** It is answered when there is news: whoever shuts down does not wait for it. */
  readonly waits?: true
}

export type MethodName = keyof typeof methodTable

export function waitsForNews(method: string): boolean {
  const row = Object.hasOwn(methodTable, method) ? methodTable[method as MethodName] : undefined
  return row !== undefined && 'waits' in row
}

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
