/**
 * Asks the system's `ssh -G` how it understands a host: Include, Match and host name canonicalisation are then read by the
 * program they were written for. That runs the commands of `Match exec`, as every `ssh` does; so it is done only with a
 * configuration that nobody but its owner can write.
 */
import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import type { SshDirectives } from './config-file.ts'
import type { SshTarget } from './target.ts'

const timeLimitMs = 5_000
const maxOutputUnits = 256 * 1024
const defaultIdentity = /^~\/\.ssh\/id_(?:rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/

export interface SystemSshQuery {
  /** `ssh`, or where it lies. */
  readonly program: string
  readonly target: SshTarget
  /** The user's own file, which may be missing; `isNamed` where it is to be read instead of all others (`ssh -F`). */
  readonly configFile: { readonly path: string; readonly isNamed: boolean }
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** What `ssh -G` said, or why it was not asked; null where there is no such program. */
export type SystemSshAnswer =
  | { readonly kind: 'directives'; readonly directives: SshDirectives }
  | { readonly kind: 'refused'; readonly why: string }
  | null

/**
 * @param target whose names begin with no `-`: parseSshTarget refuses those.
 * @param read what the files themselves say, for what `ssh -G` does not tell from its defaults (ServerAliveInterval).
 */
export async function askSystemSsh(
  query: SystemSshQuery,
  read: SshDirectives | null,
): Promise<SystemSshAnswer> {
  const { configFile, target, program, variables } = query
  const others = await whoElseWrites(configFile.path)
  if (others !== null) return { kind: 'refused', why: others }
  const args = [
    '-G',
    ...(configFile.isNamed ? ['-F', configFile.path] : []),
    ...(target.user === null ? [] : ['-l', target.user]),
    ...(target.port === null ? [] : ['-p', String(target.port)]),
    '--',
    target.host,
  ]
  const run = await runToEnd(program, args, variables)
  if (run === null) return null
  if (run.exitCode !== 0) {
    const said = run.stderr.trim().split('\n').at(-1) ?? ''
    return { kind: 'refused', why: `ssh -G failed: ${said === '' ? `status ${run.exitCode}` : said}` }
  }
  return { kind: 'directives', directives: readAnswer(run.stdout, read) }
}

/** As ssh asks of it: its owner is this user or root, and neither group nor others may write it. Windows has no such bits. */
async function whoElseWrites(path: string): Promise<string | null> {
  if (process.platform === 'win32') return null
  try {
    const { uid, mode } = await stat(path)
    if (uid !== 0 && uid !== process.getuid?.())
      return `${path} belongs to another user, so ssh -G was not asked.`
    return (mode & 0o022) === 0 ? null : `Others can write ${path}, so ssh -G was not asked (chmod go-w).`
  } catch {
    return null
  }
}

function readAnswer(text: string, read: SshDirectives | null): SshDirectives {
  const values = new Map<string, string>()
  const identities: string[] = []
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ')
    if (space < 0) continue
    const name = line.slice(0, space).toLowerCase()
    const value = line.slice(space + 1).trim()
    if (name === 'identityfile') identities.push(value)
    else if (!values.has(name)) values.set(name, value)
  }
  const areDefaults = identities.every((path) => defaultIdentity.test(path))
  return {
    notes: [],
    all: (name) => (name === 'identityfile' && !areDefaults ? identities : []),
    get(name) {
      const value = values.get(name)
      if (value === undefined) return null
      // It prints 0 for "not set" and for "off" alike; not set is on here.
      if (name === 'serveraliveinterval' && value === '0') return read?.get(name) ?? null
      // Already expanded: a zone's % stands for itself.
      if (name === 'hostname') return [value.replaceAll('%', '%%')]
      return name.endsWith('knownhostsfile') ? splitWords(value) : [value]
    },
  }
}

function splitWords(value: string): readonly string[] {
  return Array.from(value.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, plain]) => quoted ?? plain ?? '')
}

interface Run {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** @returns null where the program is not there. Killed, with all it started, when its time is up. */
function runToEnd(
  program: string,
  args: readonly string[],
  env: SystemSshQuery['variables'],
): Promise<Run | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let stdout = ''
    let stderr = ''
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Gone already.
      }
    }
    const timer = setTimeout(() => {
      stderr = `it did not answer within ${timeLimitMs / 1000} s`
      kill()
    }, timeLimitMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.length > maxOutputUnits) kill()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4096)
    })
    child.once('error', () => {
      clearTimeout(timer)
      resolve(null)
    })
    child.once('close', (exitCode) => {
      clearTimeout(timer)
      resolve({ exitCode, stdout, stderr })
    })
  })
}
