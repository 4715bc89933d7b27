/** A real OpenSSH server on a free loopback port, with keys, configuration and authorised keys of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { makeKeyPair } from './ssh-home.ts'

const candidates = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd']
const startAttempts = 5

/** @returns sshd's absolute path (it insists on one), or null where there is none. */
function findSshd(): string | null {
  return candidates.find((path) => existsSync(path)) ?? null
}

/** For `describe.skipIf`: null, or why tests that need sshd do not run here; printed once per file. */
export function whyNoSshd(): string | null {
  if (findSshd() !== null) return null
  const reason = `skipped: no sshd at ${candidates.join(', ')} (on Debian: apt-get install openssh-server)`
  process.stderr.write(`${reason}\n`)
  return reason
}

export interface SshdOptions {
  /** Public key lines that may log in as the user who runs this. */
  readonly authorizedKeys: readonly string[]
  /** Lines for sshd_config; the first value of a directive counts. */
  readonly config?: readonly string[]
  /** Set in every session (SetEnv). */
  readonly environment?: Readonly<Record<string, string>>
}

export interface Sshd extends AsyncDisposable {
  readonly port: number
  readonly user: string
  /** Its public key as known_hosts writes it: type and base64. */
  readonly hostKey: string
  /** What it has logged so far (VERBOSE). */
  log(): string
  /** Resolves when its log holds the text; never otherwise, so the test's own timeout ends it. */
  logged(text: string | RegExp): Promise<void>
  /** How often its log holds the text. */
  count(text: string): number
}

export async function startSshd(options: SshdOptions): Promise<Sshd> {
  const program = findSshd()
  if (program === null) throw new Error('sshd is not installed')
  // Privilege separation needs it, and a container without an init system has not made it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const directory = await mkdtemp(join(tmpdir(), 'trawl-sshd-'))
  const hostKey = makeKeyPair()
  await writeFile(join(directory, 'host_key'), hostKey.private, { mode: 0o600 })
  await writeFile(join(directory, 'authorized_keys'), `${options.authorizedKeys.join('\n')}\n`, {
    mode: 0o600,
  })
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    await writeFile(join(directory, 'sshd_config'), configText(directory, port, options))
    const server = new RunningSshd(program, directory)
    if (await server.listening) {
      const [type, key] = hostKey.public.split(' ')
      return {
        port,
        user: userInfo().username,
        hostKey: `${type} ${key}`,
        log: () => server.log,
        logged: (text) => server.logged(text),
        count: (text) => server.log.split(text).length - 1,
        async [Symbol.asyncDispose]() {
          await server.end()
          await rm(directory, { recursive: true, force: true })
        },
      }
    }
    await server.end()
    // Between the look for a free port and its use another process may have taken it.
    if (attempt === startAttempts || !server.log.includes('in use')) {
      await rm(directory, { recursive: true, force: true })
      throw new Error(`sshd did not start: ${server.log}`)
    }
  }
}

function configText(directory: string, port: number, { config = [], environment = {} }: SshdOptions): string {
  const setEnv = Object.entries(environment).map(([name, value]) => `"${name}=${value}"`)
  return [
    ...config,
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(directory, 'host_key')}`,
    `AuthorizedKeysFile ${join(directory, 'authorized_keys')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PubkeyAuthentication yes',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'AllowTcpForwarding yes',
    'LogLevel VERBOSE',
    ...(setEnv.length === 0 ? [] : [`SetEnv ${setEnv.join(' ')}`]),
    '',
  ].join('\n')
}

/**
 * Starts sshd and ends it, with every session it has forked, when stdin closes: so that it also ends when the test
 * process is killed. The shell gives background commands an empty stdin, hence the detour through 3; the trap lets it
 * outlive the signal and take note of its children's end.
 */
const supervisor = [
  'exec 3<&0',
  '(cat <&3 >/dev/null; kill 0) &',
  'trap : TERM',
  '"$0" -D -e -f "$1" </dev/null 3<&-',
  'kill $! 2>/dev/null',
  'wait',
].join('\n')

class RunningSshd {
  log = ''
  readonly listening: Promise<boolean>
  readonly #process: ChildProcess
  readonly #closed: Promise<void>
  readonly #waiting = new Set<() => void>()

  constructor(program: string, directory: string) {
    // `kill 0` reaches its process group, which must not be ours.
    this.#process = spawn('sh', ['-c', supervisor, program, join(directory, 'sshd_config')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    this.#process.stdin?.on('error', () => {})
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log += text
      for (const check of this.#waiting) check()
    })
    const exited = new Promise<boolean>((resolve) => {
      this.#process.once('error', () => resolve(false))
      this.#process.once('exit', () => resolve(false))
    })
    this.#closed = new Promise((resolve) => {
      this.#process.once('error', () => resolve())
      this.#process.once('close', () => resolve())
    })
    const isUp = this.logged('Server listening on').then(() => true)
    this.listening = Promise.race([isUp, exited])
  }

  logged(text: string | RegExp): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (typeof text === 'string' ? !this.log.includes(text) : !text.test(this.log)) return
        this.#waiting.delete(check)
        resolve()
      }
      this.#waiting.add(check)
      check()
    })
  }

  async end(): Promise<void> {
    this.#process.stdin?.end()
    await this.#closed
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
