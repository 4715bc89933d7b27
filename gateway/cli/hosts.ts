/** `trawl hosts`: every configured machine, connected or not; and the words that add, remove and test one. */
import { parseHostId } from '../../protocol/host-id.ts'
import { hostListSchema } from '../../protocol/rpc/describe.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { renderHostLines, renderHostTable } from './render-hosts.ts'
import { createTextMeasure } from './text-width.ts'
import { untilAborted } from './until-aborted.ts'

const command = 'trawl hosts'

const words: Readonly<Record<string, () => Promise<Command>>> = {
  add: async () => async (args, context) =>
    args.some((word) => parseHostId(word)?.kind === 'runtime')
      ? await (await import('./hosts-add-runtime.ts')).hostsAddRuntime(args, context)
      : await (await import('./hosts-add.ts')).hostsAdd(args, context),
  invite: async () => (await import('./hosts-invite.ts')).hostsInvite,
  remove: async () => (await import('./hosts-remove.ts')).hostsRemove,
  test: async () => (await import('./hosts-test.ts')).hostsTest,
}

export const hosts: Command = async (args, context) => {
  const [word = '', ...rest] = args
  const load = Object.hasOwn(words, word) ? words[word] : undefined
  if (load !== undefined) return await (await load())(rest, context)
  const given = readArguments(args, command, flagsOf('hosts'))
  if (given.words.length > 0) throw usage('It takes no words but add, invite, remove and test.', command)
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
