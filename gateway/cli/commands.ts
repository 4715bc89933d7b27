/**
 * The one command table: what every command is called, takes and is shown with. Help, completions and the manual page
 * are made from it. Data alone, so that reading it costs no start-up time.
 */
import type { FlagSpec } from './arguments.ts'

export interface FlagRow extends FlagSpec {
  /** What stands for the value in texts, as in `ID|all`; absent for a switch. */
  readonly value?: string
  /** What may be given, where that is few words. */
  readonly values?: readonly string[]
  /** What a shell offers where it cannot be told beforehand. */
  readonly offer?: 'file' | 'directory'
  /** At most one line. */
  readonly text: string
  /** Of `hosts add`: the kind of host it is for; absent for both. */
  readonly only?: 'ssh' | 'runtime'
}

export interface CommandRow {
  /** What is typed after `trawl`, as in `hosts add`. */
  readonly path: string
  /** What follows the path, each form on a line. */
  readonly forms: readonly string[]
  /** For the list of commands. */
  readonly summary: string
  readonly examples: readonly Example[]
  readonly flags: Readonly<Record<string, FlagRow>>
  /** Words that may follow, where they are few. */
  readonly words?: readonly string[]
  /** Paragraphs and tables, as they are to be printed. */
  readonly notes?: readonly string[]
  /** Exit codes beyond those of every command. */
  readonly exits?: Readonly<Record<number, string>>
}

export interface Example {
  readonly line: string
  readonly text?: string
}

const json: FlagRow = { kind: 'switch', text: 'one JSON document with its schemaVersion' }
const host = (text: string): FlagRow => ({ kind: 'text', value: 'ID', values: ['local'], text })

/** Flags of every command. */
export const commonFlagRows: Readonly<Record<string, FlagRow>> = {
  help: { kind: 'switch', text: 'says how the command is used; -h for short' },
  'no-color': { kind: 'switch', text: 'neither bold nor dim, as with NO_COLOR' },
}

/** What every command may exit with. */
export const commonExits: Readonly<Record<number, string>> = {
  0: 'done',
  2: 'error',
  64: 'wrong use',
  69: 'the gateway went away',
  77: 'not permitted',
  78: 'the configuration cannot be used',
  124: 'a host did not answer in time',
  130: 'interrupted',
}

const searchFlags = {
  host: {
    kind: 'text',
    value: 'ID|all',
    values: ['all', 'local'],
    text: 'local, ssh:TARGET, runtime:NAME, or all (default)',
  },
  agent: { kind: 'list', value: 'NAME', text: 'only sessions of this agent; may be given again' },
  path: {
    kind: 'list',
    value: 'DIR',
    offer: 'directory',
    text: 'only sessions in this directory of the host; may be given again',
  },
  since: { kind: 'text', value: 'WHEN', text: '30m, 2h, 7d, 3w, a date, or a time with its offset' },
  sort: {
    kind: 'text',
    value: 'ORDER',
    values: ['relevance', 'newest'],
    text: 'relevance or newest; several hosts are always newest first',
  },
  scope: {
    kind: 'text',
    value: 'SCOPE',
    values: ['conversation', 'all'],
    text: 'conversation (what was said) or all (tool output too, default)',
  },
  limit: { kind: 'text', value: 'N', text: 'hits a page, 1 to 100 (default 20)' },
  cursor: { kind: 'text', value: 'C', text: 'the next page, as the page before gave it' },
  wait: { kind: 'switch', text: 'let the indexes catch up first, 5 s at most' },
  strict: { kind: 'switch', text: 'exit 3 when a host that was asked did not answer' },
  lines: { kind: 'switch', text: 'print the hits on a terminal too, and open no list' },
  json,
  jsonl: { kind: 'switch', text: 'an object a line as hosts answer; the last one is the summary' },
  debug: { kind: 'switch', text: 'how a single host read and planned the query' },
} as const satisfies Record<string, FlagRow>

const sessionNote =
  'HOST, AGENT and SESSION are the first three columns of what trawl search prints in a pipe.'

