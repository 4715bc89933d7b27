/**
 * What the configuration file may say (wire.md §7): its keys, and what each is allowed to be. Every message completes
 * the sentence "<key> must be …".
 */
import * as z from 'zod'
import { keyPinPattern } from '../protocol/link/key-pin.ts'

const defaultPort = 7717
const defaultLegTimeoutMs = 10_000

const text = (allowed: string) => z.string({ error: allowed }).trim().min(1, allowed)

const legTimeoutAllowed = 'a whole number of milliseconds from 50 to 600000'
const listenAllowed = `an address and a port, as in "127.0.0.1:${defaultPort}"`
const rootsAllowed =
  'a list of directories, as in ["~/.claude/projects"]; an empty list switches the agent off'

export interface ListenAddress {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
}

/** Reads `host:port` or `[v6]:port`; null where it is neither. */
export function parseListenAddress(value: string): ListenAddress | null {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(value.trim())
  const host = found?.[1] ?? found?.[2]
  const port = Number(found?.[3])
  return host === undefined || port > 65_535 ? null : { host, port }
}

const listenSchema = z.string({ error: listenAllowed }).transform((value, context): ListenAddress => {
  const address = parseListenAddress(value)
  if (address !== null) return address
  context.addIssue({ code: 'custom', message: listenAllowed })
  return z.NEVER
})

const legTimeoutSchema = z
  .number({ error: legTimeoutAllowed })
  .int(legTimeoutAllowed)
  .min(50, legTimeoutAllowed)
  .max(600_000, legTimeoutAllowed)

const publicUrlsAllowed = 'a list of addresses, as in ["https://trawl.example"]'
const tlsAllowed =
  'a table, as in tls.certFile = "/etc/trawl/cert.pem" and tls.keyFile = "/etc/trawl/key.pem"'

const publicUrlSchema = z.string({ error: publicUrlsAllowed }).transform((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null
  const isPlain = url?.username === '' && url.search === '' && url.hash === '' && url.pathname === '/'
  if (url !== null && isPlain && /^https?:$/.test(url.protocol)) return url.origin
  context.addIssue({ code: 'custom', message: publicUrlsAllowed })
  return z.NEVER
})

const historyDaysAllowed = 'a whole number of days from 1 to 3650'

const excludeAllowed = 'a list of paths, as in ["~/work/secret", "~/clients/*"]'
const graceAllowed = 'a number of minutes from 0 to 1440'

/** `[[hosts]]` is checked one entry at a time, so that a bad one costs only itself. */
export const topLevelSchema = z.object({
  listen: listenSchema.default({ host: '127.0.0.1', port: defaultPort }),
  /** Where clients find this gateway from outside, as behind a proxy: names it answers under, and goes into QR codes. */
  publicUrls: z.array(publicUrlSchema, { error: publicUrlsAllowed }).default([]),
  /** A certificate that clients trust, instead of the gateway's own. */
  tls: z.object({ certFile: text('a file'), keyFile: text('a file') }, { error: tlsAllowed }).optional(),
  /** Where agents dial in. */
  agentsListen: listenSchema.optional(),
  legTimeoutMs: legTimeoutSchema.default(defaultLegTimeoutMs),
  hosts: z.array(z.unknown(), { error: 'a list of tables, each written under [[hosts]]' }).default([]),
  sources: z
    .record(
      z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'an agent name of lower-case letters, digits and hyphens'),
      z.array(text(rootsAllowed), { error: rootsAllowed }),
      { error: 'a table of agent = [directories]' },
    )
    .default({}),
  index: z
    .object(
      {
        historyDays: z
          .number({ error: historyDaysAllowed })
          .int(historyDaysAllowed)
          .min(1, historyDaysAllowed)
          .max(3650, historyDaysAllowed)
          .optional(),
        exclude: z.array(text(excludeAllowed), { error: excludeAllowed }).default([]),
      },
      { error: 'a table' },
    )
    .default({ exclude: [] }),
  /** For the agent on this machine. */
  agent: z
    .object(
      {
        graceMinutes: z
          .number({ error: graceAllowed })
          .min(0, graceAllowed)
          .max(1440, graceAllowed)
          .optional(),
      },
      { error: 'a table' },
    )
    .default({}),
  files: z
    .object(
      {
        roots: z
          .record(z.string().min(1), text('a directory'), { error: 'a table of name = "directory"' })
          .default({}),
      },
      { error: 'a table' },
    )
    .default({ roots: {} }),
})

const sshAllowed = 'a table, as in ssh.configFile = "~/.ssh/config"'
const keepAliveAllowed = 'a whole number of seconds from 0 (off) to 3600'
const clientAllowed = '"ssh2" or "openssh"'
const installAllowed = '"auto" or "never"'

export const sshHostSchema = z.object({
  id: z.string(),
  label: text('a text that is not empty').optional(),
  ssh: z
    .object(
      {
        client: z.enum(['ssh2', 'openssh'], { error: clientAllowed }).default('ssh2'),
        install: z.enum(['auto', 'never'], { error: installAllowed }).default('auto'),
        configFile: text('a file').optional(),
        agentCommand: text('a command, as in "trawl-agent stdio"').optional(),
        keepAliveSec: z
          .number({ error: keepAliveAllowed })
          .int(keepAliveAllowed)
          .min(0, keepAliveAllowed)
          .max(3600, keepAliveAllowed)
          .optional(),
      },
      { error: sshAllowed },
    )
    .default({ client: 'ssh2', install: 'auto' }),
})

const pinAllowed = '"sha256/" and the base64 of the host key, as trawl-agent listen prints it'

export const runtimeHostSchema = z.object({
  id: z.string(),
  label: text('a text that is not empty').optional(),
  url: text('a WebSocket address, as in "wss://ci.example:7718/rpc"').optional(),
  token: text('a text that is not empty').optional(),
  tokenFile: text('a file').optional(),
  pin: z.string({ error: pinAllowed }).regex(keyPinPattern, pinAllowed).optional(),
  dialsIn: z.boolean({ error: 'true or false' }).default(false),
})

export const localHostSchema = z.object({
  id: z.string(),
  label: text('a text that is not empty').optional(),
})

/** The keys of each table, for warnings about others. */
export const knownKeys = {
  top: Object.keys(topLevelSchema.shape),
  files: ['roots'],
  index: ['historyDays', 'exclude'],
  agent: ['graceMinutes'],
  local: Object.keys(localHostSchema.shape),
  ssh: Object.keys(sshHostSchema.shape),
  sshTable: ['client', 'install', 'configFile', 'agentCommand', 'keepAliveSec'],
  runtime: Object.keys(runtimeHostSchema.shape),
} as const

/** One sentence for the first thing that is wrong, or null. */
export function firstComplaint(error: z.ZodError): string {
  const issue = error.issues[0]
  const key = issue?.path.map(String).join('.') ?? ''
  const isName = issue?.code === 'invalid_key'
  const allowed = (isName ? issue.issues[0]?.message : issue?.message) ?? 'something else'
  return isName ? `${key}: the name must be ${allowed}` : `${key} must be ${allowed}`
}
