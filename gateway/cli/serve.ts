/** `trawl serve`: the gateway with its doors open, until it is told to stop. */

import { dataDirPath } from '../../protocol/places.ts'
import { createAccess } from '../access/caller.ts'
import { loadLocalToken, localTokenLookup } from '../access/local-token.ts'
import { isLoopbackHost } from '../access/origin.ts'
import { type GatewayConfig, loadConfig } from '../config.ts'
import { type ListenAddress, parseListenAddress } from '../config-schema.ts'
import { openConfigStore } from '../config-store.ts'
import { ensureDataDir, socketFilePath, tokenFilePath } from '../data-dir.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { createLog, logDestination, logLevelFrom } from '../log.ts'
import { writeForPeople } from '../log-for-people.ts'
import { openClientAccess } from '../serve/client-access.ts'
import { openDoorForAgents } from '../serve/open-agents-door.ts'
import { openDoors } from '../serve/open-doors.ts'
import { readArguments, usage } from './arguments.ts'
import type { Command, CommandContext } from './command-context.ts'
import { flagsOf } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { sayWhatIsWrong } from './say-config.ts'
import { reload } from './serve-reload.ts'
import { untilAborted } from './until-aborted.ts'

const command = 'trawl serve'

export const serve: Command = async (args, context) => {
  const given = readArguments(args, command, flagsOf('serve'))
  if (given.words.length > 0) throw usage('It takes no words.', command)
  const { env, homeDir, clock, stderr } = context
  const config = loadConfig({ env, homeDir })
  const listen = readListen(given.text('listen')) ?? config.listen
  const dataDir = dataDirPath({ env, homeDir })
  await ensureDataDir(dataDir)
  const token = await loadLocalToken(tokenFilePath(dataDir), (count) => context.randomBytes(count))
  const log = createLog({
    level: logLevelFrom(env, 'info'),
    destination: logDestination(env, stderr.isTTY === true ? writeForPeople(stderr) : lineWriter(stderr)),
  })
  sayWhatIsWrong(config, stderr)

  const clients = await openClientAccess({
    config,
    listen,
    isInsecure: given.isSet('insecure'),
    dataDir,
    clock,
    createId: () => context.createId(),
  })
  await using _devices = clients.devices
  // The doors first: when the port is taken, no host is to be started.
  let startGateway: (gateway: Gateway) => void = () => {}
  const started = new Promise<Gateway>((resolve) => {
    startGateway = resolve
  })
  await using doors = await openDoors({
    listen,
    socketPath: socketFilePath(dataDir),
    access: createAccess([localTokenLookup(token), clients.devices.callerOf]),
    traffic: clients.traffic,
    names: clients.names,
    ...(clients.tls === null ? {} : { tls: clients.tls }),
    beginPairing: clients.offers.begin,
    version: context.version,
    log,
    clock,
    createId: () => context.createId(),
    methodsFor: async (caller) => (await started).methodsFor(caller),
  })
  clients.isOpenAt(doors.address)
  await using agentsDoor =
    config.agentsListen === null
      ? null
      : await openDoorForAgents({
          listen: config.agentsListen,
          config,
          dataDir,
          log,
          clock,
          arrive: async (executionHostId, arrival, welcome) =>
            (await started).arrive(executionHostId, arrival, welcome),
          createId: () => context.createId(),
        })
  await using gateway = createGateway({
    config,
    ...(agentsDoor === null ? {} : { invitations: agentsDoor.invitations }),
    configStore: openConfigStore({ env, homeDir }),
    devices: { ...clients, connectionsOf: clients.traffic.connectionsOf },
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
  startGateway(gateway)
  const isListenGiven = given.text('listen') !== undefined
  const reloading = { gateway, clients, doors, config, isListenGiven, log, stderr }
  using _reloading = onReload(context, () => void reload(reloading))
  const { port } = doors.address
  stderr.write(
    `Listening on ${clients.tls === null ? 'http' : 'https'}://${sayAddress(doors.address)} and ${socketFilePath(dataDir)}\n` +
      `Try: trawl search 'something you remember'. Stop: Ctrl-C\n`,
  )
  if (clients.tls === null && !isLoopbackHost(listen.host))
    stderr.write(
      'Not encrypted, as --insecure asks: whoever is on the network between can read the tokens and the transcripts, and use the tokens. Without the flag it is TLS.\n',
    )
  if (agentsDoor !== null) stderr.write(`Agents dial in at ${sayAddress(agentsDoor.address)} (TLS)\n`)
  log.info({ port, hosts: config.hosts.length, quarantined: config.quarantined.length }, 'listening')
  await untilAborted(context.signal)
  log.info('stopping')
  await doors.close()
  return exitCodes.done
}

function onReload(context: CommandContext, work: () => void): Disposable {
  const stop = context.onReload?.(work) ?? (() => {})
  return { [Symbol.dispose]: stop }
}

function sayAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

function readListen(text: string | undefined): GatewayConfig['listen'] | null {
  if (text === undefined) return null
  const address = parseListenAddress(text)
  if (address === null) throw usage('--listen takes an address and a port, as in 127.0.0.1:7717.', command)
  return address
}

function lineWriter(output: { write(text: string): unknown }): { write(line: string): void } {
  return {
    write(line) {
      output.write(line)
    },
  }
}
