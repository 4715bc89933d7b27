/**
 * The paired clients: `devices.json` in the data directory (tokens as hashes only), whom a token belongs to, and what
 * happens to what a client has open when it is revoked.
 */
import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import type { Clock } from '../../protocol/clock.ts'
import { createPeerTable, type DeviceGrant, type PairedPeer } from '../../protocol/link/peer-table.ts'
import type { DeviceEntry } from '../../protocol/rpc/devices.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Caller } from './caller.ts'
import { loadPeerFile, sha256Hex } from './paired-agents.ts'
import { writePrivateFile } from './private-file.ts'

export interface Devices extends AsyncDisposable {
  list(): Pick<DeviceEntry, 'name' | 'kind' | 'exposure' | 'may' | 'createdAt' | 'lastSeenAt'>[]
  /** @param name as the client calls itself, or the owner it; numbered where it is taken. @returns the name it got. */
  admit(name: string, token: string, grant: DeviceGrant): Promise<string>
  /** A `TokenLookup`. @throws TrawlError `unauthorized`, reason `revoked`, for a token that was good once. */
  callerOf(token: string): Caller | null
  /** Ends what the client has open at once. @returns whether there was such a client. */
  revoke(name: string): Promise<boolean>
}

/** @throws Refusal `permission` when others can read the file, `configuration` when it is not one of ours. */
export async function loadDevices(dataDir: string, clock: Clock): Promise<Devices> {
  const path = join(dataDir, 'devices.json')
  const table = createPeerTable({
    clock,
    file: await loadPeerFile(path, 'pair the clients again'),
    save: async (file) => await writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`),
    makeToken: () => randomBytes(32).toString('base64url'),
    digest: sha256Hex,
  })
  const open = new Map<string, AbortController>()

  function revocationOf(name: string): AbortSignal {
    const known = open.get(name)
    if (known !== undefined) return known.signal
    const made = new AbortController()
    // Each link and each request of the client listens.
    setMaxListeners(0, made.signal)
    open.set(name, made)
    return made.signal
  }

  return {
    list: () => table.list().flatMap(entryOf),
    async admit(name, token, grant) {
      return (await table.admit(name, token, grant)).name
    },
    callerOf(token) {
      const peer = table.find(token)
      if (peer?.device !== undefined)
        return {
          exposure: 'relay',
          name: `device:${peer.name}`,
          may: peer.device.may,
          revoked: revocationOf(peer.name),
        }
      if (table.wasRevoked(token))
        throw new TrawlError('unauthorized', 'This device was revoked', { reason: 'revoked' })
      return null
    },
    async revoke(name) {
      const isKnown = table.list().some((peer) => peer.name === name)
      if (!isKnown) return false
      const revoked = table.revoke(name)
      // Before the disk has it: what is open ends now, and the token is worth nothing already.
      open.get(name)?.abort()
      open.delete(name)
      await revoked
      return true
    },
    [Symbol.asyncDispose]: async () => await table.flush(),
  }
}

function entryOf({ device, ...peer }: PairedPeer) {
  return device === undefined ? [] : [{ ...peer, ...device, exposure: 'relay' as const }]
}
