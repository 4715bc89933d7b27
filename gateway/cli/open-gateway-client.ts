/**
 * Which gateway a subcommand asks: the running one through its Unix socket, or one of its own inside this process, for
 * this one call. Either way the caller is the user of this machine (`ipc`).
 */
import { connect } from 'node:net'
import { dataDirPath } from '../../protocol/places.ts'
import { socketFilePath } from '../data-dir.ts'
import { Refusal, systemCode } from '../refusal.ts'
import type { CommandContext } from './command-context.ts'
import { type GatewayClient, socketClient } from './gateway-client.ts'

/** The gateway that runs already, or null. @throws Refusal `permission` when its socket is another user's. */
export async function runningGateway(context: CommandContext): Promise<GatewayClient | null> {
  const socketPath = socketFilePath(dataDirPath({ env: context.env, homeDir: context.homeDir }))
  return (await isListening(socketPath)) ? socketClient(socketPath) : null
}

/** @throws Refusal for a configuration or data directory that cannot be used. */
export async function openGatewayClient(context: CommandContext): Promise<GatewayClient> {
  const running = await runningGateway(context)
  if (running !== null) return running
  const { openEmbeddedGateway } = await import('./embedded-gateway.ts')
  return await openEmbeddedGateway(context)
}

/** @throws Refusal `permission` when the socket is another user's. */
function isListening(socketPath: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect({ path: socketPath })
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', (error) => {
      if (systemCode(error) === 'EACCES')
        reject(
          new Refusal('permission', `The gateway's socket ${socketPath} belongs to another user.`, error),
        )
      else resolve(false)
    })
  })
}
