/** `trawl hosts add runtime:NAME OFFER`: redeems the offer over a link whose key it names, and saves the host. */
import { mkdir } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { parseHostId } from '../../protocol/host-id.ts'
import { type PairingOffer, parseOffer } from '../../protocol/link/offer.ts'
import { redeemOffer } from '../../protocol/link/redeem-offer.ts'
import { TrawlError } from '../../protocol/rpc/errors.ts'
import { writePrivateFile } from '../access/private-file.ts'
import { type ConfigStore, openConfigStore, tokenFileName } from '../config-store.ts'
import type { HostEntry } from '../config-write.ts'
import { dialPorts } from '../hosts/runtime.ts'
import { Refusal } from '../refusal.ts'
import { plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import { checkHost } from './check-host.ts'
import type { Command } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { saveHost } from './save-host.ts'

const command = 'trawl hosts add'

export const hostsAddRuntime: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('hosts add', 'runtime'))
  const [word = '', offerText, ...more] = given.words
  const parsed = parseHostId(word)
  if (parsed?.kind !== 'runtime' || offerText === undefined || more.length > 0)
    throw usage('It takes a name and the offer that trawl-agent pair printed on that host.', command)
  const offer = parseOffer(offerText)
  if (offer === null)
    throw usage('That is no whole offer. Copy it again, or make one: trawl-agent pair.', command)
  if (offer.from !== 'host')
    throw usage('That offer is for a host, to be used there: trawl-agent connect OFFER.', command)

  const store = openConfigStore(context)
  const { file } = store
  const label = given.text('label')
  const entryFor = (url: string): HostEntry => ({
    id: parsed.id,
    ...(label === undefined ? {} : { label }),
    url,
    pin: offer.pin,
    tokenFile: tokenFileName(parsed.environmentId),
  })
  // An offer is good once: whatever could keep the host from being saved is found before.
  const tokenFile = join(dirname(file), tokenFileName(parsed.environmentId))
  refuseTaken(parsed.id, store)
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
  await writePrivateFile(tokenFile, `${redeemed.token}\n`)
  const entry = entryFor(redeemed.url)
  const host = store.try(entry)
  const saved = await saveHost(entry, context)
  context.stdout.write(
    `${parsed.id} is paired (${redeemed.url}, key ${offer.pin}; there this gateway is ${plainText(redeemed.name)}).\n`,
  )
  if (host.kind !== 'runtime-dialled') throw new Error('the entry was read as another kind of host')
  const { failure } = await checkHost(host, context, (line) => void context.stdout.write(line))
  context.stdout.write(`${parsed.id} ${saved}\n`)
  if (failure === null) return exitCodes.done
  context.stderr.write(
    `It is paired and saved, and could not be asked yet. Once that is mended: trawl hosts test ${plainText(parsed.id)}\n`,
  )
  return exitCodes.error
}

function sayUnreachable(error: unknown, { urls }: PairingOffer): unknown {
  if (!(error instanceof TrawlError) || error.code !== 'unreachable') return error
  return new Refusal(
    'gateway-unreachable',
    `The host was not found at ${urls.join(', ')}: ${plainText(error.message)} If it has another address for this machine: trawl-agent pair --url wss://HOST:PORT`,
    error,
  )
}

/** Found before the offer is spent: it is good once. @throws Refusal `usage`, `configuration`. */
function refuseTaken(id: string, { file, has, try: tryEntry }: ConfigStore): void {
  if (has(id))
    throw new Refusal(
      'usage',
      `${plainText(id)} is in ${file} already. To pair with it anew: trawl hosts remove ${plainText(id)}, and this command again.`,
    )
  // Any entry will do to see whether one can be added.
  tryEntry({ id, dialsIn: true })
}
