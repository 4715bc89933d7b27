/** The agent's few flags. */
import { parseArgs } from 'node:util'

export interface AgentArguments {
  readonly word: string | undefined
  readonly help: boolean
  readonly version: boolean
  readonly exposure: string | undefined
  readonly listen: string | undefined
  readonly hostId: string | undefined
  readonly insecure: boolean
  readonly json: boolean
}

export const helpText = `trawl-agent: reads one machine's coding-agent transcripts, indexes them, and answers searches of them.

  trawl-agent index                        bring the index up to date, with progress, and end
  trawl-agent status [--json]              what the index holds
  trawl-agent stdio                        answer on stdin and stdout; what a gateway runs here, or over SSH
  trawl-agent listen [--listen HOST:PORT]  answer WebSockets; 127.0.0.1:7718 unless told otherwise

  stdio  --exposure ipc|relay  what the caller may see; relay unless told otherwise, and ipc only from this machine
  listen --host-id ID          the id others know this machine by, as in runtime:ci
         --insecure            listen beyond this machine without TLS: tokens and transcripts go in the clear

Environment: TRAWL_DATA_DIR, TRAWL_CONFIG ([sources] overrides the roots), CLAUDE_CONFIG_DIR, CODEX_HOME.
`

/** @throws Error in the system's words for a flag that is not one. */
export function readArguments(args: readonly string[]): AgentArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
      exposure: { type: 'string' },
      listen: { type: 'string' },
      'host-id': { type: 'string' },
      insecure: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  })
  if (positionals.length > 1) throw new Error(`One command at a time: ${positionals.join(' ')}`)
  return {
    word: positionals[0],
    help: values.help === true,
    version: values.version === true,
    exposure: values.exposure,
    listen: values.listen,
    hostId: values['host-id'],
    insecure: values.insecure === true,
    json: values.json === true,
  }
}

/** @returns null where it is no address and port. */
export function parseAddress(text: string): { host: string; port: number } | null {
  const found = /^(?:\[([0-9a-f:]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(text)
  const host = found?.[1] ?? found?.[2]
  const port = Number(found?.[3])
  return host === undefined || port > 65_535 ? null : { host, port }
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
