/**
 * SECURITY.md's tables, made from the code itself: what each class of caller is shown of a fully populated answer, which
 * methods a client may call, and the limits of the clients' door.
 */
import * as z from 'zod'
import { withShownErrors } from '../../../gateway/access/shown-errors.ts'
import { defaultTrafficLimits, type TrafficLimits } from '../../../gateway/access/traffic.ts'
import type { Host } from '../../../gateway/hosts/host.ts'
import { createHostRegistry } from '../../../gateway/hosts/registry.ts'
import { listHosts } from '../../../gateway/list-hosts.ts'
import { offerLifetimeMs } from '../../../protocol/link/offer.ts'
import { maxWrongTries } from '../../../protocol/link/offer-desk.ts'
import { introductionTimeoutMs } from '../../../protocol/link/pairing-messages.ts'
import { fromRpcError, TrawlError, toRpcError } from '../../../protocol/rpc/errors.ts'
import { maxBatchCalls, maxNestingDepth } from '../../../protocol/rpc/message-bounds.ts'
import {
  livenessIntervalMs,
  maxClientMessageBytes,
  maxPeerMessageBytes,
} from '../../../protocol/rpc/message-channel.ts'
import { methodTable } from '../../../protocol/rpc/methods.ts'
import {
  type ExposureClass,
  redactForTransport,
  redactPageForTransport,
  redactStatusForTransport,
} from '../../../protocol/session-search/exposure.ts'
import { hitSchema } from '../../../protocol/session-search/hit.ts'
import { readSessionResponseSchema } from '../../../protocol/session-search/read-session.ts'
import { searchStatusSchema } from '../../../protocol/session-search/status.ts'
import { withMadeBlocks } from './made-block.ts'
import { code, tableOf } from './markdown.ts'

const classes = ['ipc', 'runtime', 'relay'] as const

/** @throws Error where the text has no place for a table. */
export async function withSecurityTables(text: string): Promise<string> {
  const tables = { exposure: await exposureTable(), methods: methodsTable(), limits: limitsTable() }
  return withMadeBlocks(text, tables)
}

/** What one answer looks like to one class of caller. */
type Show = (exposure: ExposureClass) => unknown

async function exposureTable(): Promise<string> {
  const answers: Readonly<Record<string, Show>> = {
    'a hit': (exposure) => redactForTransport(hitSchema.parse(sampleOf(hitSchema)), exposure),
    "an index's status": (exposure) =>
      redactStatusForTransport(searchStatusSchema.parse(sampleOf(searchStatusSchema)), exposure),
    'a transcript': (exposure) =>
      redactPageForTransport(readSessionResponseSchema.parse(sampleOf(readSessionResponseSchema)), exposure),
    'a host in the list': (exposure) => listHosts(createHostRegistry([fullHost]), exposure).hosts[0],
    'an error that a host answered with': errorAsShown,
  }
  const rows: string[][] = []
  for (const [answer, show] of Object.entries(answers)) {
    const [ipc, runtime, relay] = await Promise.all(
      classes.map(async (exposure) => leavesOf(await show(exposure))),
    )
    if (ipc === undefined || runtime === undefined || relay === undefined) throw new Error('no answer')
    rows.push(...rowsOf(answer, ipc, [ipc, runtime, relay]))
  }
  return tableOf(['of', 'members', '`ipc`', '`runtime`', '`relay`'], rows)
}

/** Members that all classes see alike share a row. */
function rowsOf(answer: string, whole: Leaves, shown: readonly Leaves[]): string[][] {
  const groups = new Map<string, { readonly paths: string[]; readonly cells: string[] }>()
  for (const [path, value] of whole) {
    const cells = shown.map((leaves) => cellOf(leaves.get(path), value))
    const group = groups.get(cells.join()) ?? { paths: [], cells }
    group.paths.push(code(path))
    groups.set(cells.join(), group)
  }
  return [...groups.values()].map(({ paths, cells }) => [answer, paths.join(', '), ...cells])
}

function cellOf(shown: unknown, whole: unknown): string {
  if (shown === undefined) return '–'
  return shown === whole ? 'yes' : `“${String(shown)}”`
}

type Leaves = ReadonlyMap<string, unknown>

function leavesOf(value: unknown, path = ''): Leaves {
  if (Array.isArray(value)) return leavesOf(value[0], `${path}[]`)
  if (typeof value !== 'object' || value === null) return new Map([[path, value]])
  return new Map(
    Object.entries(value).flatMap(([name, member]) => [
      ...leavesOf(member, path === '' ? name : `${path}.${name}`),
    ]),
  )
}

