/** The help texts: examples first. */

export const mainHelp = `Search what you and your coding agents said and did, on every machine you work on.

  trawl search 'reconnect loop'              every machine, newest first
  trawl search retry --host ssh:devbox       one machine, best match first
  trawl serve                                keep a gateway running

Commands
  search QUERY…   find sessions
  status          how far a host's index is
  hosts           the machines, and which of them answer
  serve           run the gateway

trawl COMMAND --help says more; trawl --version says which one this is.
`

export const searchHelp = `Usage: trawl search QUERY… [flags]

  trawl search 'reconnect loop' --since 7d
  trawl search 'ERR_SOCKET_CLOSED' --host ssh:devbox --agent claude
  trawl search migration --json | jq '.hits[].title'
  trawl search 'repo:api "connection reset" -draft after:7d'

In the query
  "two words"         these words side by side
  recon*              words that begin so
  -word -"two words"  no session that holds it anywhere
  agent: host: repo: path: branch: role:user|assistant|tool before: after:
                      only such sessions (role: only such messages); again for another value,
                      with a minus to leave out, in quotes for blanks: path:"/My Files/x"
  before: and after:  2026-11-30 (UTC), 2026-11-30T09:00+01:00, 3h, 7d, 2w, today, yesterday

Flags
  --host ID|all       local, ssh:<target>, runtime:<name>, or all (default)
  --agent NAME        only sessions of this agent; may be given again
  --path DIR          only sessions in this directory of the host; may be given again
  --since WHEN        30m, 2h, 7d, 3w, a date, or a time with its offset
  --sort ORDER        relevance or newest; several hosts are always newest first
  --scope SCOPE       conversation (what was said) or all (tool output too, default)
  --limit N           hits a page, 1 to 100 (default 20)
  --cursor C          the next page, as the page before gave it
  --wait              let the indexes catch up first, 5 s at most
  --strict            exit 3 when a host that was asked did not answer
  --json              one JSON document
  --debug             how a single host read and planned the query
  --no-color

Exit: 0 hits, 1 none, 2 error, 3 see --strict, 64 wrong use.
In a pipe: one line a hit; host, agent, session, time, title, snippet with tabs between.
`

export const statusHelp = `Usage: trawl status [--host ID] [--watch] [--json]

  trawl status
  trawl status --watch
  trawl status --host ssh:devbox

Says what a host's indexer last saw: what it holds, what is still to be read and for how long,
which files could not be read, and why. Without --host it is this machine's.
--watch goes on until Ctrl-C.
`

export const hostsHelp = `Usage: trawl hosts [--json]
       trawl hosts add ssh:TARGET [flags]
       trawl hosts add runtime:NAME OFFER [--label TEXT] [--name NAME]
       trawl hosts invite runtime:NAME [--url wss://HOST:PORT] [--json]
       trawl hosts test ID [--json]
       trawl hosts remove ID

  trawl hosts add ssh:devbox                 an alias of ~/.ssh/config, or user@host:port
  trawl hosts test ssh:devbox

Alone it lists the machines of the configuration, connected or not, and why not.
test goes the whole way: resolve, connect, host key, login, agent, first query, each with its time.
add does the same and then saves the host; remove takes it out. Both keep your comments.

A runtime host that listens is added with the offer of its trawl-agent pair; --name is what this
gateway is called there. One that dials in is invited, and takes that offer to trawl-agent
connect; --url is where it finds this gateway.

Flags of add
  --label TEXT          what it is called in answers
  --client openssh      the system's ssh: FIDO keys, certificates, Match exec, ControlMaster
  --install never       send no agent there; trawl-agent must be installed
  --agent-command CMD   start this instead, as it is
  --config-file FILE    instead of ~/.ssh/config
  --no-check            save without a look
`

export const serveHelp = `Usage: trawl serve [--listen ADDRESS:PORT]

  trawl serve
  trawl serve --listen 127.0.0.1:7800

Runs the gateway until Ctrl-C. Configuration: $TRAWL_CONFIG, else ~/.config/trawl/config.toml.
Data, token and socket: $TRAWL_DATA_DIR, else ~/.local/share/trawl.
Log: stderr, or $TRAWL_LOG_FILE; $TRAWL_LOG_LEVEL is error, warn, info or debug.
`
