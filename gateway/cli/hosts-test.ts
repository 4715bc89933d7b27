/** `trawl hosts test ID`: goes the whole way to an SSH host, each step with its time, on a connection of its own. */
import { configFilePath } from '../../protocol/places.ts'
import { loadConfig } from '../config.ts'
import { Refusal } from '../refusal.ts'
import { readArguments, usage } from './arguments.ts'
import { checkHost } from './check-host.ts'
import type { Command } from './command-context.ts'
import { exitCodes } from './exit-codes.ts'
import { hostsHelp } from './help.ts'
import { unknownHost } from './hosts-remove.ts'
import { plainText } from './plain-text.ts'

const command = 'trawl hosts'

export const hostsTest: Command = async (args, context) => {
  const given = readArguments(args, command, { json: { kind: 'switch' } })
  if (given.isSet('help')) {
    context.stdout.write(hostsHelp)
    return exitCodes.done
  }
  const [id, ...more] = given.words
  if (id === undefined || more.length > 0)
    throw usage('It takes one host id, as in: trawl hosts test ssh:devbox.', command)
  const place = { env: context.env, homeDir: context.homeDir }
  const { hosts, quarantined } = loadConfig(place)
  const refused = quarantined.find((host) => host.id === id)
  if (refused !== undefined)
    throw new Refusal('configuration', `${plainText(id)} is set aside. ${refused.reason}`)
  const host = hosts.find((one) => one.id === id)
  if (host === undefined)
    throw unknownHost(
      id,
      [...hosts, ...quarantined].map((one) => one.id),
      configFilePath(place),
    )
  if (host.kind !== 'ssh')
    throw usage('Only SSH hosts are tested step by step; of others see: trawl hosts.', command)
  const isJson = given.isSet('json')
  const { steps, failure } = await checkHost(host, context, (line) => {
    if (!isJson) context.stdout.write(line)
  })
  if (isJson) {
    const failed =
      failure === null
        ? null
        : {
            step: failure.step,
            tookMs: Math.round(failure.tookMs),
            reason: failure.error.details.reason ?? failure.error.code,
            message: failure.error.message,
          }
    const told = steps.map(({ name, tookMs, found }) => ({ step: name, tookMs: Math.round(tookMs), found }))
    context.stdout.write(
      `${JSON.stringify({ schemaVersion: 1, executionHostId: id, steps: told, failed })}\n`,
    )
  }
  return failure === null ? exitCodes.done : exitCodes.error
}
