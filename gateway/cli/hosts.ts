/** `trawl hosts`: every configured machine, connected or not. */
import { hostListSchema } from '../../protocol/rpc/describe.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { hostsHelp } from './help.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { renderHostLines, renderHostTable } from './render-hosts.ts'
import { createTextMeasure } from './text-width.ts'
import { untilAborted } from './until-aborted.ts'

const command = 'trawl hosts'

export const hosts: Command = async (args, context) => {
  const given = readArguments(args, command, { json: { kind: 'switch' } })
  if (given.isSet('help')) {
    context.stdout.write(hostsHelp)
    return exitCodes.done
  }
  if (given.words.length > 0) throw usage('It takes no words.', command)
  await using client = await openGatewayClient(context)
  await Promise.race([client.settled(), untilAborted(context.signal)])
  const list = hostListSchema.parse(await client.call('hosts.list', {}, context.signal))
  const nowMs = context.clock.now()
  if (given.isSet('json')) context.stdout.write(`${JSON.stringify({ schemaVersion: 1, ...list })}\n`)
  else if (context.stdout.isTTY === true)
    context.stdout.write(renderHostTable(list.hosts, nowMs, createTextMeasure()))
  else context.stdout.write(renderHostLines(list.hosts, nowMs))
  return exitCodes.done
}
