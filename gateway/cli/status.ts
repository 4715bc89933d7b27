/** `trawl status`: what one host's indexer knows of its index, once or for as long as somebody watches. */
import { type SearchStatus, searchStatusSchema } from '../../protocol/session-search/status.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { renderStatus } from './render-status.ts'
import { createWatchScreen } from './watch-screen.ts'

const command = 'trawl status'
const watchIntervalMs = 500

export const status: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('status'))
  if (given.words.length > 0) throw usage('It takes no words; name a host with --host.', command)
  const executionHostId = given.text('host') ?? 'local'
  await using client = await openGatewayClient(context)
  const ask = async () =>
    searchStatusSchema.parse(await client.call('aiVault.searchStatus', { executionHostId }, context.signal))
  const say = (answer: SearchStatus) =>
    given.isSet('json')
      ? `${JSON.stringify({ schemaVersion: 1, executionHostId, status: answer })}\n`
      : renderStatus(executionHostId, answer, context.clock.now())
  if (given.isSet('watch')) await watch(async () => say(await ask()), given.isSet('json'), context)
  else context.stdout.write(say(await ask()))
  return exitCodes.done
}

/** Until Ctrl-C, which is how watching ends. @throws what asking throws. */
async function watch(
  ask: () => Promise<string>,
  asLines: boolean,
  { clock, signal, stdout }: CommandContext,
): Promise<void> {
  const screen = createWatchScreen(asLines ? { write: (text) => stdout.write(text) } : stdout)
  while (!signal.aborted) {
    try {
      screen.show(await ask())
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    await new Promise<void>((resolve) => {
      const callOff = clock.after(watchIntervalMs, () => {
        signal.removeEventListener('abort', leave)
        resolve()
      })
      const leave = () => {
        callOff()
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
    })
  }
}
