/** `trawl status`: what one host's indexer knows of its index. */
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { statusHelp } from './help.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { renderStatus } from './render-status.ts'

const command = 'trawl status'

export const status: Command = async (args, context) => {
  const given = readArguments(args, command, { host: { kind: 'text' }, json: { kind: 'switch' } })
  if (given.isSet('help')) {
    context.stdout.write(statusHelp)
    return exitCodes.done
  }
  if (given.words.length > 0) throw usage('It takes no words; name a host with --host.', command)
  const executionHostId = given.text('host') ?? 'local'
  await using client = await openGatewayClient(context)
  const answer = searchStatusSchema.parse(
    await client.call('aiVault.searchStatus', { executionHostId }, context.signal),
  )
  context.stdout.write(
    given.isSet('json')
      ? `${JSON.stringify({ schemaVersion: 1, executionHostId, status: answer })}\n`
      : renderStatus(executionHostId, answer, context.clock.now()),
  )
  return exitCodes.done
}