/** A value that has every member the schema knows: the first of what each may be. */
function sampleOf(schema: z.ZodType): unknown {
  return sampleOfJson(z.toJSONSchema(schema, { io: 'input' }))
}

type JsonSchema = z.core.JSONSchema.BaseSchema

function sampleOfJson(schema: JsonSchema): unknown {
  const [first] = schema.oneOf ?? schema.anyOf ?? []
  if (first !== undefined) return sampleOfJson(first as JsonSchema)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, member]) => [
        name,
        sampleOfJson(member as JsonSchema),
      ]),
    )
  if (type === 'array') return [sampleOfJson(schema.items as JsonSchema)]
  if (type === 'boolean') return true
  return type === 'string' ? 'x' : 1
}

const fullHost: Host = {
  id: 'ssh:x',
  kind: 'ssh',
  label: 'x',
  report: () => ({
    state: 'ready',
    breaker: 'open',
    reason: 'timeout',
    detail: 'x',
    retryAtMs: 1,
    readyAtMs: 1,
    lastSeenAtMs: 1,
    roundTripMs: 1,
    version: 'x',
  }),
  call: async () => null,
}

async function errorAsShown(exposure: ExposureClass): Promise<unknown> {
  const data = {
    code: 'not_found',
    reason: 'x',
    correlationId: 'x',
    retryAfterSec: 1,
    issues: [{ path: 'x', message: 'x' }],
  }
  const error = fromRpcError({ code: -32004, message: 'x', data })
  try {
    return await withShownErrors(exposure, () => {
      throw error
    })({}, { signal: new AbortController().signal, notify: () => {} })
  } catch (thrown) {
    return toRpcError(TrawlError.from(thrown))
  }
}

function methodsTable(): string {
  const rows = Object.entries(methodTable).map(([name, { callers, right, hostAgent, summary }]) => {
    const client = callers === 'owner' ? 'never' : right === null ? 'always' : `with ${code(right)}`
    return [code(name), summary, 'yes', client, hostAgent === null ? '–' : 'yes']
  })
  return tableOf(['method', 'does', 'owner', 'paired client', 'asked of a host by its gateway'], rows)
}

function limitsTable(limits: TrafficLimits = defaultTrafficLimits): string {
  const both = ({ device, owner }: TrafficLimits['callsAtOnce']) => `${count(device)}; ${count(owner)}`
  const rate = ({ burst, perSecond }: TrafficLimits['device']) =>
    `${count(burst)} at once, then ${perSecond < 1 ? `one in ${Math.round(1 / perSecond)} s` : `${perSecond} a second`}`
  const rows: [string, string][] = [
    ['messages of one paired client, each member of a batch counted', rate(limits.device)],
    ['messages with this machine’s own token', rate(limits.owner)],
    ['messages from one address', rate(limits.address)],
    ['calls of one paired client that run at once; with this machine’s own token', both(limits.callsAtOnce)],
    ['requests over HTTP that are not answered, the same', both(limits.requestsAtOnce)],
    [
      'wrong credentials and codes from one address; a right credential still passes',
      rate(limits.wrongCredential),
    ],
    ['wrong codes from one address, beyond which none of its is looked at', rate(limits.wrongCode)],
    ['wrong codes with the first half of an open one, which end it', count(maxWrongTries)],
    ['life of a code or an offer', minutes(offerLifetimeMs)],
    ['time to say who one is on a WebSocket', `${introductionTimeoutMs / 1000} s`],
    [
      'WebSockets of one caller; of strangers from one address, and in all; of all',
      [
        limits.maxConnectionsPerCaller,
        limits.maxStrangersPerAddress,
        limits.maxStrangers,
        limits.maxConnections,
      ]
        .map(count)
        .join('; '),
    ],
    [
      'TCP connections of any kind from one address; in all',
      [limits.maxSocketsPerAddress, limits.maxSockets].map(count).join('; '),
    ],
    [
      'one message from a client; one between gateway and host',
      `${mebibytes(maxClientMessageBytes)}; ${mebibytes(maxPeerMessageBytes)}`,
    ],
    ['calls in a batch; depth of nesting', `${maxBatchCalls}; ${maxNestingDepth}`],
    [
      'unread on a WebSocket before it is cut; an answer over HTTP that lies unread',
      `${mebibytes(maxPeerMessageBytes)}; ${limits.unreadTimeoutMs / 1000} s`,
    ],
    ['silence after which a link is dead', `${(2 * livenessIntervalMs) / 1000} s`],
  ]
  return tableOf(['what', 'limit'], rows)
}

const count = (value: number) => value.toLocaleString('en-US')
const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`
const minutes = (ms: number) => `${ms / 60_000} minutes`
