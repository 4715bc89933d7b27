/**
 * The two tokens of an agent that listens. `token` proves the same machine and grants `runtime`;
 * `peer-token` is for a gateway elsewhere and grants `relay`. What a connection may see is decided here, once.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'

export interface AgentCredentials {
  readonly peerTokenFile: string
  /** @returns null for an unknown or missing token. */
  classOf(token: string | null): ExposureClass | null
}

/**
 * Reads both tokens, making each on first start with mode 0600.
 * @throws Error naming the file and the remedy when others can read it, or when it holds no token.
 */
export async function loadCredentials(dataDir: string, makeToken: () => string): Promise<AgentCredentials> {
  const peerTokenFile = join(dataDir, 'peer-token')
  const local = await readOrMake(join(dataDir, 'token'), makeToken)
  const peer = await readOrMake(peerTokenFile, makeToken)
  return {
    peerTokenFile,
    classOf(token) {
      if (token === null) return null
      if (isSame(token, local)) return 'runtime'
      return isSame(token, peer) ? 'relay' : null
    },
  }
}

async function readOrMake(path: string, makeToken: () => string): Promise<string> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${makeToken()}\n`)
    } finally {
      await file.close()
    }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown
  }
  const { mode } = await stat(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others. Run: chmod 600 ${path}`)
  }
  const token = (await readFile(path, 'utf8')).trim()
  if (token === '') throw new Error(`${path} holds no token. Remove it, and it is made anew.`)
  return token
}

/** Digests have one length, so that comparing tells nothing of the token's. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
