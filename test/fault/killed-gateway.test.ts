/** A gateway that is killed with no time to say goodbye, in the middle of a first indexing. */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { createRealHome, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { type ServedGateway, startServedGateway } from '../helpers/served-gateway.ts'

const smallFiles = 60
const messagesPerFile = 60
/** One transcript that takes several transactions by itself. */
const giantMessages = 6_000

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

/** About 50 MB: the large transcript comes first and takes two transactions and more, whatever the machine. */
async function largeHome(): Promise<RealHome> {
  const home = await createRealHome()
  open.push(home)
  const filler = Array.from({ length: 900 }, (_, at) => `w${(at * 7919) % 9973}`).join(' ')
  const write = async (sessionId: string, messages: number) => {
    const path = await home.writeClaude({ sessionId, at: null, user: 'x' })
    const lines = Array.from({ length: messages }, (_, at) => {
      const role = at % 2 === 0 ? 'user' : 'assistant'
      const content = `mark${sessionId}x${at} ${filler}`
      const message =
        role === 'user'
          ? { role, content }
          : { role, id: `m${at}`, content: [{ type: 'text', text: content }] }
      return `${JSON.stringify({ type: role, sessionId, cwd: '/work', uuid: `${sessionId}-${at}`, timestamp: '2026-01-01T00:00:00Z', message })}\n`
    })
    await writeFile(path, lines.join(''))
  }
  for (let at = 0; at < smallFiles; at++) await write(`s${at}`, messagesPerFile)
  await write('giant', giantMessages)
  return home
}

async function start(home: RealHome): Promise<ServedGateway> {
  const gateway = await startServedGateway(home)
  open.push(gateway)
  return gateway
}

async function statusUntil(
  gateway: ServedGateway,
  isIt: (status: SearchStatus) => boolean,
): Promise<SearchStatus> {
  for (;;) {
    const { result } = await gateway.call('aiVault.searchStatus', {})
    const status = result as SearchStatus | undefined
    if (status !== undefined && isIt(status)) return status
  }
}

function lookInside(home: RealHome) {
  using db = loadSqlDriver().open(join(home.dataDir, 'index.sqlite'), { readOnly: true })
  const number = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0])
  return {
    indexId: String(db.prepare("SELECT value FROM meta WHERE key = 'index_id'").get()?.value),
    sessions: number('SELECT count(*) FROM sessions'),
    messages: number('SELECT count(*) FROM messages'),
    fullText: number("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'w0'"),
    readAnew: number('SELECT coalesce(sum(rewrites), 0) FROM files'),
  }
}

/** Children of a process, where the system tells. */
async function childrenOf(pid: number | undefined): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** Resolves when the process has ended; one that nobody has collected yet has ended too. It is no child of ours to await. */
async function untilEnded(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (stat === null || / [ZX] /.test(stat.slice(stat.lastIndexOf(')')))) return
    await delay(20)
  }
}

describe.skipIf(whyNoBuild() !== null)('a gateway killed with kill -9 while it indexes', () => {
  it.each([
    ['alone, its agent following it', false],
    ['together with its agent', true],
  ])(
    '(%s) is started again, is correct, and goes on where it was',
    async (_name, withAgent) => {
      const home = await largeHome()
      const killed = await start(home)
      const caught = await statusUntil(killed, (status) => status.generation > 0)
      expect(caught.phase).toBe('indexing')
      const agents = await childrenOf(killed.child.pid)
      const exited = once(killed.child, 'exit')
      killed.child.kill('SIGKILL')
      if (withAgent) for (const pid of agents) process.kill(pid, 'SIGKILL')
      await exited
      const before = lookInside(home)
      expect(before.messages).toBeGreaterThan(0)
      if (withAgent) expect(before.messages).toBeLessThan(giantMessages + smallFiles * messagesPerFile)

      const again = await start(home)
      const first = await again.search({ query: 'w0', executionHostId: 'local' })
      expect(first.hits.length).toBeGreaterThan(0)
      const status = await statusUntil(again, ({ phase }) => phase === 'current')
      expect(status).toMatchObject({
        filesIndexed: smallFiles + 1,
        filesDue: 0,
        filesFailed: 0,
        degradedRoots: [],
      })
      expect(lookInside(home)).toEqual({
        indexId: before.indexId,
        sessions: smallFiles + 1,
        messages: giantMessages + smallFiles * messagesPerFile,
        fullText: giantMessages + smallFiles * messagesPerFile,
        // Nothing that had been read was read a second time.
        readAnew: 0,
      })
      for (const word of ['markgiantx0', `markgiantx${giantMessages - 1}`, 'marks7x3']) {
        const { hits } = await again.search({ query: word, executionHostId: 'local' })
        expect(hits).toHaveLength(1)
      }
      // The test's own time ends the wait for an agent that outlives its gateway.
      await Promise.all(agents.map(untilEnded))
    },
    60_000,
  )
})
