/**
 * Who may come in where an agent listens. `token` proves the same machine and grants `runtime`; the token of a paired
 * gateway grants `relay`, and so does `peer-token`, which is for machines where nobody can pair. What a connection may
 * see is decided here, once.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import type { PeerTable } from '../../protocol/link/peer-table.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

export interface Visitor {
  readonly exposure: ExposureClass
  /** The paired gateway it is; null for the two token files. */
  readonly pairedName: string | null
}

export interface AgentCredentials {
  /** @returns null for an unknown or missing token. */
  visitorOf(token: string | null): Visitor | null
}

export interface LoadCredentialsOptions {
  readonly dataDir: string
  readonly paired: Pick<PeerTable, 'check'>
  /** Makes `peer-token` where it is not there; one that is there counts in any case. */
  readonly makePeerToken: boolean
  /** 256 random bits as base64url. */
  makeToken(): string
}

export const peerTokenPath = (dataDir: string): string => join(dataDir, 'peer-token')

/**
 * Reads the token files, making `token` on first start with mode 0600.
 * @throws Error naming the file and the remedy when others can read it, or when it holds no token.
 */
export async function loadCredentials(options: LoadCredentialsOptions): Promise<AgentCredentials> {
  const local = await readOrMake(join(options.dataDir, 'token'), () => options.makeToken())
  const peerTokenFile = peerTokenPath(options.dataDir)
  const peer = options.makePeerToken
    ? await readOrMake(peerTokenFile, () => options.makeToken())
    : await readToken(peerTokenFile)
  return {
    visitorOf(token) {
      if (token === null) return null
      if (isSame(token, local)) return { exposure: 'runtime', pairedName: null }
      if (peer !== null && isSame(token, peer)) return { exposure: 'relay', pairedName: null }
      const pairedName = options.paired.check(token)
      return pairedName === null ? null : { exposure: 'relay', pairedName }
    },
  }
}

async function readOrMake(path: string, makeToken: () => string): Promise<string> {
  const there = await readToken(path)
  if (there !== null) return there
  const token = makeToken()
  await writePrivateFile(path, `${token}\n`)
  return token
}

async function readToken(path: string): Promise<string | null> {
  const token = (await readPrivateFile(path))?.trim()
  if (token === undefined) return null
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
