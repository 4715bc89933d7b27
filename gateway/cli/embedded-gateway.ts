/** A gateway inside this process, for one call; loaded only when no gateway runs. */

import { dataDirPath } from '../../protocol/places.ts'
import { openConnection } from '../../protocol/rpc/connection.ts'
import { createInMemoryChannelPair } from '../../protocol/rpc/in-memory-channel.ts'
import { maxPeerMessageBytes } from '../../protocol/rpc/message-channel.ts'
import { createAccess } from '../access/caller.ts'
import { loadDevices } from '../access/devices.ts'
import { loadConfig } from '../config.ts'
import { ensureDataDir } from '../data-dir.ts'
import { createGateway } from '../gateway.ts'
import { createLog, logDestination, logFault, logLevelFrom } from '../log.ts'
import type { CommandContext } from './command-context.ts'
import type { GatewayClient } from './gateway-client.ts'

/** Beyond the longest leg the gateway itself answers; this only bounds a fault of its own. */
const callMarginMs = 30_000

/**
 * @param onNotification what the gateway tells beside its answers.
 * @throws Refusal for a configuration or data directory that cannot be used.
 */
export async function openEmbeddedGateway(
  context: CommandContext,
  onNotification: (method: string, params: unknown) => void = () => {},
): Promise<GatewayClient> {
  const { env, homeDir, clock } = context
  const config = loadConfig({ env, homeDir })
  for (const warning of config.warnings) context.stderr.write(`${warning}\n`)
  const dataDir = dataDirPath({ env, homeDir })
  await ensureDataDir(dataDir)
  const log = createLog({
    level: logLevelFrom(env, 'silent'),
    destination: logDestination(env, { write: (line) => void context.stderr.write(line) }),
  })
  const gateway = createGateway({
    config,
    devices: { devices: await loadDevices(dataDir, clock), connectionsOf: () => 0 },
    dataDir,
    agentCommand: context.agentCommand,
    ...(context.agentBundleFile === undefined ? {} : { agentBundleFile: context.agentBundleFile }),
    env,
    homeDir,
    log,
    clock,
    random: () => context.random(),
    createId: () => context.createId(),
  })
  const [near, far] = createInMemoryChannelPair()
  const ends = { maxMessageBytes: maxPeerMessageBytes, createId: () => context.createId(), clock }
  const caller = createAccess([]).callerFor({ kind: 'same-user' })
  openConnection(far, {
    ...ends,
    methods: gateway.methodsFor(caller),
    onFault: (error, method) => logFault(log, error, method),
  })
  const connection = openConnection(near, { ...ends, methods: new Map(), onNotification })
  return {
    isFresh: true,
    settled: async () => await gateway.settled(config.legTimeoutMs),
    call: async (method, params, signal) =>
      await connection.call(method, params, { timeoutMs: config.legTimeoutMs + callMarginMs, signal }),
    async [Symbol.asyncDispose]() {
      await connection.close()
      await gateway[Symbol.asyncDispose]()
    },
  }
}
