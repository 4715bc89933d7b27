/** `trawl hosts add ssh:TARGET`: checks the host, shows what it found, then saves it. */
import { resolve } from 'node:path'
import { parseHostId } from '../../protocol/host-id.ts'
import { openConfigStore } from '../config-store.ts'
import type { HostEntry } from '../config-write.ts'
import { plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import { checkHost } from './check-host.ts'
import type { Command } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { saveHost } from './save-host.ts'

const command = 'trawl hosts add'

/** Flag → key of the entry. */
const entryFlags = {
  label: 'label',
  client: 'ssh.client',
  install: 'ssh.install',
  'agent-command': 'ssh.agentCommand',
  'config-file': 'ssh.configFile',
} as const

export const hostsAdd: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('hosts add', 'ssh'))
  const [word, ...more] = given.words
  if (word === undefined || more.length > 0)
    throw usage('It takes one host, as in: trawl hosts add ssh:devbox.', command)
  const settings = Object.entries(entryFlags).flatMap(([flag, key]) => {
    const value = given.text(flag)
    if (value === undefined) return []
    // What is relative here is so to where the command was given, and in the file to the file.
    const isPath = flag === 'config-file' && !value.startsWith('~')
    return [[key, isPath ? resolve(context.cwd, value) : value] as const]
  })
  const entry: HostEntry = { id: idOf(word), ...Object.fromEntries(settings) }
  const host = openConfigStore(context).try(entry)
  if (host.kind !== 'ssh') throw new Error('the entry was read as another kind of host')
  if (!given.isSet('no-check')) {
    const { failure } = await checkHost(host, context, (line) => void context.stdout.write(line))
    if (failure !== null) {
      context.stderr.write(
        `Not saved. To save it all the same: trawl hosts add ${plainText(word)} --no-check\n`,
      )
      return exitCodes.error
    }
  }
  context.stdout.write(`${entry.id} ${await saveHost(entry, context)}\n`)
  return exitCodes.done
}

function idOf(word: string): string {
  const parsed = parseHostId(word)
  if (parsed?.kind === 'ssh') return parsed.id
  const shown = plainText(word)
  const hint =
    /^[\w.@[\]-]+(:\d+)?$/.test(shown) && !shown.startsWith('-') ? ` Did you mean ssh:${shown}?` : ''
  throw usage(`${shown} is no host id; write ssh:<alias> or ssh:<user>@<host>:<port>.${hint}`, command)
}
