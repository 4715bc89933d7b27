/** An account behind a real sshd with a home of its own, and real gateways that reach it as `ssh:devbox`. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type HostEntry, hostListSchema } from '../../protocol/rpc/describe.ts'
import { packagesDir } from './agent-bundle.ts'
import { type BridgeHome, createBridgeHome } from './bridged-agent.ts'
import { createRealHome, type RealHome } from './real-hosts.ts'
import { type ServedGateway, startServedGateway, writeConfig } from './served-gateway.ts'
import { createSshDesk, type SshDesk } from './ssh-desk.ts'

export interface AccountGateway extends AsyncDisposable {
  readonly gateway: ServedGateway
  readonly home: RealHome
  /** As `hosts.list` has it now. */
  devbox(): Promise<HostEntry>
  /** Never returns while the host is in another state; the test's own time ends the wait. */
  until(state: HostEntry['state']): Promise<HostEntry>
  /** Waits for a link that is not the one of that time. */
  anew(readyAt: HostEntry['readyAt']): Promise<void>
  log(): Promise<string>
}

export interface SshAccount extends AsyncDisposable {
  readonly home: BridgeHome
  readonly desk: SshDesk
  /** @param hostLines of the host's section, as in `ssh.install = "never"`. */
  gateway(...hostLines: readonly string[]): Promise<AccountGateway>
}

/** @param pathDir goes before the folders where programs are looked for. */
export async function createSshAccount(pathDir?: string): Promise<SshAccount> {
  const home = await createBridgeHome()
  const variables = {
    HOME: home.home,
    PATH: [...(pathDir === undefined ? [] : [pathDir]), dirname(process.execPath), '/usr/bin', '/bin'].join(
      ':',
    ),
    NODE_PATH: packagesDir,
  }
  const setEnv = Object.entries(variables).map(([name, value]) => `"${name}=${value}"`)
  const desk = await createSshDesk([`SetEnv ${setEnv.join(' ')}`])
  return {
    home,
    desk,
    async gateway(...hostLines) {
      const own = await createRealHome('desk')
      const toml = ['legTimeoutMs = 20000', '[[hosts]]', 'id = "ssh:devbox"', ...hostLines, '']
      const logFile = join(own.dataDir, 'gateway.log')
      const gateway = await startServedGateway(own, {
        HOME: desk.home.homeDir,
        TRAWL_CONFIG: await writeConfig(own, toml.join('\n')),
        TRAWL_LOG_FILE: logFile,
      })
      const devbox = async () => {
        const { hosts } = hostListSchema.parse((await gateway.call('hosts.list', {})).result)
        const entry = hosts.find(({ executionHostId }) => executionHostId === 'ssh:devbox')
        if (entry === undefined) throw new Error('ssh:devbox is not listed')
        return entry
      }
      return {
        gateway,
        home: own,
        devbox,
        async until(state) {
          for (;;) {
            const entry = await devbox()
            if (entry.state === state) return entry
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        },
        async anew(readyAt) {
          for (;;) {
            const entry = await devbox()
            if (entry.state === 'ready' && entry.readyAt !== readyAt) return
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
        },
        log: async () => await readFile(logFile, 'utf8'),
        async [Symbol.asyncDispose]() {
          await gateway[Symbol.asyncDispose]()
          await own[Symbol.asyncDispose]()
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await desk[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** Process ids of all that was started with this home (Linux). */
export async function processesOf(home: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
    if (environment.split('\0').includes(`HOME=${home}`)) found.push(Number(name))
  }
  return found
}
