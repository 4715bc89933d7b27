/** Reads known_hosts files and finds what they say about one host: plain, hashed and wildcard names, and markers. */
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import ssh2 from 'ssh2'
import { matchesPatternList } from './name-pattern.ts'
import { unreachable } from './ssh-errors.ts'

type KnownHostMarker = 'revoked' | 'cert-authority' | null

/** One line that is about the host that was asked for. */
export interface KnownHostEntry {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly marker: KnownHostMarker
  /** `ssh-ed25519`, `ssh-rsa`, … */
  readonly keyType: string
  /** The key in SSH's wire form. */
  readonly key: Buffer
}

/**
 * Everything the files hold for these names. A missing file holds nothing; a line that makes no sense is passed over,
 * as OpenSSH does.
 * @param names lower case, as `knownHostName` writes them
 * @throws TrawlError `unreachable` / `host-key` for a file that is there and cannot be read: it might take a key back.
 */
export async function findKnownHosts(
  files: readonly string[],
  names: readonly string[],
): Promise<readonly KnownHostEntry[]> {
  const found: KnownHostEntry[] = []
  for (const file of files) {
    const lines = (await readKnownHostsFile(file)).split('\n')
    for (const [index, text] of lines.entries()) {
      const parsed = parseLine(text)
      if (parsed !== null && names.some((name) => isAbout(parsed.names, name))) {
        const { marker, keyType, key } = parsed
        found.push({ file, line: index + 1, marker, keyType, key })
      }
    }
  }
  return found
}

/** How known_hosts writes a host: the name alone on port 22, else `[name]:port`. */
export function knownHostName(hostName: string, port: number): string {
  return port === 22 ? hostName.toLowerCase() : `[${hostName.toLowerCase()}]:${port}`
}

/** @param salt 20 random bytes */
export function hashKnownHostName(name: string, salt: Buffer): string {
  return `|1|${salt.toString('base64')}|${hashName(name, salt).toString('base64')}`
}

function hashName(name: string, salt: Buffer): Buffer {
  return createHmac('sha1', salt).update(name).digest()
}

function isAbout(names: string, name: string): boolean {
  const hashed = /^\|1\|([^|]+)\|([^|]+)$/.exec(names)
  if (hashed === null) return matchesPatternList(name, names.toLowerCase().split(','))
  const [, salt = '', hash = ''] = hashed
  return hashName(name, Buffer.from(salt, 'base64')).equals(Buffer.from(hash, 'base64'))
}

function parseLine(
  text: string,
): { names: string; marker: KnownHostMarker; keyType: string; key: Buffer } | null {
  const fields = text.trim().split(/[ \t]+/)
  if (fields[0] === '' || fields[0]?.startsWith('#')) return null
  let marker: KnownHostMarker = null
  if (fields[0]?.startsWith('@')) {
    const word = fields.shift()
    if (word !== '@revoked' && word !== '@cert-authority') return null
    marker = word === '@revoked' ? 'revoked' : 'cert-authority'
  }
  const [names, keyType, key] = fields
  if (names === undefined || keyType === undefined || key === undefined) return null
  const parsed = ssh2.utils.parseKey(`${keyType} ${key}`)
  // A key this client does not know (sk-…) can be neither matched nor shown by a server, but it can be taken back.
  const wire = parsed instanceof Error ? Buffer.from(key, 'base64') : parsed.getPublicSSH()
  return wire.length === 0 ? null : { names, marker, keyType, key: wire }
}

async function readKnownHostsFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return ''
    const sentence = `${path} cannot be read (${code}), so no server's key can be checked. Nothing was sent.`
    throw unreachable('host-key', sentence, cause)
  }
}
