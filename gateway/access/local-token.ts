/**
 * This machine's own token: whoever can read the file is the user, and gets the class `runtime` over TCP (wire.md §1).
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Refusal, systemCode } from '../refusal.ts'
import type { TokenLookup } from './caller.ts'

const tokenBytes = 32
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/**
 * Reads the token file, or makes it (mode 0600) on the first start.
 * @returns the token: 32 random bytes as base64url.
 * @throws Refusal `permission` when others can read the file, `configuration` when it holds no token.
 */
export async function loadLocalToken(file: string, randomBytes: (count: number) => Buffer): Promise<string> {
  const made = await createToken(file, randomBytes(tokenBytes).toString('base64url'))
  return made ?? (await readToken(file))
}

/** @returns null when the file is there already; it is never written over. */
async function createToken(file: string, token: string): Promise<string | null> {
  let handle: FileHandle
  try {
    handle = await open(file, 'wx', 0o600)
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null
    throw error
  }
  await using closing = handle
  await closing.writeFile(`${token}\n`)
  return token
}

async function readToken(file: string): Promise<string> {
  await using handle = await open(file, 'r')
  const { mode } = await handle.stat()
  if ((mode & 0o077) !== 0) {
    throw new Refusal(
      'permission',
      `Others on this machine can read the token ${file} (mode ${formatMode(mode)}). ` +
        `Delete it, and the next start makes a new one; or, if nobody has read it: chmod 600 ${file}`,
    )
  }
  const token = (await handle.readFile('utf8')).trim()
  if (tokenPattern.test(token)) return token
  throw new Refusal('configuration', `${file} holds no token. Delete it, and the next start makes a new one.`)
}

function formatMode(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}

/** Compares in a time that tells nothing of the token. */
export function localTokenLookup(localToken: string): TokenLookup {
  const expected = digest(localToken)
  return (token) =>
    timingSafeEqual(digest(token), expected) ? { exposure: 'runtime', name: 'local-token' } : null
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
