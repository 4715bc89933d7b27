/**
 * `trawl pair`: lets a web or mobile client in. The client redeems a short code, both sides show the same six digits, and
 * the person here compares them and says what the client may do.
 */
import { renderUnicodeCompact } from 'uqr'
import {
  type DeviceOffer,
  type DeviceRequest,
  deviceDecidedSchema,
  deviceOfferSchema,
  deviceOfferStateSchema,
} from '../../protocol/rpc/devices.ts'
import { type DeviceRight, deviceRights } from '../../protocol/rpc/rights.ts'
import { Refusal } from '../refusal.ts'
import { plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import type { Ask } from './ask-terminal.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import type { GatewayClient } from './gateway-client.ts'
import { openGatewayClient } from './open-gateway-client.ts'

const command = 'trawl pair'
const usualRights: readonly DeviceRight[] = ['search', 'read']

const endings = {
  expired: 'The five minutes are over. For a new code: trawl pair',
  'wrong-codes':
    'Too many wrong codes came, and this one is closed. If that was not you, somebody guesses. For a new code: trawl pair',
  left: 'The client went away before it was confirmed. For a new code: trawl pair',
  decided: 'It was decided elsewhere.',
} as const

export const pair: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('pair'))
  if (given.words.length > 0) throw usage('It takes no words.', command)
  const may = readRights(given.text('may'))
  const { ask, stderr, signal } = context
  if (ask === undefined)
    throw new Refusal(
      'usage',
      'The six digits have to be compared by a person: run trawl pair on a terminal.',
    )
  await using client = await openGatewayClient(context)
  if (client.isFresh)
    throw new Refusal(
      'gateway-unreachable',
      'No gateway runs here, and a client needs one to come to. Start it: trawl serve',
    )
  const url = given.text('url')
  const offer = deviceOfferSchema.parse(
    await client.call('devices.offer', url === undefined ? {} : { url }, signal),
  )
  showOffer(offer, context)
  const request = await awaitRequest(client, offer.offerId, signal)
  if (typeof request === 'string') {
    stderr.write(`${request}\n`)
    return exitCodes.error
  }
  const rights = await confirm(request, may, ask, context)
  const name = given.text('name')
  const decision = { offerId: offer.offerId, may: rights, ...(name === undefined ? {} : { name }) }
  const { device } = deviceDecidedSchema.parse(await client.call('devices.decide', decision, signal))
  if (device === null) {
    stderr.write('Sent away. Nothing was given to it.\n')
    return exitCodes.error
  }
  stderr.write(
    `${plainText(device.name)} is paired, and may ${device.may.join(', ')}. End it: trawl devices revoke ${JSON.stringify(device.name)}\n`,
  )
  return exitCodes.done
}

function showOffer({ code, links, isReachable }: DeviceOffer, { stderr }: CommandContext): void {
  const [link = ''] = links
  if (stderr.isTTY === true) stderr.write(`${renderUnicodeCompact(link, { ecc: 'L' })}\n`)
  stderr.write(
    `Scan, or open there: ${link}\nWhere a code is asked for: ${code}. Good once, for five minutes.\n`,
  )
  const others = links.slice(1).map((other) => other.split('#')[0])
  if (others.length > 0) stderr.write(`It may be found at ${others.join(', ')} too.\n`)
  if (!isReachable)
    stderr.write(
      'Only this machine can reach it. For others: trawl serve --listen 0.0.0.0:7717, or a proxy whose address is in publicUrls.\n',
    )
}

/** @returns what the client says of itself, or the sentence that ends the wait. */
async function awaitRequest(
  client: GatewayClient,
  offerId: string,
  signal: AbortSignal,
): Promise<DeviceRequest | string> {
  for (;;) {
    const state = deviceOfferStateSchema.parse(
      await client.call('devices.await', { offerId, seen: 'open' }, signal),
    )
    if (state.state === 'asking') return state.request
    if (state.state === 'ended') return endings[state.reason]
  }
}

/** @returns null where the person says no, or says nothing. */
async function confirm(
  { name, kind, digits }: DeviceRequest,
  may: readonly DeviceRight[] | null,
  ask: Ask,
  { stderr, signal }: CommandContext,
): Promise<readonly DeviceRight[] | null> {
  const shown = `${digits.slice(0, 3)} ${digits.slice(3)}`
  stderr.write(`\n${plainText(name)} (${kind}) asks to be paired. Its screen must show  ${shown}\n`)
  const same = await ask('Does it show the same? [y/N] ', signal)
  if (!/^y(es)?$/i.test(same ?? '')) return null
  for (;;) {
    if (may !== null) return may
    const answer = await ask(
      `What may it do? ${deviceRights.join(', ')} [${usualRights.join(', ')}] `,
      signal,
    )
    if (answer === null) return null
    const rights = answer === '' ? usualRights : parseRights(answer)
    if (rights !== null) return rights
    stderr.write(`Name some of: ${deviceRights.join(', ')}.\n`)
  }
}

function readRights(text: string | undefined): readonly DeviceRight[] | null {
  if (text === undefined) return null
  const rights = parseRights(text)
  if (rights === null) throw usage(`--may takes some of ${deviceRights.join(', ')}.`, command)
  return rights
}

function parseRights(text: string): DeviceRight[] | null {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  const rights = deviceRights.filter((right) => words.includes(right))
  return rights.length > 0 && words.every((word) => rights.some((right) => right === word)) ? rights : null
}
