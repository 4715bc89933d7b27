/** `trawl hosts add ssh:TARGET`: checks the host, shows what it found, then saves it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseHostId } from '../../protocol/host-id.ts'
import { configFilePath } from '../../protocol/places.ts'
import { parseConfig } from '../config.ts'
import type { SshHostConfig } from '../config-hosts.ts'
import { addHostEntry, type HostEntry, writeConfigFile } from '../config-write.ts'
import { Refusal, systemCode } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import { checkHost } from './check-host.ts'
import type { Command } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { hostsHelp } from './help.ts'
import { plainText } from './plain-text.ts'

const command = 'trawl hosts'

/** Flag → key of the entry. */
const entryFlags = {
  label: 'label',
  client: 'ssh.client',
  install: 'ssh.install',
  'agent-command': 'ssh.agentCommand',
  'config-file': 'ssh.configFile',
} as const

export const hostsAdd: Command = async (args, context) => {
  const given = readArguments(args, command, {
    ...Object.fromEntries(Object.keys(entryFlags).map((flag) => [flag, { kind: 'text' as const }])),
    'no-check': { kind: 'switch' },
  })
  if (given.isSet('help')) {
    context.stdout.write(hostsHelp)
    return exitCodes.done
  }
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
  const place = { env: context.env, homeDir: context.homeDir }
  const file = configFilePath(place)
  const text = readOrEmpty(file)
  const edited = addHostEntry(text, entry, file)
  const host = readBack(edited, text, entry, { file, homeDir: context.homeDir })
  if (!given.isSet('no-check')) {
    const { failure } = await checkHost(host, context, (line) => void context.stdout.write(line))
    if (failure !== null) {
      context.stderr.write(
        `Not saved. To save it all the same: trawl hosts add ${plainText(word)} --no-check\n`,
      )
      return exitCodes.error
    }
  }
  // Anybody may have saved it while it was checked.
  writeConfigFile(file, addHostEntry(unchangedOr(readOrEmpty(file), text, file), entry, file))
  context.stdout.write(
    `${entry.id} is in ${file}. A gateway that runs already takes it up when it is started again.\n`,
  )
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

/** The entry as the gateway will read it; a value that is not allowed is refused in the words of the configuration. */
function readBack(
  edited: string,
  text: string,
  { id }: HostEntry,
  { file, homeDir }: { readonly file: string; readonly homeDir: string },
): SshHostConfig {
  const read = (source: string) =>
    parseConfig(source, { file, homeDir, isOpenToOthers: false, isThere: true })
  const before = read(text)
  if (before.hosts.some((host) => host.id === id) || before.quarantined.some((host) => host.id === id))
    throw new Refusal('usage', `${id} is in ${file} already. Test it: trawl hosts test ${id}`)
  const { hosts, quarantined } = read(edited)
  const refused = quarantined.find((host) => host.id === id)
  if (refused !== undefined) throw usage(`${plainText(id)} cannot be added. ${refused.reason}`, command)
  const host = hosts.find((one) => one.id === id)
  if (host?.kind !== 'ssh') throw new Error('the entry was not read back')
  return host
}

function unchangedOr(now: string, before: string, file: string): string {
  if (now === before) return now
  throw new Refusal('configuration', `${file} was changed while the host was checked. Run the command again.`)
}

function readOrEmpty(file: string): string {
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
