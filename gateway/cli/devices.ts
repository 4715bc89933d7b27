/** `trawl devices`: the paired web and mobile clients; and `trawl devices revoke NAME`, which ends one at once. */
import { type DeviceEntry, deviceListSchema, deviceRevokedSchema } from '../../protocol/rpc/devices.ts'
import { plainText } from '../words/plain-text.ts'
import { sayAgo } from '../words/say-time.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { openGatewayClient } from './open-gateway-client.ts'
import { alignColumns } from './text-columns.ts'
import { createTextMeasure } from './text-width.ts'

const command = 'trawl devices'
const header = ['name', 'kind', 'may', 'paired', 'last seen']

export const devices: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('devices'))
  const [word = 'list', name, ...more] = given.words
  if (word === 'revoke' && name !== undefined && more.length === 0) return await revoke(name, context)
  if (word !== 'list' || name !== undefined)
    throw usage('It takes list, or revoke and one name, as in: trawl devices revoke "Pixel 8".', command)
  await using client = await openGatewayClient(context)
  const list = deviceListSchema.parse(await client.call('devices.list', {}, context.signal))
  const { stdout, stderr, clock } = context
  if (given.isSet('json')) stdout.write(`${JSON.stringify({ schemaVersion: 1, ...list })}\n`)
  else if (stdout.isTTY === true) stdout.write(renderDevices(list.devices, clock.now()))
  else for (const device of list.devices) stdout.write(`${fields(device).join('\t')}\n`)
  if (list.devices.length === 0 && !given.isSet('json'))
    stderr.write('No web or mobile client is paired. Pair one: trawl pair\n')
  return exitCodes.done
}

async function revoke(name: string, context: CommandContext): Promise<number> {
  await using client = await openGatewayClient(context)
  const gone = deviceRevokedSchema.parse(await client.call('devices.revoke', { name }, context.signal))
  const closed = gone.closedConnections
  context.stderr.write(
    `${plainText(gone.name)} is not paired any more.${closed === 0 ? '' : ` Closed: ${closed} ${closed === 1 ? 'connection' : 'connections'}.`}\n`,
  )
  return exitCodes.done
}

function fields({ name, kind, exposure, may, createdAt, lastSeenAt }: DeviceEntry): string[] {
  const iso = (timeMs: number | null) => (timeMs === null ? '' : new Date(timeMs).toISOString())
  return [plainText(name), kind, exposure, may.join(','), iso(createdAt), iso(lastSeenAt)]
}

function renderDevices(list: readonly DeviceEntry[], nowMs: number): string {
  if (list.length === 0) return ''
  const rows = list.map(({ name, kind, may, createdAt, lastSeenAt, connections }) => [
    plainText(name),
    kind,
    may.join(', '),
    sayAgo(createdAt, nowMs),
    connections > 0 ? 'connected' : lastSeenAt === null ? 'never' : sayAgo(lastSeenAt, nowMs),
  ])
  return `${alignColumns([header, ...rows], createTextMeasure()).join('\n')}\n`
}
