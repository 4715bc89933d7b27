/**
 * Saves and removes a host: through the gateway that runs, which takes it up or gives it up at once, and in the
 * configuration alone where none does.
 */
import { type HostRemoved, hostAddedSchema, hostRemovedSchema } from '../../protocol/rpc/describe.ts'
import { openConfigStore } from '../config-store.ts'
import type { HostEntry } from '../config-write.ts'
import { leavePairing } from '../leave-pairing.ts'
import type { CommandContext } from './command-context.ts'
import { runningGateway } from './open-gateway-client.ts'

/** @returns where it was saved, as the rest of a sentence that begins with the host. */
export async function saveHost(entry: HostEntry, context: CommandContext): Promise<string> {
  await using gateway = await runningGateway(context)
  if (gateway === null) {
    const store = openConfigStore(context)
    store.add(entry)
    return `is in ${store.file}.`
  }
  const host = nested(entry)
  const { file, note } = hostAddedSchema.parse(await gateway.call('hosts.add', { host }, context.signal))
  return note === undefined
    ? `is in ${file}, and the gateway that runs connects to it now.`
    : `is in ${file}. ${note}.`
}

/** @throws Refusal, TrawlError for a host that is not there. */
export async function removeHost(
  id: string,
  context: CommandContext,
): Promise<HostRemoved & { readonly isGatewayRunning: boolean }> {
  await using gateway = await runningGateway(context)
  if (gateway !== null) {
    const answer = await gateway.call('hosts.remove', { executionHostId: id }, context.signal)
    return { ...hostRemovedSchema.parse(answer), isGatewayRunning: true }
  }
  const { file, remove } = openConfigStore(context)
  const { removed } = remove(id)
  const { clock, signal } = context
  const pairing = await leavePairing(removed, { file, clock, signal, createId: () => context.createId() })
  return { executionHostId: id, file, pairing, isGatewayRunning: false }
}

/** `ssh.client` as a program says it: `{ ssh: { client } }`. */
function nested({ id, ...rest }: HostEntry): Record<string, unknown> {
  const host: Record<string, unknown> = { id }
  const inner: Record<string, Record<string, unknown>> = {}
  for (const [key, value] of Object.entries(rest)) {
    const [table = '', name] = key.split('.')
    if (name === undefined) host[table] = value
    else inner[table] = { ...inner[table], [name]: value }
  }
  return { ...host, ...inner }
}
