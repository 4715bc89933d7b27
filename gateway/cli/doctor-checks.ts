/** What `trawl doctor` looks at: every check by its id, with what a finding means and the remedy. */

export interface DoctorCheck {
  readonly title: string
  /** What it means when it is not in order. */
  readonly means: string
  readonly remedy: string
}

export const doctorChecks = {
  node: {
    title: 'Node and its SQLite',
    means: 'The agent of this machine cannot keep an index.',
    remedy: 'Use Node 22.13 or newer, or 20.19 with better-sqlite3: npm rebuild better-sqlite3',
  },
  configuration: {
    title: 'Configuration',
    means: 'What it says is not, or not wholly, in force; hosts that are set aside are not searched.',
    remedy: 'Mend the line that is named, then: trawl doctor',
  },
  'data-directory': {
    title: 'Data directory',
    means: 'Index, token and socket cannot be kept, or others can read them.',
    remedy: 'Run the command that is named, or name another directory in TRAWL_DATA_DIR.',
  },
  gateway: {
    title: 'Gateway',
    means: 'Each command starts the agents anew, and no page or other program can ask.',
    remedy: 'trawl serve, or to keep it running: trawl service install --user',
  },
  port: {
    title: 'Port',
    means: 'A gateway cannot open its door for the page and for programs.',
    remedy: 'End what holds the port, or name another: listen = "127.0.0.1:7800" in the configuration.',
  },
  hosts: {
    title: 'Hosts',
    means: 'What lies on a host that does not answer is not found.',
    remedy: 'Go the whole way and see which step fails: trawl hosts test ID',
  },
  versions: {
    title: 'Versions',
    means: 'An older agent may not know what this gateway asks for.',
    remedy: 'Restart the agent there; over SSH the right one is sent: trawl hosts test ID',
  },
  clock: {
    title: 'Clocks',
    means:
      'Sessions of a host whose clock is off stand in the wrong place, and --since leaves out the wrong ones.',
    remedy: 'Set the clock there, as by: timedatectl set-ntp true',
  },
  index: {
    title: 'Index',
    means: 'What is not in the index is not found.',
    remedy:
      'Watch it: trawl status --watch --host ID. Switched off there: trawl-agent enable, on that machine.',
  },
  freshness: {
    title: 'Freshness',
    means: 'The newest sessions may be missing.',
    remedy: 'Let it catch up first: trawl search --wait. What it does: trawl status --host ID',
  },
  sources: {
    title: 'Sources',
    means: 'Transcripts below a root that cannot be read are not found.',
    remedy:
      'Let the user read them, or name the right folders under [sources]. Which: trawl status --host ID',
  },
  coverage: {
    title: 'What is left out',
    means: 'The configuration keeps sessions out of the index of this machine.',
    remedy: 'Change [sources] or [index] historyDays in the configuration.',
  },
  terminal: {
    title: 'Terminal',
    means: 'Signs beyond ASCII may be shown wrongly.',
    remedy: 'Use a UTF-8 locale, as by: export LANG=C.UTF-8',
  },
} as const satisfies Record<string, DoctorCheck>

export type CheckId = keyof typeof doctorChecks
export type CheckState = 'ok' | 'warning' | 'problem'

export interface Finding {
  readonly id: CheckId
  readonly state: CheckState
  /** What was found, in a sentence. */
  readonly found: string
}
