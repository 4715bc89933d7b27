/**
 * The agents that may dial in, and the key they find here: `paired-agents.json` (tokens as hashes only, by host id) and
 * `gateway-key.pem` in the data directory.
 */
import * as crypto from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../protocol/clock.ts'
import {
  createPeerTable,
  type PeerFile,
  type PeerTable,
  peerFileSchema,
} from '../../protocol/link/peer-table.ts'
import { makeTlsKey, type TlsIdentity, tlsIdentityOf } from '../../protocol/link/tls-identity.ts'
import { Refusal } from '../refusal.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** @throws Refusal `permission` when others can read the file, `configuration` when it is not one of ours. */
export async function loadPairedAgents(dataDir: string, clock: Clock): Promise<PeerTable> {
  const path = join(dataDir, 'paired-agents.json')
  return createPeerTable({
    clock,
    file: await loadPeerFile(path, 'invite the hosts that dial in again'),
    save: async (file) => await writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`),
    makeToken: () => crypto.randomBytes(32).toString('base64url'),
    digest: sha256Hex,
  })
}

export function sha256Hex(text: string): string {
  return crypto.createHash('sha256').update(text).digest('hex')
}

/** @param remedy what is to be done when the file is gone. @throws Refusal as `loadPairedAgents`. */
export async function loadPeerFile(path: string, remedy: string): Promise<PeerFile> {
  const text = await readPrivateFile(path)
  if (text === null) return { version: 1, peers: [], revoked: [] }
  try {
    return peerFileSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new Refusal('configuration', `${path} cannot be read. Delete it, and ${remedy}.`, error)
  }
}

/** Made on first use. @throws Refusal as `loadPairedAgents`. */
export async function loadGatewayKey(dataDir: string, nowMs: number): Promise<TlsIdentity> {
  const path = join(dataDir, 'gateway-key.pem')
  const stored = await readPrivateFile(path)
  const key = stored ?? makeTlsKey(crypto)
  if (stored === null) await writePrivateFile(path, key)
  const identity = tlsIdentityOf(key, { commonName: 'trawl', nowMs }, crypto)
  if (identity !== null) return identity
  throw new Refusal(
    'configuration',
    `${path} holds no ECDSA P-256 key. Delete it, and a new one is made; hosts that dial in are then to be invited again.`,
  )
}
