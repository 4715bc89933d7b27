/** The gateways paired with this host: `paired-gateways.json` in the data directory, tokens as hashes only. */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Clock } from '../../protocol/clock.ts'
import {
  createPeerTable,
  type PeerFile,
  type PeerTable,
  peerFileSchema,
} from '../../protocol/link/peer-table.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** @throws Error naming the file when others can read it, or when it is not one of ours. */
export async function loadPairedGateways(dataDir: string, clock: Clock): Promise<PeerTable> {
  const path = join(dataDir, 'paired-gateways.json')
  return createPeerTable({
    clock,
    file: readFile(await readPrivateFile(path), path),
    save: async (file) => await writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`),
    makeToken: () => randomBytes(32).toString('base64url'),
    digest: sha256Hex,
  })
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function readFile(text: string | null, path: string): PeerFile {
  if (text === null) return { version: 1, peers: [], revoked: [] }
  try {
    return peerFileSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${path} cannot be read. Remove it, and pair the gateways again.`, { cause })
  }
}
