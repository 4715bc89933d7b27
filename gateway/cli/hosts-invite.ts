/** `trawl hosts invite runtime:NAME`: an offer for the agent of a host that this gateway cannot dial. */
import { renderUnicodeCompact } from 'uqr'
import { parseHostId } from '../../protocol/host-id.ts'
import { hostInvitationSchema } from '../../protocol/rpc/describe.ts'
import { Refusal } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { openGatewayClient } from './open-gateway-client.ts'

const command = 'trawl hosts invite'

export const hostsInvite: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('hosts invite'))
  const [word = '', ...more] = given.words
  const parsed = parseHostId(word)
  if (parsed?.kind !== 'runtime' || more.length > 0)
    throw usage('It takes one name, as in: trawl hosts invite runtime:laptop.', command)
  await using client = await openGatewayClient(context)
  if (client.isFresh)
    throw new Refusal(
      'gateway-unreachable',
      'No gateway runs here, and only that one can redeem an invitation. Start it: trawl serve',
    )
  const url = given.text('url')
  const params = { executionHostId: parsed.id, ...(url === undefined ? {} : { url }) }
  const invitation = hostInvitationSchema.parse(await client.call('hosts.invite', params, context.signal))

  if (given.isSet('json')) context.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...invitation })}\n`)
  else {
    if (context.stderr.isTTY === true)
      context.stderr.write(`${renderUnicodeCompact(invitation.offer, { ecc: 'L' })}\n`)
    context.stderr.write(
      `Good once, for five minutes, until this gateway ends. Found at: ${invitation.urls.join(', ')}\nOn that host: trawl-agent connect OFFER\n\n`,
    )
    context.stdout.write(`${invitation.offer}\n`)
  }
  return exitCodes.done
}
