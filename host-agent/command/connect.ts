/** `trawl-agent connect`: dials in to the gateways that have invited this host, and stays. */
import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import WebSocket from 'ws'
import type { Clock } from '../../protocol/clock.ts'
import type { DialPorts } from '../../protocol/link/dial-web-socket.ts'
import { parseOffer } from '../../protocol/link/offer.ts'
import { redeemOffer } from '../../protocol/link/redeem-offer.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import { type DialInState, keepDialledIn } from '../serve/dial-in.ts'
import {
  type DialledGateway,
  isSameGateway,
  loadDialledGateways,
  saveDialledGateway,
} from '../serve/dialled-gateways.ts'

export interface ConnectContext {
  readonly dataDir: string
  readonly clock: Clock
  /** Aborted when the command is to end. */
  readonly signal: AbortSignal
  random(): number
  onFault(error: TrawlError, method: string): void
  complain(text: string): void
}

/** How soon a running command goes by what `unpair` did. */
const followEveryMs = 500

const ports: DialPorts = {
  WebSocket,
  connectTls,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
}

/**
 * @param given an invitation, the address of a gateway that was connected to before, or nothing for all of those.
 * @throws Error with the remedy where there is nothing to dial. @throws TrawlError for an offer that is not redeemed.
 */
export async function findGateways(
  given: string | undefined,
  name: string | undefined,
  context: ConnectContext,
): Promise<readonly DialledGateway[]> {
  const offer = given === undefined ? null : parseOffer(given)
  if (offer === null) {
    const known = await loadDialledGateways(context.dataDir)
    const meant = given === undefined ? known : known.filter(({ url }) => isSameGateway(url, given))
    if (meant.length > 0) return meant
    const what =
      given === undefined ? 'This host dials no gateway yet.' : `No gateway was connected to at ${given}.`
    throw new Error(
      `${what} On the gateway: trawl hosts invite runtime:NAME. Here: trawl-agent connect OFFER`,
    )
  }
  if (offer.from !== 'gateway')
    throw new Error('That offer is for a gateway, to be used there: trawl hosts add runtime:NAME OFFER')
  const redeemed = await redeemOffer({
    offer,
    name: name ?? hostname(),
    ports,
    clock: context.clock,
    signal: context.signal,
    createId: randomUUID,
  })
  const { url, pin, token, name: executionHostId } = redeemed
  const gateway = { url, pin, token, executionHostId }
  await saveDialledGateway(context.dataDir, gateway)
  context.complain(
    `Paired with ${url}; there this host is ${executionHostId}. From now on: trawl-agent connect`,
  )
  return [gateway]
}

/**
 * Stays until the signal fires, or no gateway is left: each may refuse this host, or be unpaired here.
 * @param methodsFor what a gateway may ask that knows this host by that id.
 * @returns false when none is left.
 */
export async function stayConnected(
  gateways: readonly DialledGateway[],
  methodsFor: (executionHostId: string) => RpcMethods,
  context: ConnectContext,
): Promise<boolean> {
  const { signal, complain } = context
  const links = gateways.map((gateway) => openLink(gateway, methodsFor(gateway.executionHostId), context))
  const stopFollowing = followFile(context, gateways, (gone) => {
    for (const { gateway, end } of links) if (gateway === gone) void end('unpaired here')
  })
  const noneLeft = Promise.all(links.map(({ over }) => over)).then(() => false)
  const told = new Promise<boolean>((resolve) => {
    if (signal.aborted) resolve(true)
    signal.addEventListener('abort', () => resolve(true), { once: true })
  })
  const isWell = await Promise.race([noneLeft, told])
  stopFollowing()
  await Promise.all(links.map(({ end }) => end()))
  if (!isWell) complain('No gateway is left to dial.')
  return isWell
}

interface Link {
  readonly gateway: DialledGateway
  /** Settles when this gateway is not dialled any more. */
  readonly over: Promise<void>
  end(why?: string): Promise<void>
}

function openLink(gateway: DialledGateway, methods: RpcMethods, context: ConnectContext): Link {
  const say = (text: string) => context.complain(`${gateway.url}: ${text}`)
  const link = keepDialledIn({
    ...gateway,
    methods,
    ports,
    clock: context.clock,
    random: () => context.random(),
    createId: randomUUID,
    onFault: context.onFault,
    onChange: (state) => say(sayState(state)),
  })
  let nowOver = () => {}
  const ended = new Promise<void>((resolve) => {
    nowOver = resolve
  })
  return {
    gateway,
    over: Promise.race([link.refused, ended]),
    async end(why) {
      if (why !== undefined) say(why)
      await link[Symbol.asyncDispose]()
      nowOver()
    },
  }
}

/** `trawl-agent unpair` takes a gateway out of the file; its link is to go within a second. */
function followFile(
  { clock, dataDir }: ConnectContext,
  gateways: readonly DialledGateway[],
  onGone: (gateway: DialledGateway) => void,
): () => void {
  const watched = new Set(gateways)
  let stop = () => {}
  let isStopped = false
  const look = async () => {
    const known = await loadDialledGateways(dataDir).catch(() => null)
    for (const gateway of watched) {
      if (known === null || known.some(({ token }) => token === gateway.token)) continue
      watched.delete(gateway)
      onGone(gateway)
    }
    if (!isStopped) lookLater()
  }
  const lookLater = () => {
    stop = clock.after(followEveryMs, () => void look())
  }
  lookLater()
  return () => {
    isStopped = true
    stop()
  }
}

function sayState(state: DialInState): string {
  switch (state.state) {
    case 'ready':
      return 'connected'
    case 'offline':
      return `${state.reason} Tried again in ${Math.ceil(state.retryInMs / 1000)} s.`
    case 'refused':
      return 'it does not know this host any more. Ask there for a new invitation: trawl hosts invite'
  }
}
