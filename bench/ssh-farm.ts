/** A real sshd whose sessions have a home of their own with a history in it, behind a network that can be as slow as one asks. */
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SshHostConfig } from '../gateway/config-hosts.ts'
import { type FaultProxy, startFaultProxy } from '../test/helpers/fault-proxy.ts'
import { createSshDesk, type SshDesk } from '../test/helpers/ssh-desk.ts'
import { whyNoSshd } from '../test/helpers/sshd.ts'
import type { BenchContext } from './row.ts'

export interface SshFarm extends AsyncDisposable {
  readonly desk: SshDesk
  readonly proxy: FaultProxy
  readonly host: SshHostConfig
  readonly bundleFile: string
  /** Words that the history holds. */
  readonly queries: readonly string[]
  /** From now on every byte takes half of this each way. */
  roundTrip(ms: number): void
  /** Takes agent and index off the host, as if nobody had been there. */
  makeFresh(): Promise<void>
}

export async function startSshFarm(context: BenchContext): Promise<SshFarm> {
  if (whyNoSshd() !== null) throw new Error('this row needs sshd (on Debian: apt-get install openssh-server)')
  const corpus = context.corpora.make('ssh-farm', { bytes: context.quick ? 1_000_000 : 10_000_000, seed: 50 })
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`
  const packages = join(context.binDir, '../node_modules')
  const desk = await createSshDesk([`SetEnv "HOME=${corpus.homeDir}" "PATH=${path}" "NODE_PATH=${packages}"`])
  const proxy = await startFaultProxy(desk.server.port)
  await desk.trust(proxy.port)
  await desk.configure(['IdentityAgent none'], { port: proxy.port })
  const dataDir = join(corpus.homeDir, '.local/share/trawl')
  return {
    desk,
    proxy,
    host: {
      kind: 'ssh',
      id: 'ssh:devbox',
      target: 'devbox',
      label: 'devbox',
      client: 'ssh2',
      install: 'auto',
      configFile: join(desk.home.sshDir, 'config'),
      agentCommand: null,
      keepAliveSec: null,
    },
    bundleFile: join(context.binDir, '../dist/agent-bundle/trawl-agent.mjs'),
    queries: corpus.needles.slice(0, 5).map(({ query }) => query),
    roundTrip(ms) {
      proxy.toServer.delay(ms / 2)
      proxy.toClient.delay(ms / 2)
    },
    async makeFresh() {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      await mkdir(dirname(dataDir), { recursive: true })
    },
    async [Symbol.asyncDispose]() {
      // Its resident agent ends when that is gone.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      await proxy[Symbol.asyncDispose]()
      await desk[Symbol.asyncDispose]()
    },
  }
}
