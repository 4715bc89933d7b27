/**
 * The Unix socket door: `$TRAWL_DATA_DIR/gateway.sock`, mode 0600. Only the user can open it, so whoever comes through
 * is the user. A socket file that a dead gateway left behind is replaced; a live one is not.
 */
import { chmod, lstat, unlink } from 'node:fs/promises'
import { request, type Server } from 'node:http'
import { connect } from 'node:net'
import { Refusal, systemCode } from '../refusal.ts'
import { type HealthAnswer, readHealth } from './who-holds.ts'

/** What the kernels' `sun_path` takes, without its end mark. */
const maxSocketPathBytes = process.platform === 'linux' ? 107 : 103
const probeTimeoutMs = 1_000

/** @throws Refusal `in-use` naming the process that listens there; `configuration` where the path cannot be used. */
export async function listenOnUnixSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxSocketPathBytes) {
    throw new Refusal(
      'configuration',
      `The socket path ${path} is longer than the ${maxSocketPathBytes} bytes this system allows. Name a shorter directory in TRAWL_DATA_DIR.`,
    )
  }
  await clearStaleSocket(path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path }, () => {
      server.off('error', reject)
      resolve()
    })
  }).catch((error: unknown) => {
    throw systemCode(error) === 'EADDRINUSE'
      ? new Refusal('in-use', `The socket ${path} was taken by another process just now.`, error)
      : error
  })
  // The directory is 0700, so nobody else could come in before this.
  await chmod(path, 0o600)
}

async function clearStaleSocket(path: string): Promise<void> {
  try {
    const found = await lstat(path)
    if (!found.isSocket())
      throw new Refusal('configuration', `${path} is there and is no socket. Move it away and start again.`)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return
    throw error
  }
  if (await isListening(path)) {
    const holder = await healthOverSocket(path)
    const who = holder === null ? 'another program' : `trawl ${holder.version} (process ${holder.pid})`
    throw new Refusal(
      'in-use',
      `A gateway is running already: the socket ${path} is held by ${who}. Use it as it is, or stop it first.`,
    )
  }
  await unlink(path)
}

/** Only a refused connection proves that nobody listens. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path })
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '')))
  })
}

/** @returns null where what listens is no gateway, or does not answer within a second. */
function healthOverSocket(socketPath: string): Promise<HealthAnswer | null> {
  return readHealth(request({ socketPath, path: '/health', timeout: probeTimeoutMs }))
}
