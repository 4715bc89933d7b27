/** The agent's few flags. */
import { parseArgs } from 'node:util'

export interface AgentArguments {
  readonly word: string | undefined
  /** What follows the command, as in `unpair NAME`. */
  readonly operand: string | undefined
  readonly help: boolean
  readonly version: boolean
  readonly exposure: string | undefined
  readonly resident: boolean
  readonly listen: string | undefined
  readonly hostId: string | undefined
  readonly insecure: boolean
  readonly tls: boolean
  readonly peerToken: boolean
  readonly url: string | undefined
  readonly name: string | undefined
  readonly json: boolean
}

export const helpText = `trawl-agent: reads one machine's coding-agent transcripts, indexes them, and answers searches of them.

  trawl-agent index                        bring the index up to date, with progress, and end
  trawl-agent status [--json]              what the index holds
  trawl-agent disable | enable             whether this account may be searched, by whatever way
  trawl-agent stdio                        answer on stdin and stdout; what a gateway runs here, or over SSH
  trawl-agent stop                         end the resident agent that SSH connections share
  trawl-agent listen [--listen HOST:PORT]  answer gateways that dial; 127.0.0.1:7718 unless told otherwise
  trawl-agent pair [--url wss://HOST:PORT] make an offer for one gateway, good once and for five minutes
  trawl-agent pairs [--json]               the gateways that are paired, and those that are dialled
  trawl-agent unpair NAME|WSS-URL          end a pairing, and its links at once
  trawl-agent connect OFFER                dial a gateway, with the offer that trawl hosts invite made there
  trawl-agent connect [WSS-URL]            dial the gateways it was connected to before, or that one

  stdio   --exposure ipc|relay  what the caller may see; relay unless told otherwise, and ipc only from this machine
          --resident            answer through the one agent of this account that stays between connections
  listen  --host-id ID          the id others know this machine by, as in runtime:ci
          --tls                 TLS on this machine's own addresses too; elsewhere it is there anyway
          --insecure            no TLS: tokens and transcripts go in the clear
          --peer-token          make the file peer-token, for gateways that cannot pair
  connect --name NAME           what the gateway is to be told this machine is called

Environment: TRAWL_DATA_DIR, TRAWL_CONFIG ([sources], [index], [agent]), CLAUDE_CONFIG_DIR, CODEX_HOME.
`

const commandsWithOperand = ['unpair', 'connect']

/** @throws Error in the system's words for a flag that is not one. */
export function readArguments(args: readonly string[]): AgentArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
      exposure: { type: 'string' },
      resident: { type: 'boolean' },
      listen: { type: 'string' },
      'host-id': { type: 'string' },
      insecure: { type: 'boolean' },
      tls: { type: 'boolean' },
      'peer-token': { type: 'boolean' },
      url: { type: 'string' },
      name: { type: 'string' },
      json: { type: 'boolean' },
    },
  })
  const [word, operand] = positionals
  const most = word !== undefined && commandsWithOperand.includes(word) ? 2 : 1
  if (positionals.length > most) throw new Error(`One command at a time: ${positionals.join(' ')}`)
  if (values.tls === true && values.insecure === true) throw new Error('--tls or --insecure, not both.')
  if (values.resident === true && values.exposure === 'ipc')
    throw new Error('The resident agent answers relay callers only: leave --exposure ipc or --resident out.')
  return {
    word,
    operand,
    help: values.help === true,
    version: values.version === true,
    exposure: values.exposure,
    resident: values.resident === true,
    listen: values.listen,
    hostId: values['host-id'],
    insecure: values.insecure === true,
    tls: values.tls === true,
    peerToken: values['peer-token'] === true,
    url: values.url,
    name: values.name,
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
