/** `trawl hosts add runtime:NAME OFFER`: redeems the offer over a link whose key it names, and saves the host. */
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { parseHostId } from '../../protocol/host-id.ts'
import { type PairingOffer, parseOffer } from '../../protocol/link/offer.ts'
import { redeemOffer } from '../../protocol/link/redeem-offer.ts'
import { configFilePath } from '../../protocol/places.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { writePrivateFile } from '../access/private-file.ts'
import { parseConfig } from '../config.ts'
import { addHostEntry, type HostEntry, writeConfigFile } from '../config-write.ts'
import { dialPorts } from '../hosts/runtime.ts'
import { Refusal, systemCode } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { hostsHelp } from './help.ts'
import { plainText } from './plain-text.ts'

const command = 'trawl hosts'

export const hostsAddRuntime: Command = async (args, context) => {
  const given = readArguments(args, command, { label: { kind: 'text' }, name: { kind: 'text' } })
  if (given.isSet('help')) {
    context.stdout.write(hostsHelp)
    return exitCodes.done
  }
  const [word = '', offerText, ...more] = given.words
  const parsed = parseHostId(word)
  if (parsed?.kind !== 'runtime' || offerText === undefined || more.length > 0)
    throw usage('It takes a name and the offer that trawl-agent pair printed on that host.', command)
  const offer = parseOffer(offerText)
  if (offer === null)
    throw usage('That is no whole offer. Copy it again, or make one: trawl-agent pair.', command)
  if (offer.from !== 'host')
    throw usage('That offer is for a host, to be used there: trawl-agent connect OFFER.', command)

  const { env, homeDir } = context
  const file = configFilePath({ env, homeDir })
  const label = given.text('label')
  const entryFor = (url: string): HostEntry => ({
    id: parsed.id,
    ...(label === undefined ? {} : { label }),
    url,
    pin: offer.pin,
    tokenFile: tokenFileName(parsed.environmentId),
  })
  // An offer is good once: whatever could keep the host from being saved is found before.
  const text = readOrEmpty(file)
  refuseTaken(parsed.id, text, { file, homeDir })
  addHostEntry(text, entryFor(offer.urls[0] ?? ''), file)

  const redeemed = await redeemOffer({
    offer,
    name: given.text('name') ?? hostname(),
    ports: dialPorts,
    clock: context.clock,
    signal: context.signal,
    createId: () => context.createId(),
  }).catch((error: unknown) => {
    throw sayUnreachable(error, offer)
  })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writePrivateFile(join(dirname(file), tokenFileName(parsed.environmentId)), `${redeemed.token}\n`)
  writeConfigFile(file, addHostEntry(readOrEmpty(file), entryFor(redeemed.url), file))
  context.stdout.write(
    `${parsed.id} is paired (${redeemed.url}, key ${offer.pin}; there this gateway is ${plainText(redeemed.name)}) and in ${file}. A gateway that runs already takes it up when it is started again.\n`,
  )
  return exitCodes.done
}

function sayUnreachable(error: unknown, { urls }: PairingOffer): unknown {
  if (!(error instanceof TrawlError) || error.code !== 'unreachable') return error
  return new Refusal(
    'gateway-unreachable',
    `The host was not found at ${urls.join(', ')}: ${plainText(error.message)} If it has another address for this machine: trawl-agent pair --url wss://HOST:PORT`,
    error,
  )
}

/** Beside the configuration, which names it. Percent-encoded: a name may hold what a file's may not. */
function tokenFileName(environmentId: string): string {
  return `${encodeURIComponent(environmentId).slice(0, 180)}.token`
}

function refuseTaken(id: string, text: string, place: { file: string; homeDir: string }): void {
  const { hosts, quarantined } = parseConfig(text, { ...place, isOpenToOthers: false, isThere: true })
  if (![...hosts, ...quarantined].some((host) => host.id === id)) return
  throw new Refusal(
    'usage',
    `${plainText(id)} is in ${place.file} already. To pair with it anew: trawl hosts remove ${plainText(id)}, and this command again.`,
  )
}

/** @throws Refusal `configuration`. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return ''
    throw new Refusal(
      'configuration',
      `${file} cannot be read (${systemCode(error) ?? 'unknown error'}).`,
      error,
    )
  }
}
