/** The demo's dev box: an SSH server on a free loopback port, with keys, configuration and records of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import ssh2 from 'ssh2'
import type { Processes } from './processes.ts'

const sshdPlaces = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd']

export interface SshHost {
  /** An ssh_config that knows the server as `devbox`. */
  readonly configFile: string
  /** For the demo's own words. */
  readonly server: string
}

/** @param fallbackServer the program that serves SSH where no sshd is installed. */
export async function startSshHost(
  dir: string,
  fallbackServer: string,
  processes: Processes,
): Promise<SshHost> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const hostKey = writeKey(dir, 'host_key')
  const userKey = writeKey(dir, 'user_key')
  const sshd = sshdPlaces.find((path) => existsSync(path))
  const port =
    sshd === undefined
      ? await startSsh2Server(fallbackServer, dir, processes)
      : await startSshd(sshd, dir, processes)
  const knownHosts = join(dir, 'known_hosts')
  writeFileSync(knownHosts, `[127.0.0.1]:${port} ${hostKey}\n`)
  const configFile = join(dir, 'ssh_config')
  const lines = [
    'Host devbox',
    '  HostName 127.0.0.1',
    `  Port ${port}`,
    `  User ${userInfo().username}`,
    `  IdentityFile ${userKey.file}`,
    '  IdentitiesOnly yes',
    '  IdentityAgent none',
    `  UserKnownHostsFile ${knownHosts}`,
  ]
  writeFileSync(configFile, `${lines.join('\n')}\n`)
  return {
    configFile,
    server: sshd === undefined ? 'an SSH server of the demo' : `the system's sshd, port ${port}`,
  }
}

function writeKey(dir: string, name: string) {
  const pair = makeKeyPair()
  const file = join(dir, name)
  writeFileSync(file, pair.private, { mode: 0o600 })
  writeFileSync(`${file}.pub`, `${pair.public}\n`)
  const [type, key] = pair.public.split(' ')
  return { file, toString: () => `${type} ${key}` }
}

/** ssh2 writes about one ed25519 key in 256 in a form that nobody reads back: such a one is thrown away. */
function makeKeyPair(): { private: string; public: string } {
  for (;;) {
    const pair = ssh2.utils.generateKeyPairSync('ed25519')
    if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair
  }
}

async function startSshd(program: string, dir: string, processes: Processes): Promise<number> {
  // Privilege separation needs it, and a container without an init system has not made it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const port = await freePort()
  const config = join(dir, 'sshd_config')
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(dir, 'host_key')}`,
    `AuthorizedKeysFile ${join(dir, 'user_key.pub')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const server = processes.keep(
    spawn(program, ['-D', '-e', '-f', config], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
  await processes.line(server.stderr, /Server listening on/, 'sshd')
  return port
}

async function startSsh2Server(program: string, dir: string, processes: Processes): Promise<number> {
  const args = [program, join(dir, 'host_key'), join(dir, 'user_key.pub')]
  const server = processes.keep(
    spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
  return Number(line)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
