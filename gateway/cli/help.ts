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
  --debug             how a single host planned the query
  --no-color

Exit: 0 hits, 1 none, 2 error, 3 see --strict, 64 wrong use.
In a pipe: one line a hit; host, agent, session, time, title, snippet with tabs between.
`

export const statusHelp = `Usage: trawl status [--host ID] [--json]

  trawl status
  trawl status --host ssh:devbox

Says what a host's indexer last saw. Without --host it is this machine's.
`

export const hostsHelp = `Usage: trawl hosts [--json]

Lists the machines of the configuration, connected or not, and why not.
`

export const serveHelp = `Usage: trawl serve [--listen ADDRESS:PORT]

  trawl serve
  trawl serve --listen 127.0.0.1:7800

Runs the gateway until Ctrl-C. Configuration: $TRAWL_CONFIG, else ~/.config/trawl/config.toml.
Data, token and socket: $TRAWL_DATA_DIR, else ~/.local/share/trawl.
Log: stderr, or $TRAWL_LOG_FILE; $TRAWL_LOG_LEVEL is error, warn, info or debug.
`
