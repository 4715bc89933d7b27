/** The client's desk of the SSH tests: a home, one server that lets its key in, and a short way to open a stream. */
import { isDeepStrictEqual } from 'node:util'
import { settingsFromConfig } from '../../gateway/hosts/ssh/ssh-settings.ts'
import { openSshStream, type SshStream, type SshStreamOptions } from '../../gateway/hosts/ssh/ssh-stream.ts'
import { systemClock } from '../../protocol/clock.ts'
import { createSshHome, type SshHome } from './ssh-home.ts'
import { type Sshd, startSshd } from './sshd.ts'

export interface SshDesk extends AsyncDisposable {
  readonly home: SshHome
  readonly server: Sshd
  readonly notes: string[]
  /** Writes `.ssh/config` with a `devbox` that is the server; more lines go into its section, `after` behind it. */
  configure(
    lines?: readonly string[],
    options?: { readonly port?: number; readonly after?: string },
  ): Promise<void>
  /** Puts the server on record in known_hosts. */
  trust(port?: number): Promise<void>
  open(agentCommand: string, options?: Partial<SshStreamOptions>): Promise<SshStream>
}

export async function createSshDesk(
  serverConfig: readonly string[] = [],
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<SshDesk> {
  const home = await createSshHome(variables)
  const authorizedKeys = [await home.writeKey('id_ed25519')]
  const server = await startSshd({ authorizedKeys, config: serverConfig })
  const notes: string[] = []
  const trust = async (port = server.port) => {
    await home.write('known_hosts', `[127.0.0.1]:${port} ${server.hostKey}\n`)
  }
  const configure: SshDesk['configure'] = async (lines = [], { port = server.port, after = '' } = {}) => {
    const section = ['Host devbox', 'HostName 127.0.0.1', `Port ${port}`, ...lines].join('\n  ')
    await home.write('config', `${section}\n${after}\n`)
  }
  await trust()
  await configure()
  return {
    home,
    server,
    notes,
    configure,
    trust,
    open: (agentCommand, options = {}) =>
      openSshStream({
        target: 'devbox',
        agentCommand,
        resolveSettings: settingsFromConfig(home.environment),
        clock: systemClock,
        timeoutMs: 15_000,
        signal: new AbortController().signal,
        onNote: (note) => notes.push(note),
        ...options,
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** Sockets and pipes that are open in this process, by kind and count. */
export function openSockets(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) {
    if (/Socket|Pipe|Server|GetAddrInfo/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/**
 * Resolves when as many sockets and pipes are open as before; never otherwise, so the test's own timeout ends it. Node
 * goes on counting a child's pipes for a moment after they have closed.
 */
export async function onlyOpen(before: Readonly<Record<string, number>>): Promise<void> {
  while (!isDeepStrictEqual(openSockets(), before)) await new Promise((resolve) => setImmediate(resolve))
}
