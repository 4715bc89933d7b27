/**
 * Who is paired, on the side that checks: a name, when it came, when it was last seen, and the SHA-256 of its token.
 * A slow hash is for what people can guess: these tokens are 256 random bits, and no number of guesses reaches them.
 */
import * as z from 'zod'
import type { Clock } from '../clock.ts'
import { deviceKinds, deviceRights } from '../rpc/rights.ts'

export const deviceGrantSchema = z.object({
  kind: z.enum(deviceKinds),
  may: z.array(z.enum(deviceRights)),
})
export type DeviceGrant = z.output<typeof deviceGrantSchema>

const peerSchema = z.object({
  name: z.string().min(1).max(200),
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  lastSeenAt: z.number().nullable(),
  /** What a paired client is and may do; agents and gateways have none. */
  device: deviceGrantSchema.optional(),
})
/** Kept so that whoever shows such a token can be told that it was revoked, and not that it never was one. */
const revokedSchema = z.object({ tokenHash: z.string().regex(/^[0-9a-f]{64}$/), revokedAt: z.number() })

/** What the file holds. Unknown members are left out on reading. */
export const peerFileSchema = z.object({
  version: z.literal(1),
  peers: z.array(peerSchema),
  revoked: z.array(revokedSchema).default([]),
})
export type PeerFile = z.output<typeof peerFileSchema>
export type PairedPeer = Omit<z.output<typeof peerSchema>, 'tokenHash'>

/** A sighting is written down this often at most; how long ago within it does not matter to anybody. */
const seenEveryMs = 60_000
const maxRevokedKept = 100

export interface PeerTableOptions {
  readonly clock: Clock
  /** What was there at the start. */
  readonly file: PeerFile
  save(file: PeerFile): Promise<void>
  /** 256 random bits as base64url. */
  makeToken(): string
  /** SHA-256 in hex. */
  digest(text: string): string
}

export interface PeerTable {
  list(): readonly PairedPeer[]
  /** Pairs under this name, or under `name-2` where it is taken and may not be replaced. @returns its token, once. */
  issue(name: string, ifTaken: 'replace' | 'number'): Promise<{ name: string; token: string }>
  /** Pairs a client whose token both sides have made. @returns the name it goes by. */
  admit(name: string, token: string, device: DeviceGrant): Promise<PairedPeer>
  /** @returns the name behind a token, and notes that it was seen; null for one that is not, or no longer, paired. */
  check(token: string): string | null
  /** As `check`, with all that is known of the peer. */
  find(token: string): PairedPeer | null
  /** Whether the token was good once, among the latest hundred that were revoked. */
  wasRevoked(token: string): boolean
  /** @returns whether there was such a peer. Its token is worth nothing from here on. */
  revoke(name: string): Promise<boolean>
  /** Settles when everything is written down. */
  flush(): Promise<void>
}

export function createPeerTable(options: PeerTableOptions): PeerTable {
  const { clock, save, digest } = options
  let { peers, revoked } = options.file
  let saving: Promise<void> = Promise.resolve()

  /** One after another, each with the newest state. */
  function write(): Promise<void> {
    const written = saving.then(async () => await save({ version: 1, peers, revoked }))
    saving = written.catch(() => {})
    return written
  }

  function freeName(name: string): string {
    const taken = new Set(peers.map((peer) => peer.name))
    if (!taken.has(name)) return name
    for (let number = 2; ; number++) if (!taken.has(`${name}-${number}`)) return `${name}-${number}`
  }

  function find(token: string): PairedPeer | null {
    const tokenHash = digest(token)
    const found = peers.find((peer) => peer.tokenHash === tokenHash)
    if (found === undefined) return null
    const nowMs = clock.now()
    if (found.lastSeenAt === null || nowMs - found.lastSeenAt >= seenEveryMs) {
      peers = peers.map((peer) => (peer === found ? { ...peer, lastSeenAt: nowMs } : peer))
      void write().catch(() => {})
    }
    return withoutHash(found)
  }

  async function add(name: string, token: string, device?: DeviceGrant): Promise<PairedPeer> {
    const peer = {
      name,
      tokenHash: digest(token),
      createdAt: clock.now(),
      lastSeenAt: null,
      ...(device === undefined ? {} : { device }),
    }
    const replaced = peers.filter((other) => other.name === name)
    peers = [...peers.filter((other) => other.name !== name), peer]
    try {
      await write()
    } catch (error) {
      // Whoever is told that it did not work is not to be let in, nor the one before shut out.
      peers = [...peers.filter((other) => other.tokenHash !== peer.tokenHash), ...replaced]
      throw error
    }
    return withoutHash(peer)
  }

  return {
    list: () => peers.map(withoutHash),
    find,
    wasRevoked(token) {
      const tokenHash = digest(token)
      return revoked.some((entry) => entry.tokenHash === tokenHash)
    },
    admit: async (name, token, device) => await add(freeName(name), token, device),
    async issue(asked, ifTaken) {
      const name = ifTaken === 'replace' ? asked : freeName(asked)
      const token = options.makeToken()
      await add(name, token)
      return { name, token }
    },
    check: (token) => find(token)?.name ?? null,
    async revoke(name) {
      const gone = peers.find((peer) => peer.name === name)
      if (gone === undefined) return false
      peers = peers.filter((peer) => peer !== gone)
      revoked = [{ tokenHash: gone.tokenHash, revokedAt: clock.now() }, ...revoked].slice(0, maxRevokedKept)
      await write()
      return true
    },
    flush: async () => await saving,
  }
}

function withoutHash({ tokenHash: _, ...peer }: PeerFile['peers'][number]): PairedPeer {
  return peer
}
