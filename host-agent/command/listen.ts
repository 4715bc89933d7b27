/** `trawl-agent listen`: opens the port, with TLS unless it is this machine's alone, and the control socket beside it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { hostname, networkInterfaces } from 'node:os'
import type { Clock } from '../../protocol/clock.ts'
import { pairPath } from '../../protocol/link/pairing-messages.ts'
import { reachableUrls } from '../../protocol/link/reachable-urls.ts'
import type { RpcMethods } from '../../protocol/rpc/dispatch.ts'
import type { TrawlError } from '../../protocol/rpc/errors.ts'
import type { ExposureClass } from '../../protocol/session-search/exposure.ts'
import { loadAgentKey } from '../serve/agent-key.ts'
import { openControlSocket } from '../serve/control-socket.ts'
import { loadCredentials } from '../serve/credentials.ts'
import { loadPairedGateways } from '../serve/paired-gateways.ts'
import { type Listener, listen } from '../serve/websocket.ts'
import { type AgentArguments, isLoopback, parseAddress } from './arguments.ts'
import { createPairingDesk } from './pairing-desk.ts'

const defaultAddress = '127.0.0.1:7718'

export interface ListenContext {
  readonly dataDir: string
  readonly clock: Clock
  methodsFor(exposure: ExposureClass): RpcMethods
  onFault(error: TrawlError, method: string): void
}

export interface OpenPort extends AsyncDisposable {
  /** What to say to whoever started it. */
  readonly greeting: string
}

/** @throws Error, with the remedy, for an address that cannot be used and for files that are not private. */
export async function openPort(given: AgentArguments, context: ListenContext): Promise<OpenPort> {
  const { dataDir, clock, onFault } = context
  const address = parseAddress(given.listen ?? defaultAddress)
  if (address === null) throw new Error('--listen takes an address and a port, as in 127.0.0.1:7718.')
  const isTls = given.tls || !(given.insecure || isLoopback(address.host))
  const paired = await loadPairedGateways(dataDir, clock)
  const credentials = await loadCredentials({
    dataDir,
    paired,
    makePeerToken: given.peerToken,
    makeToken: () => randomBytes(32).toString('base64url'),
  })
  const tls = isTls ? await loadAgentKey(dataDir, clock.now()) : null
  let listener: Listener | null = null
  const desk = createPairingDesk({
    paired,
    clock,
    pin: tls?.pin ?? null,
    pairUrls: () => pairUrls(address.host, listener?.port ?? address.port),
    cutOff: (name) => listener?.cutOff(name),
  })
  // Before the port: a second agent of this account is to end without having been reachable.
  const control = await openControlSocket({
    dataDir,
    methods: desk.methods,
    clock,
    createId: randomUUID,
    onFault,
  })
  try {
    listener = await listen({
      ...address,
      tls,
      credentials,
      methodsFor: context.methodsFor,
      redeem: desk.redeem,
      leave: desk.leave,
      clock,
      createId: randomUUID,
      onFault,
    })
  } catch (error) {
    await control[Symbol.asyncDispose]()
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new Error(
      `Port ${address.port} on ${address.host} is in use. Name another: --listen ${address.host}:PORT`,
    )
  }
  const open = listener
  return {
    greeting: greet(open.url, tls?.pin ?? null),
    async [Symbol.asyncDispose]() {
      await Promise.all([control[Symbol.asyncDispose](), open[Symbol.asyncDispose]()])
      await paired.flush()
    },
  }
}

function pairUrls(host: string, port: number): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return reachableUrls({ host, port, hostName: hostname(), interfaces, path: pairPath })
}

function greet(url: string, pin: string | null): string {
  if (pin === null)
    return `Listening on ${url}\nWithout TLS. To pair a gateway, listen with TLS: trawl-agent listen --tls`
  return `Listening on ${url}\nThis host's key: ${pin}\nPair a gateway: trawl-agent pair`
}
