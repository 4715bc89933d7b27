/** What a host's agent says of itself, and what the gateway says of its hosts (wire.md §3). */
import * as z from 'zod'
import { parseHostId } from '../host-id.ts'

export const hostDescriptionSchema = z.object({
  executionHostId: z.string().optional(),
  version: z.string(),
  protocol: z.number().int(),
  platform: z.string(),
  /** The agents whose transcripts this host can read. */
  agents: z.array(z.object({ agent: z.string(), label: z.string() })),
  searchModes: z.array(z.string()),
  /** Additive: what the host's clock says, in milliseconds. */
  timeMs: z.number().optional(),
  methods: z.array(z.string()),
  limits: z.object({
    maxMessageBytes: z.number().int(),
    maxLimit: z.number().int(),
    maxQueryUnits: z.number().int(),
  }),
})
export type HostDescription = z.output<typeof hostDescriptionSchema>

export const hostEntrySchema = z.object({
  executionHostId: z.string(),
  kind: z.enum(['local', 'ssh', 'runtime']),
  label: z.string(),
  state: z.enum(['connecting', 'ready', 'offline', 'quarantined']),
  /** Additive. `open`: the host is not asked, whatever its state, until it has answered a ping (`half-open`). */
  breaker: z.enum(['closed', 'half-open', 'open']).optional(),
  reason: z.string().optional(),
  /** Same-machine callers only: what the log says of it. */
  detail: z.string().optional(),
  retryAt: z.number().nullable(),
  /** Additive. Since when the link is up; absent while it is not. */
  readyAt: z.number().optional(),
  lastSeenAt: z.number().nullable(),
  roundTripMs: z.number().nullable(),
  version: z.string().nullable(),
  capabilities: z.array(z.string()),
})
export type HostEntry = z.output<typeof hostEntrySchema>

export const hostListSchema = z.object({ hosts: z.array(hostEntrySchema) })
export type HostList = z.output<typeof hostListSchema>

export const hostInviteRequestSchema = z.object({
  executionHostId: z.string().refine((id) => parseHostId(id)?.kind === 'runtime', 'must be runtime:<name>'),
  /** Where agents find this gateway, if it cannot tell itself. */
  url: z.string().optional(),
})

export const hostInvitationSchema = z.object({
  executionHostId: z.string(),
  /** One word, to be brought to the host. */
  offer: z.string(),
  expiresAt: z.number(),
  urls: z.array(z.string()),
})

const entryKeySchema = z.string().regex(/^[A-Za-z]{1,40}$/, 'must be a key of [[hosts]]')
const entryValueSchema = z.union([z.string().max(4096), z.number(), z.boolean()])

/** An entry as it stands under `[[hosts]]`; what its keys may be is the configuration's to say. */
export const hostAddRequestSchema = z.object({
  host: z
    .object({ id: z.string().max(1024) })
    .catchall(z.union([entryValueSchema, z.record(entryKeySchema, entryValueSchema)]))
    .refine((host) => Object.keys(host).every((key) => entryKeySchema.safeParse(key).success), {
      error: 'may have keys of [[hosts]] only',
    }),
})
export type HostAddRequest = z.output<typeof hostAddRequestSchema>

export const hostAddedSchema = z.object({
  executionHostId: z.string(),
  /** The configuration that was written. */
  file: z.string(),
})

export const hostRemoveRequestSchema = z.object({ executionHostId: z.string().max(1024) })

export const hostRemovedSchema = z.object({
  executionHostId: z.string(),
  file: z.string(),
  /** Of a host that was paired: whether the other side has forgotten this gateway. `none`: there was no pairing to end. */
  pairing: z.enum(['ended', 'not-told', 'none']),
})
export type HostRemoved = z.output<typeof hostRemovedSchema>
