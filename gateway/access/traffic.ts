/**
 * How much one caller, and one address, may ask of the TCP door: calls (each member of a batch is one), wrong
 * credentials, and connections. The Unix socket has no such limits: its caller is the machine's owner.
 */
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import type { Caller } from './caller.ts'
import { createRateLimit, type Rate } from './rate-limit.ts'

export interface TrafficLimits {
  /** Calls of one paired client: typing asks some ten times a second. */
  readonly device: Rate
  /** Calls with this machine's own token. */
  readonly owner: Rate
  /** Calls from one address, whoever makes them; a proxy is one address. */
  readonly address: Rate
  /** Wrong credentials and pairing codes from one address. A right credential still passes: nobody is locked out. */
  readonly wrongCredential: Rate
  readonly maxConnections: number
  readonly maxConnectionsPerCaller: number
  /** Connections that have not said who they are. */
  readonly maxStrangers: number
  /** TCP connections of any kind; more are closed at once. */
  readonly maxSockets: number
  /** How long an answer over HTTP may lie unread. */
  readonly unreadTimeoutMs: number
}

export const defaultTrafficLimits: TrafficLimits = {
  device: { burst: 200, perSecond: 20 },
  owner: { burst: 2_000, perSecond: 200 },
  address: { burst: 2_000, perSecond: 200 },
  wrongCredential: { burst: 20, perSecond: 0.5 },
  maxConnections: 1_000,
  maxConnectionsPerCaller: 16,
  maxStrangers: 64,
  maxSockets: 2_048,
  unreadTimeoutMs: 30_000,
}

export interface Traffic {
  readonly limits: TrafficLimits
  /** One call. @returns the refusal, or null. */
  admit(caller: Caller): TrawlError | null
  /** A credential or code was wrong. @returns the refusal for whoever has shown too many. */
  wrongCredential(address: string): TrawlError | null
  /** A connection begins, of a stranger where `caller` is null. @returns how it ends, or null where there is no room. */
  enter(caller: Caller | null): (() => void) | null
  /** Connections that a caller has open. */
  connectionsOf(name: string): number
}

export function createTraffic(clock: Clock, limits: TrafficLimits = defaultTrafficLimits): Traffic {
  const devices = createRateLimit(limits.device, clock)
  const owner = createRateLimit(limits.owner, clock)
  const addresses = createRateLimit(limits.address, clock)
  const wrong = createRateLimit(limits.wrongCredential, clock)
  const connections = new Map<string | null, number>()
  let total = 0

  return {
    limits,
    admit({ exposure, name, address = '' }) {
      const ofCaller = (exposure === 'relay' ? devices : owner).take(name)
      return refusal(ofCaller ?? addresses.take(address))
    },
    wrongCredential: (address) => refusal(wrong.take(address)),
    enter(caller) {
      const key = caller === null ? null : caller.name
      const most = caller === null ? limits.maxStrangers : limits.maxConnectionsPerCaller
      const open = connections.get(key) ?? 0
      if (open >= most || total >= limits.maxConnections) return null
      connections.set(key, open + 1)
      total += 1
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        total -= 1
        const left = (connections.get(key) ?? 1) - 1
        if (left === 0) connections.delete(key)
        else connections.set(key, left)
      }
    },
    connectionsOf: (name) => connections.get(name) ?? 0,
  }
}

function refusal(retryAfterSec: number | null): TrawlError | null {
  if (retryAfterSec === null) return null
  return new TrawlError('rate_limited', `Too many calls. Try again in ${retryAfterSec} s`, { retryAfterSec })
}
