/** The agent's own key: `agent-key.pem` in the data directory, made on first start; gateways pin it. */
import * as crypto from 'node:crypto'
import { join } from 'node:path'
import { makeTlsKey, type TlsIdentity, tlsIdentityOf } from '../../protocol/link/tls-identity.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

/** @throws Error naming the file when others can read it, or when it holds no ECDSA P-256 key. */
export async function loadAgentKey(dataDir: string, nowMs: number): Promise<TlsIdentity> {
  const path = join(dataDir, 'agent-key.pem')
  const stored = await readPrivateFile(path)
  const key = stored ?? makeTlsKey(crypto)
  if (stored === null) await writePrivateFile(path, key)
  const identity = tlsIdentityOf(key, { commonName: 'trawl-agent', nowMs }, crypto)
  if (identity !== null) return identity
  throw new Error(
    `${path} holds no ECDSA P-256 key. Remove it, and a new one is made; gateways then have to pair again.`,
  )
}
