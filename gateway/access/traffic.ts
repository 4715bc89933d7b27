/**
 * How much one caller, and one address, may ask of the TCP door: messages (each member of a batch is one), what runs at
 * once, wrong credentials and codes, and connections. The Unix socket has no such limits: its caller is the machine's
 * owner. An address is a group of them (`addressGroup`).
 */
import type { Clock } from '../../protocol/clock.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { addressGroup } from './address-group.ts'
import type { Caller } from './caller.ts'
import { createRateLimit, type Rate } from './rate-limit.ts'
import { createTally, type Tally } from './tally.ts'

/** At once, of one paired client, and with this machine's own token. */
export interface AtOnce {
  readonly device: number
  readonly owner: number
}

export interface TrafficLimits {
  /** Messages of one paired client: typing asks some ten times a second. */
  readonly device: Rate
  /** Messages with this machine's own token. */
  readonly owner: Rate
  /** Messages from one address, whoever sends them; a proxy is one address. */
  readonly address: Rate
  /** Calls of one credential that run; a whole batch must fit. */
  readonly callsAtOnce: AtOnce
  /** HTTP requests of one credential whose answer has not been taken yet. */
  readonly requestsAtOnce: AtOnce
  /** Wrong credentials and pairing codes from one address. A right credential still passes: nobody is locked out. */
  readonly wrongCredential: Rate
  /** Wrong pairing codes from one address: beyond them no code of its is looked at (device-offers.ts has the arithmetic). */
  readonly wrongCode: Rate
  readonly maxConnections: number
  readonly maxConnectionsPerCaller: number
  /** Connections that have not said who they are. */
  readonly maxStrangers: number
  readonly maxStrangersPerAddress: number
  /** TCP connections of any kind; more are closed at once. */
  readonly maxSockets: number
  readonly maxSocketsPerAddress: number
  /** How long an answer over HTTP may lie unread. */
  readonly unreadTimeoutMs: number
}

export const defaultTrafficLimits: TrafficLimits = {
  device: { burst: 200, perSecond: 20 },
  owner: { burst: 2_000, perSecond: 200 },
  address: { burst: 2_000, perSecond: 200 },
  callsAtOnce: { device: 100, owner: 1_000 },
  requestsAtOnce: { device: 32, owner: 256 },
  wrongCredential: { burst: 20, perSecond: 0.5 },
  wrongCode: { burst: 5, perSecond: 1 / 60 },
  maxConnections: 1_000,
  maxConnectionsPerCaller: 16,
  maxStrangers: 64,
  maxStrangersPerAddress: 16,
  maxSockets: 2_048,
  maxSocketsPerAddress: 512,
  unreadTimeoutMs: 30_000,
}

/** How something that was let in ends; more than once is once. */
type Leave = () => void

export interface Traffic {
  readonly limits: TrafficLimits
  /** One message, or one member of a batch. @returns the refusal, or null. */
  admit(caller: Caller): TrawlError | null
  /** A call begins. @throws TrawlError `rate_limited` while too many of the caller's run. */
  beginCall(caller: Caller): Leave
  /** An HTTP request begins. @throws TrawlError `rate_limited` while too many of the caller's are not answered. */
  beginRequest(caller: Caller): Leave
  /** A credential was wrong. @returns the refusal for whoever has shown too many. */
  wrongCredential(address: string): TrawlError | null
  /** Before a pairing code is looked at. @throws TrawlError `rate_limited` for an address that has shown too many wrong ones. */
  tryCode(address: string): void
  /** A pairing code was wrong, which is a wrong credential too. @returns as `wrongCredential`. */
  wrongCode(address: string): TrawlError | null
  /** A connection begins, of a stranger where `caller` is null. @returns null where there is no room. */
  enter(caller: Caller | null, address: string): Leave | null
  /** A TCP connection of any kind. @returns null where its address has too many. */
  enterSocket(address: string): Leave | null
  /** Connections that a caller has open. */
  connectionsOf(name: string): number
}

export function createTraffic(clock: Clock, limits: TrafficLimits = defaultTrafficLimits): Traffic {
  const devices = createRateLimit(limits.device, clock)
  const owner = createRateLimit(limits.owner, clock)
  const addresses = createRateLimit(limits.address, clock)
  const wrong = createRateLimit(limits.wrongCredential, clock)
  const wrongCodes = createRateLimit(limits.wrongCode, clock)
  const calls = createTally()
  const requests = createTally()
  const connections = createTally()
  const strangers = createTally()
  const sockets = createTally()

  const wrongCredential = (address: string) => refusal(wrong.take(addressGroup(address)))
  return {
    limits,
    admit({ exposure, name, address = '' }) {
      const ofCaller = (exposure === 'relay' ? devices : owner).take(name)
      return refusal(ofCaller ?? addresses.take(addressGroup(address)))
    },
    beginCall: (caller) => begin(calls, caller, limits.callsAtOnce, 'calls'),
    beginRequest: (caller) => begin(requests, caller, limits.requestsAtOnce, 'requests'),
    wrongCredential,
    tryCode(address) {
      const waitSec = wrongCodes.look(addressGroup(address))
      if (waitSec !== null)
        throw new TrawlError(
          'rate_limited',
          `Too many wrong codes came from your address. Try again in ${waitSec} s`,
          { retryAfterSec: waitSec },
        )
    },
    wrongCode(address) {
      wrongCodes.take(addressGroup(address))
      return wrongCredential(address)
    },
    enter(caller, address) {
      const { maxConnections, maxConnectionsPerCaller, maxStrangers, maxStrangersPerAddress } = limits
      return allOf([
        connections.enter(everybody, maxConnections),
        ...(caller !== null
          ? [connections.enter(caller.name, maxConnectionsPerCaller)]
          : [
              strangers.enter(everybody, maxStrangers),
              strangers.enter(addressGroup(address), maxStrangersPerAddress),
            ]),
      ])
    },
    enterSocket: (address) => sockets.enter(addressGroup(address), limits.maxSocketsPerAddress),
    connectionsOf: (name) => connections.of(name),
  }
}

/** For the Unix socket. */
export function createUnlimitedTraffic(limits: TrafficLimits = defaultTrafficLimits): Traffic {
  const leave = () => {}
  return {
    limits,
    admit: () => null,
    beginCall: () => leave,
    beginRequest: () => leave,
    wrongCredential: () => null,
    tryCode: () => {},
    wrongCode: () => null,
    enter: () => leave,
    enterSocket: () => leave,
    connectionsOf: () => 0,
  }
}

/** A key that is no caller's name and no address. */
const everybody = '*'

function begin(tally: Tally, { exposure, name }: Caller, atOnce: AtOnce, what: string): Leave {
  const most = exposure === 'relay' ? atOnce.device : atOnce.owner
  const leave = tally.enter(name, most)
  if (leave !== null) return leave
  throw new TrawlError(
    'rate_limited',
    `${most} ${what} of yours are not answered yet. Wait for one of them`,
    {
      retryAfterSec: 1,
    },
  )
}

/** All of them, or none. */
function allOf(leaves: readonly (Leave | null)[]): Leave | null {
  const entered = leaves.filter((leave) => leave !== null)
  const leave = () => {
    for (const one of entered) one()
  }
  if (entered.length === leaves.length) return leave
  leave()
  return null
}

function refusal(retryAfterSec: number | null): TrawlError | null {
  if (retryAfterSec === null) return null
  return new TrawlError('rate_limited', `Too many calls. Try again in ${retryAfterSec} s`, { retryAfterSec })
}
