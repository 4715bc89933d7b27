/** What a host's agent says of itself, and what the gateway says of its hosts (wire.md §3). */
import * as z from 'zod'
import { parseHostId } from '../host-id.ts'
import { deviceRights } from './rights.ts'

export const hostDescriptionSchema = z.object({
  executionHostId: z.string().optional().describe('The host, as the gateway calls it.'),
  version: z.string().describe('Of the agent.'),
  protocol: z.number().int().describe('Of what gateway and agent say to each other.'),
  platform: z.string().describe('As Node names it: `linux`, `darwin`, `win32`.'),
  agents: z
    .array(
      z.object({
        agent: z.string().describe('As in `hits[].agent`.'),
        label: z.string().describe('What people call it.'),
      }),
    )
    .describe('The coding agents whose transcripts this host can read.'),
  searchModes: z.array(z.string()).describe('Ways of searching: `text`.'),
  timeMs: z.number().optional().describe('What the host’s clock says, in milliseconds since the epoch.'),
  methods: z.array(z.string()).describe('What it serves.'),
  limits: z
    .object({
      maxMessageBytes: z.number().int().describe('Of one message between gateway and agent.'),
      maxLimit: z.number().int().describe('Hits a page.'),
      maxQueryUnits: z.number().int().describe('Characters of a query (UTF-16 units).'),
    })
    .describe('What one call may hold.'),
})
export type HostDescription = z.output<typeof hostDescriptionSchema>

export const hostEntrySchema = z.object({
  executionHostId: z.string().describe('What the other methods call it.'),
  kind: z.enum(['local', 'ssh', 'runtime']).describe('How it is reached.'),
  label: z.string().describe('What people call it.'),
  state: z
    .enum(['connecting', 'ready', 'offline', 'quarantined'])
    .describe('Of its link. `quarantined`: its entry in the configuration cannot be used.'),
  breaker: z
    .enum(['closed', 'half-open', 'open'])
    .optional()
    .describe(
      '`open`: the host is not asked, whatever its state, until it has answered a ping (`half-open`).',
    ),
  reason: z.string().optional().describe('Why it cannot be asked, as in a search’s `hosts[].reason`.'),
  detail: z.string().optional().describe('What the log says of it. Never for a `relay` caller.'),
  retryAt: z
    .number()
    .nullable()
    .describe('When it is tried again, in milliseconds since the epoch; so are the other times.'),
  readyAt: z.number().optional().describe('Since when the link is up; absent while it is not.'),
  lastSeenAt: z.number().nullable().describe('When it last answered.'),
  roundTripMs: z.number().nullable().describe('Of the last ping; null while there is no link.'),
  version: z.string().nullable().describe('Of its agent, as last seen.'),
  capabilities: z.array(z.string()).describe('What it can be asked for at the moment.'),
})
export type HostEntry = z.output<typeof hostEntrySchema>

export const callerDescriptionSchema = z.object({
  exposure: z
    .enum(['ipc', 'runtime', 'relay'])
    .describe('What this connection may see; `relay` is not the owner.'),
  device: z
    .object({
      name: z.string().describe('What it is called here.'),
      may: z.array(z.enum(deviceRights)).describe('What the owner lets it do.'),
    })
    .nullable()
    .describe('Of a paired client; null for the owner of the gateway’s machine, who may do everything.'),
})
export type CallerDescription = z.output<typeof callerDescriptionSchema>

export const hostRetryRequestSchema = z.object({
  executionHostId: z.string().max(1024).describe('The host.'),
})

export const hostListSchema = z.object({
  hosts: z.array(hostEntrySchema).describe('`local` first, then as the configuration has them.'),
})
export type HostList = z.output<typeof hostListSchema>

export const hostInviteRequestSchema = z.object({
  executionHostId: z
    .string()
    .refine((id) => parseHostId(id)?.kind === 'runtime', 'must be runtime:<name>')
    .describe('`runtime:` and a name.'),
  url: z
    .string()
    .optional()
    .describe('Where agents find this gateway, if it cannot tell itself: `wss://` with host and port.'),
})

export const hostInvitationSchema = z.object({
  executionHostId: z.string().describe('The host that is invited.'),
  offer: z.string().describe('One word, to be brought to the host: `trawl-agent connect OFFER`.'),
  expiresAt: z.number().describe('Milliseconds since the epoch.'),
  urls: z.array(z.string()).describe('Where the agent will look for this gateway.'),
})

const entryKeySchema = z.string().regex(/^[A-Za-z]{1,40}$/, 'must be a key of [[hosts]]')
const entryValueSchema = z
  .union([z.string().max(4096), z.number(), z.boolean()])
  .describe('Likewise, of a table of keys.')

/** An entry as it stands under `[[hosts]]`; what its keys may be is the configuration's to say. */
export const hostAddRequestSchema = z.object({
  host: z
    .object({ id: z.string().max(1024).describe('`ssh:TARGET` or `runtime:NAME`.') })
    .catchall(
      z
        .union([entryValueSchema, z.record(entryKeySchema, entryValueSchema)])
        .describe('Every other key of an entry: docs/configuration.md has them.'),
    )
    .refine((host) => Object.keys(host).every((key) => entryKeySchema.safeParse(key).success), {
      error: 'may have keys of [[hosts]] only',
    })
    .describe('An entry as it stands under `[[hosts]]`; `ssh` keys in a table of their own.'),
})
export type HostAddRequest = z.output<typeof hostAddRequestSchema>

export const hostAddedSchema = z.object({
  executionHostId: z.string().describe('As it was saved.'),
  file: z.string().describe('The configuration that was written.'),
  note: z.string().optional().describe('What is still to be done before it can be reached, as a sentence.'),
})
export type HostAdded = z.output<typeof hostAddedSchema>

export const hostRemoveRequestSchema = z.object({
  executionHostId: z.string().max(1024).describe('Of a host of the configuration.'),
})

export const hostRemovedSchema = z.object({
  executionHostId: z.string().describe('As asked.'),
  file: z.string().describe('The configuration that was written.'),
  pairing: z
    .enum(['ended', 'not-told', 'none'])
    .describe(
      'Of a host that was paired: whether the other side has forgotten this gateway. `none`: there was no pairing to end.',
    ),
})
export type HostRemoved = z.output<typeof hostRemovedSchema>
