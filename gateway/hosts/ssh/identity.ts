/** Which keys are offered to a server, in which order, and why others are not. */
import { readFile, stat } from 'node:fs/promises'
import type { ParsedKey } from 'ssh2'
import ssh2 from 'ssh2'
import { fingerprint } from './host-key-check.ts'
import type { SshAgent } from './ssh-agent.ts'
import type { IdentityFile, SshSettings } from './ssh-settings.ts'

export type Identity =
  | { readonly kind: 'agent'; readonly label: string; readonly key: ParsedKey; readonly agent: SshAgent }
  | { readonly kind: 'file'; readonly label: string; readonly key: ParsedKey; readonly path: string }

interface SkippedIdentity {
  /** A path, or the agent's socket. */
  readonly what: string
  readonly why: string
  /** Locked with a passphrase, which only the agent can ask for. */
  readonly isEncrypted: boolean
}

export interface Identities {
  readonly offered: readonly Identity[]
  readonly skipped: readonly SkippedIdentity[]
}

interface ReadFile {
  readonly path: string
  /** Null where neither the file nor the `.pub` beside it gives the public half. */
  readonly publicKey: Buffer | null
  readonly privateKey: ParsedKey | null
  readonly skipped: SkippedIdentity | null
}

/**
 * OpenSSH's order: keys of the agent that the configuration names, then the agent's other keys (not under
 * IdentitiesOnly), then key files the agent does not hold. Nothing is asked of a person: a file with a passphrase is
 * used through the agent or not at all.
 */
export async function gatherIdentities(settings: SshSettings, agent: SshAgent | null): Promise<Identities> {
  const files: ReadFile[] = []
  for (const file of settings.identityFiles) {
    const read = await readIdentityFile(file)
    if (read !== null) files.push(read)
  }
  const skipped: SkippedIdentity[] = []
  const held = agent === null ? [] : await listAgent(agent, settings.agentSocket ?? '', skipped)
  const rank = (key: ParsedKey) =>
    files.findIndex(({ publicKey }) => publicKey?.equals(key.getPublicSSH()) === true)
  const named = held.filter((key) => rank(key) >= 0).sort((a, b) => rank(a) - rank(b))
  const others = settings.identitiesOnly ? [] : held.filter((key) => rank(key) < 0)
  const offered: Identity[] = []
  for (const key of agent === null ? [] : [...named, ...others]) {
    const label = `agent ${key.comment === '' ? key.type : key.comment} ${fingerprint(key.getPublicSSH())}`
    if (agent !== null) offered.push({ kind: 'agent', label, key, agent })
  }
  const isHeld = ({ publicKey }: ReadFile) =>
    named.some((key) => publicKey?.equals(key.getPublicSSH()) === true)
  for (const file of files.filter((candidate) => !isHeld(candidate))) {
    if (file.skipped !== null) skipped.push(file.skipped)
    else if (file.privateKey !== null) {
      offered.push({ kind: 'file', label: file.path, key: file.privateKey, path: file.path })
    }
  }
  return { offered, skipped }
}

async function listAgent(
  agent: SshAgent,
  socketPath: string,
  skipped: SkippedIdentity[],
): Promise<readonly ParsedKey[]> {
  try {
    return await agent.identities()
  } catch {
    skipped.push({ what: `the agent at ${socketPath}`, why: 'it does not answer', isEncrypted: false })
    return []
  }
}

/** @returns null for a default file that is not there. */
async function readIdentityFile({ path, isDefault }: IdentityFile): Promise<ReadFile | null> {
  const skip = (why: string, publicKey: Buffer | null = null, isEncrypted = false): ReadFile => {
    return { path, publicKey, privateKey: null, skipped: { what: path, why, isEncrypted } }
  }
  const publicKey = await readPublicKey(`${path}.pub`)
  let text: Buffer
  try {
    const { mode } = await stat(path)
    text = await readFile(path)
    // As OpenSSH: a private key that others can read is nobody's proof of anything. Windows has no such bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0 && isPrivate(text)) {
      return skip(`others can read it (chmod 600)`, publicKey)
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown error'
    if (code !== 'ENOENT') return skip(`it cannot be read (${code})`, publicKey)
    // The key itself may live in the agent alone, with its public half left behind to name it.
    if (publicKey !== null) return skip('only its public half is here', publicKey)
    return isDefault ? null : skip('it is not there')
  }
  const key = ssh2.utils.parseKey(text)
  if (key instanceof Error) {
    if (/encrypted|passphrase/i.test(key.message))
      return skip('it is locked with a passphrase', publicKey, true)
    return skip('it is no key this client can use', publicKey)
  }
  if (!key.isPrivateKey())
    return skip('it is a public key, and the agent does not hold its other half', key.getPublicSSH())
  return { path, publicKey: key.getPublicSSH(), privateKey: key, skipped: null }
}

async function readPublicKey(path: string): Promise<Buffer | null> {
  try {
    const key = ssh2.utils.parseKey(await readFile(path))
    return key instanceof Error ? null : key.getPublicSSH()
  } catch {
    return null
  }
}

function isPrivate(text: Buffer): boolean {
  return text.includes('PRIVATE KEY') || text.includes('PuTTY-User-Key')
}
