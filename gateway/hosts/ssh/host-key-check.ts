/** Decides whether a server's key is the host's own, before any credential is offered. */
import { createHash } from 'node:crypto'
import type { ServerHostKeyAlgorithm } from 'ssh2'
import type { TrawlError } from '../../../protocol/rpc/errors.ts'
import { findKnownHosts, type KnownHostEntry, knownHostName } from './known-hosts.ts'
import { quoteForShell } from './remote-command.ts'
import { unreachable } from './ssh-errors.ts'
import type { SshSettings } from './ssh-settings.ts'

/** Best first; SHA-1 signatures (`ssh-rsa`) are not asked for. */
const algorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]

/** The cause of a refusal that a person may lift: a key that is on record nowhere. */
export class UnknownHostKey extends Error {
  override readonly name = 'UnknownHostKey'
  /** For `recordHostKey`. */
  readonly record: HostKeyRecord
  /** The host as it was asked for, and the kind of key and fingerprint it shows. */
  readonly target: string
  readonly shown: string

  constructor(record: HostKeyRecord, target: string, shown: string) {
    super(`${target} shows the ${shown}`)
    this.record = record
    this.target = target
    this.shown = shown
  }
}

/** A key to be put on record. */
export interface HostKeyRecord {
  readonly file: string
  /** As known_hosts writes it: `name` or `[name]:port`. */
  readonly name: string
  /** In SSH's wire form. */
  readonly key: Buffer
  readonly isHashed: boolean
}

type HostKeyVerdict =
  | { readonly kind: 'known' }
  /** Not on record, and the host's policy lets it in; `isRecorded` says whether it goes on record. */
  | { readonly kind: 'accepted'; readonly isRecorded: boolean }
  | { readonly kind: 'refused'; readonly error: TrawlError }

export interface HostKeyCheck {
  /** Kinds of key the host is known by come first, in the order known_hosts has them: else a server's second key would look like an attack. */
  readonly algorithms: readonly ServerHostKeyAlgorithm[]
  /** The name under which the key is looked up and recorded. */
  readonly name: string
  /** @param key in SSH's wire form */
  verify(key: Buffer): HostKeyVerdict
}

/** @throws TrawlError `unreachable` / `host-key` when a known_hosts file cannot be read. */
export async function loadHostKeyCheck(settings: SshSettings): Promise<HostKeyCheck> {
  const { hostKeyAlias, hostName, port } = settings
  const name = hostKeyAlias ?? knownHostName(hostName, port)
  const files = [...settings.userKnownHostsFiles, ...settings.globalKnownHostsFiles]
  const entries = await findKnownHosts(files, [name])
  // As OpenSSH does, a key recorded without the port lets its host in on any port; it never makes one "changed".
  const withoutPort = hostKeyAlias === null && port !== 22 ? await findKnownHosts(files, [hostName]) : []
  const types = [...entries, ...withoutPort]
    .filter(({ marker }) => marker === null)
    .map(({ keyType }) => keyType)
  return {
    name,
    algorithms: [...algorithms].sort((a, b) => rankOf(a, types) - rankOf(b, types)),
    verify: (key) => judge({ key, name, settings, entries, withoutPort }),
  }
}

interface Evidence {
  readonly key: Buffer
  readonly name: string
  readonly settings: SshSettings
  readonly entries: readonly KnownHostEntry[]
  readonly withoutPort: readonly KnownHostEntry[]
}

function judge({ key, name, settings, entries, withoutPort }: Evidence): HostKeyVerdict {
  const { text } = settings.target
  const shown = describeKey(key)
  const all = [...entries, ...withoutPort]
  const revoked = all.find((entry) => entry.marker === 'revoked' && entry.key.equals(key))
  if (revoked !== undefined) {
    return refuse(
      `The ${shown} that ${text} shows is marked @revoked in ${placeOf(revoked)}. Nothing was sent.`,
    )
  }
  if (all.some((entry) => entry.marker === null && entry.key.equals(key))) return { kind: 'known' }
  const other = entries.find((entry) => entry.marker === null)
  if (other !== undefined) {
    return refuse(
      `${text} shows the ${shown}, but ${placeOf(other)} holds ${other.keyType} ${fingerprint(other.key)} for it. ` +
        'Someone may stand in between, or the server has a new key. If you know that it has, remove the old one: ' +
        `ssh-keygen -R ${quoteForShell(name)} -f ${quoteForShell(other.file)}`,
    )
  }
  if (settings.hostKeyPolicy !== 'refuse-new') {
    return { kind: 'accepted', isRecorded: settings.userKnownHostsFiles.length > 0 }
  }
  const authority = all.find((entry) => entry.marker === 'cert-authority')
  const why =
    authority === undefined
      ? 'is not in known_hosts'
      : `is vouched for by a certificate authority only (${placeOf(authority)}), which this client cannot check`
  const [file] = settings.userKnownHostsFiles
  const isAskable = settings.mayAskForNew && authority === undefined && file !== undefined
  return refuse(
    `The ${shown} of ${text} ${why}. Nothing was sent. ` +
      `Compare the fingerprint with the server's own, then add it: ${addCommand(name, key, settings)}`,
    isAskable
      ? new UnknownHostKey({ file, name, key, isHashed: settings.hashKnownHosts }, text, shown)
      : undefined,
  )
}

function refuse(sentence: string, cause?: UnknownHostKey): HostKeyVerdict {
  return { kind: 'refused', error: unreachable('host-key', sentence, cause) }
}

/** Its kind and fingerprint. @param key in SSH's wire form */
export function describeKey(key: Buffer): string {
  return `${readKeyType(key)} key ${fingerprint(key)}`
}

/** One line of known_hosts. */
export function knownHostsLine(name: string, key: Buffer): string {
  return `${name} ${readKeyType(key)} ${key.toString('base64')}`
}

/** As OpenSSH prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`
}

function addCommand(name: string, key: Buffer, { userKnownHostsFiles }: SshSettings): string {
  const line = quoteForShell(knownHostsLine(name, key))
  const [file] = userKnownHostsFiles
  return file === undefined
    ? `(to a file named by UserKnownHostsFile) ${line}`
    : `echo ${line} >> ${quoteForShell(file)}`
}

function placeOf({ file, line }: KnownHostEntry): string {
  return `${file} line ${line}`
}

/** The name a key in wire form begins with. What a server sends is not trusted to be printable. */
function readKeyType(key: Buffer): string {
  const length = key.length < 4 ? 0 : key.readUInt32BE(0)
  const type = key.toString('latin1', 4, 4 + Math.min(length, 64))
  return /^[\w@.-]+$/.test(type) ? type : 'unknown'
}

/** Kinds of key that are not on record come last, in our own order. */
function rankOf(algorithm: string, types: readonly string[]): number {
  const at = types.indexOf(algorithm.startsWith('rsa-') ? 'ssh-rsa' : algorithm)
  return at < 0 ? types.length : at
}
