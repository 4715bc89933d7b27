/** `trawl-agent pair`, `pairs` and `unpair`: spoken to the agent that listens, through its control socket. */
import { randomUUID } from 'node:crypto'
import { renderUnicodeCompact } from 'uqr'
import type { Clock } from '../../protocol/clock.ts'
import type { RpcConnection } from '../../protocol/rpc/connection.ts'
import { connectControl } from '../serve/control-socket.ts'
import { forgetDialledGateway, loadDialledGateways } from '../serve/dialled-gateways.ts'
import { loadPairedGateways } from '../serve/paired-gateways.ts'
import { offerAnswerSchema, pairsAnswerSchema, revokeAnswerSchema } from './pairing-desk.ts'

const controlTimeoutMs = 5_000

export interface PairContext {
  readonly dataDir: string
  readonly clock: Clock
  /** For scripts: the offer alone goes to stdout, all else to stderr. */
  print(text: string): void
  complain(text: string): void
  readonly isTerminal: boolean
}

/** @param url where gateways find this machine, if it cannot tell itself. */
export async function makeOffer(context: PairContext, url: string | undefined): Promise<number> {
  await using connection = await control(context)
  if (connection === null)
    throw new Error(
      'No agent listens here, and only that one can redeem an offer. Start it: trawl-agent listen --listen 0.0.0.0:7718',
    )
  const answer = await connection.call('pairing.offer', url === undefined ? {} : { url }, {
    timeoutMs: controlTimeoutMs,
  })
  const { offer, urls } = offerAnswerSchema.parse(answer)
  if (context.isTerminal) context.complain(renderUnicodeCompact(offer, { ecc: 'L' }))
  context.complain(
    `Good once, for five minutes, until this agent ends. Found at: ${urls.join(', ')}\nOn the gateway's machine: trawl hosts add runtime:NAME OFFER\n`,
  )
  context.print(`${offer}\n`)
  return 0
}

/** The gateways that may dial this host, and those that it dials. */
export async function showPairs(context: PairContext, asJson: boolean): Promise<number> {
  await using connection = await control(context)
  const pairs =
    connection === null
      ? (await loadPairedGateways(context.dataDir, context.clock)).list()
      : pairsAnswerSchema.parse(await connection.call('pairing.list', {}, { timeoutMs: controlTimeoutMs }))
          .pairs
  const dialled = (await loadDialledGateways(context.dataDir)).map(({ url, executionHostId }) => ({
    url,
    executionHostId,
  }))
  if (asJson) {
    context.print(`${JSON.stringify({ schemaVersion: 1, pairs, dialled })}\n`)
    return 0
  }
  for (const { name, createdAt, lastSeenAt } of pairs)
    context.print(
      `${name}\tpaired ${iso(createdAt)}\t${lastSeenAt === null ? 'never seen' : `seen ${iso(lastSeenAt)}`}\n`,
    )
  for (const { url, executionHostId } of dialled)
    context.print(`${url}\tdialled from here\tas ${executionHostId}\n`)
  if (pairs.length + dialled.length === 0)
    context.complain('No gateway is paired with this host. Pair one: trawl-agent pair')
  return 0
}

/**
 * Ends a pairing, and within a second the links it has.
 * @param which a name of `pairs`, or the address of a gateway that is dialled from here.
 */
export async function unpair(context: PairContext, which: string): Promise<number> {
  const isEnded = (await forgetDialledGateway(context.dataDir, which)) || (await revoke(context, which))
  if (!isEnded) throw new Error(`No gateway is paired as ${which}. Those there are: trawl-agent pairs`)
  context.complain(`${which} is unpaired.`)
  return 0
}

async function revoke(context: PairContext, name: string): Promise<boolean> {
  await using connection = await control(context)
  if (connection === null)
    return await (await loadPairedGateways(context.dataDir, context.clock)).revoke(name)
  const answer = await connection.call('pairing.revoke', { name }, { timeoutMs: controlTimeoutMs })
  return revokeAnswerSchema.parse(answer).revoked
}

function control({ dataDir, clock }: PairContext): Promise<RpcConnection | null> {
  return connectControl(dataDir, { clock, createId: randomUUID })
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
