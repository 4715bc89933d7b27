/**
 * What the configuration file may say (wire.md §7): its keys, and what each is allowed to be. Every message completes
 * the sentence "<key> must be …".
 */
import * as z from 'zod'
import { keyPinPattern } from '../protocol/link/key-pin.ts'
import { machineSettingsFields } from '../protocol/machine-settings.ts'

const defaultPort = 7717
const defaultLegTimeoutMs = 10_000

const text = (allowed: string) => z.string({ error: allowed }).trim().min(1, allowed)

const legTimeoutAllowed = 'a whole number of milliseconds from 50 to 600000'
const listenAllowed = `an address and a port, as in "127.0.0.1:${defaultPort}"`

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

/** `[[hosts]]` is checked one entry at a time, so that a bad one costs only itself. */
export const topLevelSchema = z.object({
  listen: listenSchema
    .prefault(`127.0.0.1:${defaultPort}`)
    .describe(
      'Where the gateway’s TCP door is; port 0 takes a free one. Beyond loopback it speaks TLS. `trawl serve --listen` goes before it.',
    ),
  publicUrls: z
    .array(publicUrlSchema, { error: publicUrlsAllowed })
    .default([])
    .describe(
      'Where clients find this gateway from outside, as behind a proxy: names it answers under, and that go into QR codes.',
    ),
  tls: z
    .object(
      {
        certFile: text('a file').describe('The certificate and those between, PEM.'),
        keyFile: text('a file').describe('Its key, PEM.'),
      },
      { error: tlsAllowed },
    )
    .optional()
    .describe('A certificate that clients trust, in place of the gateway’s own.'),
  agentsListen: listenSchema
    .optional()
    .describe(
      'Where agents dial in, over TLS with the gateway’s own key. Without it `127.0.0.1:7719` where a host has `dialsIn`, and no such door where none has.',
    ),
  legTimeoutMs: legTimeoutSchema
    .default(defaultLegTimeoutMs)
    .describe('The time each host has to answer a search, in milliseconds.'),
  hosts: z
    .array(z.unknown(), { error: 'a list of tables, each written under [[hosts]]' })
    .default([])
    .describe('The other machines, each under `[[hosts]]`; see below.'),
  ...machineSettingsFields,
  files: z
    .object(
      {
        roots: z
          .record(z.string().min(1), text('a directory'), { error: 'a table of name = "directory"' })
          .default({})
          .describe('Name = directory. Checked, and not in use: there are no file methods yet.'),
      },
      { error: 'a table' },
    )
    .prefault({})
    .describe('What file methods may read on this machine.'),
})

const idSchema = z.string()
const labelSchema = text('a text that is not empty').optional()

const sshAllowed = 'a table, as in ssh.configFile = "~/.ssh/config"'
const keepAliveAllowed = 'a whole number of seconds from 0 (off) to 3600'
const clientAllowed = '"ssh2" or "openssh"'
const installAllowed = '"auto" or "never"'

export const sshHostSchema = z.object({
  id: idSchema.describe('`ssh:` and whatever `ssh` knows: an alias, or `user@host:port` percent-encoded.'),
  label: labelSchema.describe('What answers call it; without it what follows the colon of the id.'),
  ssh: z
    .object(
      {
        client: z
          .enum(['ssh2', 'openssh'], { error: clientAllowed })
          .default('ssh2')
          .describe(
            '`openssh`: through the system’s `ssh`, for FIDO keys, certificates, GSSAPI, `ProxyCommand`, ControlMaster.',
          ),
        install: z
          .enum(['auto', 'never'], { error: installAllowed })
          .default('auto')
          .describe('`never`: no agent is sent there; `trawl-agent` must be on the `PATH`.'),
        configFile: text('a file').optional().describe('In place of `~/.ssh/config`.'),
        agentCommand: text('a command, as in "trawl-agent stdio"')
          .optional()
          .describe('Started there as it is, and nothing is sent.'),
        keepAliveSec: z
          .number({ error: keepAliveAllowed })
          .int(keepAliveAllowed)
          .min(0, keepAliveAllowed)
          .max(3600, keepAliveAllowed)
          .optional()
          .describe('Seconds between signs of life, 0 for none; without it as ssh_config has it, else 15.'),
      },
      { error: sshAllowed },
    )
    .prefault({})
    .describe('How it is reached.'),
})

const pinAllowed = '"sha256/" and the base64 of the host key, as trawl-agent listen prints it'

export const runtimeHostSchema = z.object({
  id: idSchema.describe('`runtime:` and a name, percent-encoded.'),
  label: labelSchema.describe('What answers call it; without it what follows the colon of the id.'),
  url: text('a WebSocket address, as in "wss://ci.example:7718/rpc"')
    .optional()
    .describe('Where the gateway dials it: `wss://…/rpc`. Needs `token` or `tokenFile`.'),
  token: text('a text that is not empty')
    .optional()
    .describe('What this gateway shows there; the configuration must then be closed to others.'),
  tokenFile: text('a file').optional().describe('A file with that token and nothing else, closed to others.'),
  pin: z
    .string({ error: pinAllowed })
    .regex(keyPinPattern, pinAllowed)
    .optional()
    .describe('The host’s key, checked before the token is sent; pairing writes it.'),
  dialsIn: z
    .boolean({ error: 'true or false' })
    .default(false)
    .describe('It dials this gateway, in place of `url`.'),
})

export const localHostSchema = z.object({
  id: idSchema.describe('`local`, this machine; it is searched without an entry, too.'),
  label: labelSchema.describe('What answers call it.'),
})

const keysOf = (table: z.ZodPrefault<z.ZodObject>) => Object.keys(table.def.innerType.shape)

/** The keys of each table, for warnings about others. */
export const knownKeys = {
  top: Object.keys(topLevelSchema.shape),
  files: keysOf(topLevelSchema.shape.files),
  index: keysOf(topLevelSchema.shape.index),
  agent: keysOf(topLevelSchema.shape.agent),
  local: Object.keys(localHostSchema.shape),
  ssh: Object.keys(sshHostSchema.shape),
  sshTable: keysOf(sshHostSchema.shape.ssh),
  runtime: Object.keys(runtimeHostSchema.shape),
} as const
