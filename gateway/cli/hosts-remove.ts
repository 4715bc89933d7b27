/** `trawl hosts remove ID`: takes the host's entry out of the configuration, and leaves all else as it is. */
import { readFileSync } from 'node:fs'
import { configFilePath } from '../../protocol/places.ts'
import { loadConfig } from '../config.ts'
import { removeHostEntry, writeConfigFile } from '../config-write.ts'
import { nearestWord } from '../nearest-word.ts'
import { Refusal } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { hostsHelp } from './help.ts'
import { plainText } from './plain-text.ts'

const command = 'trawl hosts'

export const hostsRemove: Command = async (args, context) => {
  const given = readArguments(args, command, {})
  if (given.isSet('help')) {
    context.stdout.write(hostsHelp)
    return exitCodes.done
  }
  const [id, ...more] = given.words
  if (id === undefined || more.length > 0)
    throw usage('It takes one host id, as in: trawl hosts remove ssh:devbox.', command)
  const place = { env: context.env, homeDir: context.homeDir }
  const file = configFilePath(place)
  const { file: found, hosts, quarantined } = loadConfig(place)
  const edited = found === null ? null : removeHostEntry(readFileSync(file, 'utf8'), id, file)
  if (edited === null)
    throw unknownHost(
      id,
      [...hosts, ...quarantined].map((host) => host.id),
      file,
    )
  writeConfigFile(file, edited)
  context.stdout.write(
    `${plainText(id)} is out of ${file}. A gateway that runs already keeps it until it is started again.\n`,
  )
  return exitCodes.done
}

/** @param known the ids there are. */
export function unknownHost(id: string, known: readonly string[], file: string): Refusal {
  const nearest = nearestWord(id, known)
  const hint = nearest === null ? ' Those there are: trawl hosts' : ` Did you mean ${plainText(nearest)}?`
  return new Refusal('usage', `There is no host ${plainText(id)} in ${file}.${hint}`)
}
