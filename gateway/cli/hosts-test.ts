/** `trawl hosts test ID`: goes the whole way to a host, each step with its time, on a connection of its own where it can. */
import { configFilePath } from '../../protocol/places.ts'
import { loadConfig } from '../config.ts'
import type { HostConfig } from '../config-hosts.ts'
import { unknownHost } from '../config-store.ts'
import { Refusal } from '../refusal.ts'
import { plainText } from '../words/plain-text.ts'
import { readArguments, usage } from './arguments.ts'
import { checkArrival } from './check-arrival.ts'
import { checkHost } from './check-host.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'

const command = 'trawl hosts test'

export const hostsTest: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('hosts test'))
  const [id, ...more] = given.words
  if (id === undefined || more.length > 0)
    throw usage('It takes one host id, as in: trawl hosts test ssh:devbox.', command)
  const isJson = given.isSet('json')
  const onLine = (line: string) => {
    if (!isJson) context.stdout.write(line)
  }
  const host = findHost(id, context)
  const { steps, failure } =
    host !== 'local' && host.kind === 'runtime-dials-in'
      ? await checkArrival(host, context, onLine)
      : await checkHost(host, context, onLine)
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

/** @throws Refusal `usage` where there is no such host, `configuration` where it is set aside. */
function findHost(id: string, context: CommandContext): 'local' | HostConfig {
  if (id === 'local') return id
  const { hosts, quarantined } = loadConfig(context)
  const refused = quarantined.find((host) => host.id === id)
  if (refused !== undefined)
    throw new Refusal('configuration', `${plainText(id)} is set aside. ${refused.reason}`)
  const host = hosts.find((one) => one.id === id)
  if (host !== undefined) return host
  const known = [...hosts, ...quarantined].map((one) => one.id)
  throw unknownHost(plainText(id), ['local', ...known], configFilePath(context))
}
