/** `trawl hosts remove ID`: takes the host's entry out of the configuration, ends its pairing, and leaves all else as it is. */

import { plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { removeHost } from './save-host.ts'

const command = 'trawl hosts remove'

export const hostsRemove: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('hosts remove'))
  const [id, ...more] = given.words
  if (id === undefined || more.length > 0)
    throw usage('It takes one host id, as in: trawl hosts remove ssh:devbox.', command)
  const { file, pairing, isGatewayRunning } = await removeHost(id, context)
  const shown = plainText(id)
  context.stdout.write(
    `${shown} is out of ${file}${isGatewayRunning ? ', and the gateway that runs has let it go' : ''}.\n`,
  )
  if (pairing === 'ended') context.stdout.write('Its pairing is ended on both sides.\n')
  if (pairing === 'not-told')
    context.stderr.write(
      `${shown} could not be told, and still knows this gateway's token, which is deleted here. On that host: trawl-agent pairs, then trawl-agent unpair NAME\n`,
    )
  return exitCodes.done
}
