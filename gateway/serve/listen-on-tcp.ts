/** Opens a TCP port for a server, and says why where it cannot. */
import type { Server } from 'node:net'
import type { ListenAddress } from '../config-schema.ts'
import { Refusal, systemCode } from '../refusal.ts'
import { whoHoldsPort } from './who-holds.ts'

/**
 * @param sayOther how another address is chosen, for the sentence about a port that is taken.
 * @throws Refusal `in-use` when the port is taken, saying by whom where it can tell; `permission`; `configuration`.
 */
export async function listenOnTcp(
  server: Server,
  { host, port }: ListenAddress,
  sayOther: (address: string) => string = (address) => `trawl serve --listen ${address}`,
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    throw await explainListenError(error, { host, port }, sayOther)
  }
}

async function explainListenError(
  error: unknown,
  { host, port }: ListenAddress,
  sayOther: (address: string) => string,
): Promise<unknown> {
  switch (systemCode(error)) {
    case 'EADDRINUSE': {
      const holder = await whoHoldsPort(host, port)
      const other = sayOther(`${host.includes(':') ? `[${host}]` : host}:${port + 1}`)
      return new Refusal(
        'in-use',
        `Port ${port} is in use${holder === null ? '' : ` by ${holder}`}. Stop that, or choose another: ${other}`,
        error,
      )
    }
    case 'EACCES':
      return new Refusal(
        'permission',
        `Port ${port} may not be opened by this user. Choose one above 1023.`,
        error,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Refusal('configuration', `This machine has no address ${host} to listen on.`, error)
    default:
      return error
  }
}