export const commandTable: readonly CommandRow[] = [
  {
    path: 'search',
    forms: ['QUERY… [flags]'],
    summary: 'find sessions',
    examples: [
      { line: "trawl 'reconnect loop'", text: 'the same as trawl search; a list to read in, on a terminal' },
      { line: "trawl search 'reconnect loop' --since 7d" },
      { line: "trawl search 'ERR_SOCKET_CLOSED' --host ssh:devbox --agent claude" },
      { line: "trawl search migration --json | jq '.hits[].title'" },
      { line: 'trawl search \'repo:api "connection reset" -draft after:7d\'' },
    ],
    flags: searchFlags,
    notes: [
      `In the query
  "two words"         these words side by side
  recon*              words that begin so
  -word -"two words"  no session that holds it anywhere
  agent: host: repo: path: branch: role:user|assistant|tool before: after:
                      only such sessions (role: only such messages); again for another value,
                      with a minus to leave out, in quotes for blanks: path:"/My Files/x"
  before: and after:  2026-11-30 (UTC), 2026-11-30T09:00+01:00, 3h, 7d, 2w, today, yesterday`,
      `In the list: type to refine, enter to read, r for the resume command, ? for all keys.
In a pipe: one line a hit; host, agent, session, time, title, snippet with tabs between.`,
    ],
    exits: { 0: 'hits', 1: 'none', 3: 'with --strict: a host did not answer' },
  },
  {
    path: 'show',
    forms: ['HOST AGENT SESSION [flags]'],
    summary: 'print the transcript of a session',
    examples: [
      { line: 'trawl show local claude 4f1c2b | less' },
      { line: 'trawl show ssh:devbox codex 0199a --around 120 --limit 20' },
    ],
    flags: {
      around: { kind: 'text', value: 'N', text: 'only messages near this one, counted from 0' },
      limit: { kind: 'text', value: 'N', text: 'at most so many messages (with --around 50, else all)' },
      json,
    },
    notes: [sessionNote],
  },
  {
    path: 'resume',
    forms: ['HOST AGENT SESSION [--json]'],
    summary: 'print the command that goes on with a session',
    examples: [{ line: 'trawl resume local claude 4f1c2b' }],
    flags: { json },
    notes: [
      'It prints and never runs. Only the machine that holds a session says how to go on with it.',
      sessionNote,
    ],
  },
  {
    path: 'status',
    forms: ['[--host ID] [--watch] [--json]'],
    summary: "how far a host's index is",
    examples: [
      { line: 'trawl status' },
      { line: 'trawl status --watch' },
      { line: 'trawl status --host ssh:devbox' },
    ],
    flags: {
      host: host("whose index; this machine's without"),
      watch: { kind: 'switch', text: 'goes on until Ctrl-C' },
      json,
    },
    notes: [
      `Says what a host's indexer last saw: what it holds, what is still to be read and for how long,
which files could not be read, and why.`,
    ],
  },
  {
    path: 'hosts',
    forms: ['[--json]', 'add | invite | test | remove …'],
    summary: 'the machines, and which of them answer',
    examples: [
      { line: 'trawl hosts' },
      { line: 'trawl hosts add ssh:devbox' },
      { line: 'trawl hosts test ssh:devbox' },
    ],
    flags: { json },
    words: ['add', 'invite', 'test', 'remove'],
    notes: [
      `Alone it lists the machines of the configuration, connected or not, and why not.
add and remove keep your comments, and a gateway that runs goes by them at once.`,
    ],
  },
  {
    path: 'hosts add',
    forms: ['ssh:TARGET [flags]', 'runtime:NAME OFFER [--label TEXT] [--name NAME]'],
    summary: 'check a machine the whole way, then save it',
    examples: [
      { line: 'trawl hosts add ssh:devbox', text: 'an alias of ~/.ssh/config, or user@host:port' },
      { line: 'trawl hosts add runtime:ci trawl-pair.eyJ2Ijox…', text: 'the offer of its trawl-agent pair' },
    ],
    flags: {
      label: { kind: 'text', value: 'TEXT', text: 'what it is called in answers' },
      name: {
        kind: 'text',
        value: 'NAME',
        text: 'runtime: what this gateway is called there',
        only: 'runtime',
      },
      client: {
        kind: 'text',
        value: 'NAME',
        values: ['ssh2', 'openssh'],
        text: "openssh: the system's ssh, for FIDO keys, certificates, ControlMaster",
        only: 'ssh',
      },
      install: {
        kind: 'text',
        value: 'WHEN',
        values: ['auto', 'never'],
        text: 'never: send no agent there; trawl-agent must be installed',
        only: 'ssh',
      },
      'agent-command': { kind: 'text', value: 'CMD', text: 'start this instead, as it is', only: 'ssh' },
      'config-file': {
        kind: 'text',
        value: 'FILE',
        offer: 'file',
        text: 'instead of ~/.ssh/config',
        only: 'ssh',
      },
      'no-check': { kind: 'switch', text: 'save without a look', only: 'ssh' },
    },
  },
  {
    path: 'hosts invite',
    forms: ['runtime:NAME [--url wss://HOST:PORT] [--json]'],
    summary: 'an offer for a machine that dials in',
    examples: [{ line: 'trawl hosts invite runtime:laptop', text: 'then there: trawl-agent connect OFFER' }],
    flags: { url: { kind: 'text', value: 'URL', text: 'where it finds this gateway' }, json },
  },
  {
    path: 'hosts test',
    forms: ['ID [--json]'],
    summary: 'go the whole way to a machine, and say which step fails',
    examples: [{ line: 'trawl hosts test ssh:devbox' }],
    flags: { json },
    notes: [
      `Resolve, connect, host key, login, agent, first query, each with its time; of a host that dials in
it says whether it is there, and since when.`,
    ],
  },
  {
    path: 'hosts remove',
    forms: ['ID'],
    summary: 'take a machine out, and end the pairing that add has made',
    examples: [{ line: 'trawl hosts remove ssh:devbox' }],
    flags: {},
  },
  {
    path: 'doctor',
    forms: ['[--json]'],
    summary: 'why something is not found, and what to do',
    examples: [
      { line: 'trawl doctor' },
      { line: 'trawl doctor --json | jq \'.checks[] | select(.state != "ok")\'' },
    ],
    flags: { json },
    notes: ['Each check says ok, warning or problem; what it means; and the remedy.'],
    exits: { 0: 'no problem', 1: 'a problem' },
  },
  {
    path: 'serve',
    forms: ['[--listen ADDRESS:PORT] [--insecure]'],
    summary: 'run the gateway',
    examples: [{ line: 'trawl serve' }, { line: 'trawl serve --listen 127.0.0.1:7800' }],
    flags: {
      listen: {
        kind: 'text',
        value: 'ADDRESS:PORT',
        text: 'instead of 127.0.0.1:7717; port 0 takes a free one',
      },
      insecure: { kind: 'switch', text: 'no TLS beyond loopback: tokens and transcripts go in the clear' },
    },
    notes: [
      `Beyond loopback the port speaks TLS, with the certificate that the configuration's [tls] names, else
with one of its own, which browsers ask about once.`,
      `Runs the gateway until Ctrl-C. Configuration: $TRAWL_CONFIG, else ~/.config/trawl/config.toml.
After an edit by hand, kill -HUP has it read its hosts again; those that did not change keep their
links, and a file that cannot be used changes nothing.
Data, token and socket: $TRAWL_DATA_DIR, else ~/.local/share/trawl.
Log: stderr, or $TRAWL_LOG_FILE; $TRAWL_LOG_LEVEL is error, warn, info or debug.`,
    ],
  },
  {
    path: 'pair',
    forms: ['[--may RIGHTS] [--name NAME] [--url URL]'],
    summary: 'let a phone or a browser in',
    examples: [
      { line: 'trawl pair', text: 'shows a code to scan or type, then asks you' },
      { line: 'trawl pair --may search' },
    ],
    flags: {
      may: {
        kind: 'text',
        value: 'RIGHTS',
        text: 'some of search, read, files, with commas; asked for where it is absent',
      },
      name: {
        kind: 'text',
        value: 'NAME',
        text: 'what the client is called here, instead of what it calls itself',
      },
      url: {
        kind: 'text',
        value: 'URL',
        text: 'where the client finds this gateway, if it cannot tell itself',
      },
    },
    notes: [
      `The code is good once, for five minutes. Both sides then show six digits made from both their keys: say
yes only when they are the same. A paired client sees the folder of a session, and neither where
its transcript lies nor a command.`,
    ],
  },
  {
    path: 'devices',
    forms: ['[list] [--json]', 'revoke NAME'],
    summary: 'the paired phones and browsers',
    examples: [
      { line: 'trawl devices' },
      { line: "trawl devices revoke 'Pixel 8'", text: 'ends it within a second' },
    ],
    flags: { json },
    words: ['list', 'revoke'],
  },
  {
    path: 'service',
    forms: ['install --user [--dry-run]', 'uninstall --user [--dry-run]'],
    summary: 'keep the gateway running while you are logged in',
    examples: [
      { line: 'trawl service install --user --dry-run', text: 'shows the file, and does nothing' },
      { line: 'trawl service install --user' },
    ],
    flags: {
      user: { kind: 'switch', text: 'for this user; there is no other way' },
      'dry-run': { kind: 'switch', text: 'print what would be written and run' },
    },
    words: ['install', 'uninstall'],
    notes: ['A systemd user unit on Linux, a launchd agent on macOS.'],
  },
  {
    path: 'mcp',
    forms: ['[--session AGENT:SESSION]', 'install [CLIENT]'],
    summary: 'the same search for a coding agent',
    examples: [
      { line: 'trawl mcp install', text: 'which clients there are' },
      { line: 'trawl mcp install claude', text: 'what to put where, for Claude Code' },
      { line: 'trawl mcp install codex >> ~/.codex/config.toml' },
    ],
    flags: {
      session: {
        kind: 'text',
        value: 'AGENT:SESSION',
        text: "never find this session, the agent's own; or $TRAWL_SESSION",
      },
    },
    words: ['install'],
    notes: [
      `Offers search_sessions, read_session, list_hosts and index_status to the coding agent that starts it,
on stdin and stdout. It asks the running gateway, else one of its own that lives as long as it does.
install prints, and writes nothing.`,
    ],
  },
  {
    path: 'completions',
    forms: ['bash|zsh|fish'],
    summary: "a shell's completions",
    examples: [
      { line: 'source <(trawl completions bash)', text: 'in ~/.bashrc' },
      { line: 'trawl completions zsh > ~/.zfunc/_trawl', text: 'where fpath has ~/.zfunc' },
      { line: 'trawl completions fish > ~/.config/fish/completions/trawl.fish' },
    ],
    flags: {},
    words: ['bash', 'zsh', 'fish'],
  },
  {
    path: 'man',
    forms: [''],
    summary: 'the manual page, as troff',
    examples: [{ line: 'trawl man | man -l -' }],
    flags: {},
  },
]

/** @returns the command whose path the words begin with, the longest there is. */
export function findCommand(words: readonly string[]): CommandRow | undefined {
  for (const length of [2, 1]) {
    const path = words.slice(0, length).join(' ')
    const row = words.length < length ? undefined : commandTable.find((each) => each.path === path)
    if (row !== undefined) return row
  }
  return undefined
}

/** @param kind leaves out what is for another kind of host. @throws Error for a path that is not in the table. */
export function flagsOf(path: string, kind?: FlagRow['only']): Readonly<Record<string, FlagRow>> {
  const row = commandTable.find((each) => each.path === path)
  if (row === undefined) throw new Error(`no command ${path}`)
  if (kind === undefined) return row.flags
  const isForIt = ([, { only }]: [string, FlagRow]) => only === undefined || only === kind
  return Object.fromEntries(Object.entries(row.flags).filter(isForIt))
}
