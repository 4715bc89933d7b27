/** Whole gateways, a real sshd and the resident agent behind it, through what befalls that agent. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { SearchResults } from '../../protocol/session-search/response.ts'
import { whyNoBundle } from '../helpers/agent-bundle.ts'
import { untilGone } from '../helpers/bridged-agent.ts'
import { TestSocket } from '../helpers/doors.ts'
import { whyNoBuild } from '../helpers/real-hosts.ts'
import { type AccountGateway, createSshAccount, processesOf } from '../helpers/ssh-account.ts'
import { whyNoSshd } from '../helpers/sshd.ts'

// Many processes one after another.
vi.setConfig({ testTimeout: 120_000 })

const needle = { query: 'needle', executionHostId: 'all', freshness: 'wait-until-current' }

/** What became of the SSH host's leg, and the sessions that came from there. */
function leg({ hosts, hits }: SearchResults) {
  const { outcome, reason } = hosts?.find(({ executionHostId }) => executionHostId === 'ssh:devbox') ?? {}
  return { outcome, reason, ids: hits.map((hit) => hit.sessionId).toSorted() }
}

const found = { outcome: 'results', reason: undefined, ids: ['one'] }

/** Asks over a WebSocket. @returns once the local leg has landed, so that the other one is on its way, too. */
async function askUnderway({ gateway }: AccountGateway) {
  const socket = await TestSocket.open({ socketPath: gateway.socketPath })
  const params = { ...needle, partialResultToken: 'here' }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'aiVault.searchSessions', params }))
  expect(await socket.next()).toMatchObject({ params: { value: { executionHostId: 'local' } } })
  return {
    async answer() {
      for (;;) {
        const message = (await socket.next()) as { id?: number; result?: SearchResults }
        if (message.id !== 1 || message.result === undefined) continue
        await socket[Symbol.asyncDispose]()
        return message.result
      }
    },
  }
}

describe.skipIf((whyNoSshd() ?? whyNoBundle() ?? whyNoBuild()) !== null)(
  'a gateway whose SSH host’s resident agent',
  () => {
    it('is killed in the middle of a query tells that query so, is back by itself, and leaves nothing', async () => {
      await using account = await createSshAccount()
      await account.home.write('one', '/work/one', 'needle one')
      const desk = await account.gateway()
      await desk.until('ready')
      expect(leg(await desk.gateway.search(needle))).toEqual(found)
      const killed = await account.home.resident()
      if (killed === null) throw new Error('no resident agent runs')
      // It has the query and cannot answer it any more.
      process.kill(killed.pid, 'SIGSTOP')
      const query = await askUnderway(desk)
      process.kill(killed.pid, 'SIGKILL')
      expect(leg(await query.answer())).toEqual({ outcome: 'unreachable', reason: 'crashed', ids: [] })
      await desk.until('ready')
      expect(leg(await desk.gateway.search(needle))).toEqual(found)
      const next = await account.home.resident()
      expect(next).toMatchObject({ connections: 1 })
      expect(next?.pid).not.toBe(killed.pid)
      expect(await account.home.files('.sock')).toHaveLength(1)
      await desk[Symbol.asyncDispose]()
      while ((await account.home.resident())?.connections !== 0);
      await account.home.run('stop')
      if (next !== null) await untilGone(next.pid)
      expect(await account.home.files('.sock')).toEqual([])
      if (process.platform === 'linux')
        while ((await processesOf(account.home.home)).length > 0)
          await new Promise((resolve) => setTimeout(resolve, 20))
    })

    it('makes way for another gateway’s newer one has its query answered, comes back to that one, and stays with it', async () => {
      await using account = await createSshAccount()
      await account.home.write('one', '/work/one', 'needle one')
      const command = (program: string) => `ssh.agentCommand = "node ${program} stdio --resident"`
      await using old = await account.gateway(command(account.home.program))
      await old.until('ready')
      expect(leg(await old.gateway.search(needle))).toEqual(found)
      const first = await account.home.resident()
      const firstReadyAt = (await old.devbox()).readyAt
      // Twenty of them keep it busy while the other gateway comes.
      const queries = Promise.all(Array.from({ length: 20 }, () => old.gateway.search(needle)))
      await using young = await account.gateway(command(await account.home.newerProgram()))
      for (const answer of await queries) expect(leg(answer)).toEqual(found)
      await young.until('ready')
      if (first !== null) await untilGone(first.pid)
      await old.anew(firstReadyAt)
      for (let round = 0; round < 3; round++)
        for (const each of [old, young]) expect(leg(await each.gateway.search(needle))).toEqual(found)
      const second = await account.home.resident()
      expect(second).toMatchObject({ connections: 2 })
      // Each gateway's next connection finds the same one.
      for (const each of [old, young]) await each[Symbol.asyncDispose]()
      await using again = await account.gateway(command(account.home.program))
      await again.until('ready')
      expect((await account.home.resident())?.pid).toBe(second?.pid)
    })

    it('cannot be, for the agent there is an older one, is answered by that one, and the log says so once', async () => {
      const bin = await mkdtemp(join(tmpdir(), 'trawl-bin-'))
      try {
        await using account = await createSshAccount(bin)
        await account.home.write('one', '/work/one', 'needle one')
        // As the agent was before there were resident ones.
        const program = `exec node ${account.home.program}`
        const words = [
          '#!/bin/sh',
          `case "$*" in`,
          `*--resident*) echo "Unknown option '--resident'." >&2; exit 2;;`,
          `*--help*) echo "trawl-agent stdio  answer on stdin and stdout";;`,
          `*) ${program} "$@";;`,
          'esac',
          '',
        ]
        await mkdir(bin, { recursive: true })
        await writeFile(join(bin, 'trawl-agent'), words.join('\n'))
        await chmod(join(bin, 'trawl-agent'), 0o755)
        await using desk = await account.gateway('ssh.install = "never"')
        await desk.until('ready')
        expect(leg(await desk.gateway.search(needle))).toEqual(found)
        expect(await account.home.residents()).toEqual([])
        const before = (await desk.devbox()).readyAt
        for (const pid of await processesOf(account.home.home)) process.kill(pid, 'SIGKILL')
        await desk.anew(before)
        expect(leg(await desk.gateway.search(needle))).toEqual(found)
        const said = (await desk.log()).split('\n').filter((line) => line.includes('older version'))
        expect(said).toHaveLength(1)
        expect(JSON.parse(said[0] ?? '')).toMatchObject({ level: 'warn', host: 'ssh:devbox' })
      } finally {
        await rm(bin, { recursive: true, force: true })
      }
    })
  },
)
