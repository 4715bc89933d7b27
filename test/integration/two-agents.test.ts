/** Two real agents of one machine at one index: one writes, the other answers, and takes over when the first is killed. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SearchStatus } from '../../protocol/session-search/status.ts'
import { type RealAgent, startRealAgent } from '../helpers/real-agent.ts'
import { agentProgram, createRealHome, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'
import { runProgram } from '../helpers/served-gateway.ts'

const sessions = 500

let home: RealHome
const agents: RealAgent[] = []
beforeEach(async () => {
  home = await createRealHome()
})
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

async function started(): Promise<RealAgent> {
  const agent = await startRealAgent(home, { exposure: 'ipc' })
  agents.push(agent)
  return agent
}

/** Enough that indexing all of it takes a while. */
async function writeMany(): Promise<void> {
  const folder = join(home.homeDir, '.claude/projects/-work-many')
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < sessions; at++)
    await writeFile(join(folder, `s${at}.jsonl`), transcript(`s${at}`, at))
}

function transcript(sessionId: string, at: number): string {
  const lines = Array.from({ length: 30 }, (_, line) => {
    const words = Array.from({ length: 400 }, (_, word) => `w${(word * 7919 + line * 31 + at) % 9973}`).join(
      ' ',
    )
    return message(sessionId, `${sessionId}-${line}`, `everysession ${words}`)
  })
  return lines.join('')
}

function message(sessionId: string, uuid: string, content: string): string {
  const record = { type: 'user', sessionId, uuid, cwd: '/work', message: { role: 'user', content } }
  return `${JSON.stringify({ ...record, timestamp: '2026-01-01T00:00:00Z' })}\n`
}

async function statusWhere(
  agent: RealAgent,
  holds: (status: SearchStatus) => boolean,
): Promise<SearchStatus> {
  for (;;) {
    const status = await agent.status()
    if (holds(status)) return status
  }
}

/** Which of the two says that the other one is at work, once it also knows how far that one is. */
async function whoWaits(
  both: readonly [RealAgent, RealAgent],
): Promise<{ reader: RealAgent; writer: RealAgent }> {
  for (;;) {
    for (const [at, reader] of both.entries()) {
      const status = await reader.status()
      const writer = both[1 - at]
      if (isSwept(status)) throw new Error('indexing was over before one was seen to wait')
      if (status.writer === 'another-agent' && status.filesIndexed > 0 && writer !== undefined) {
        expect(status.phase).toBe('indexing')
        return { reader, writer }
      }
    }
  }
}

/** How far each thread of a process stands back behind the rest of the machine (Linux). */
function nicenessOf(pid: number | undefined): { main: number; others: number[] } {
  const of = (thread: string) => {
    const fields = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[16])
  }
  const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid))
  return { main: of(String(pid)), others: [...new Set(others.map(of))].sort((a, b) => a - b) }
}

const isSwept = ({ phase, lastSweepCompletedAt }: SearchStatus) =>
  phase === 'current' && lastSweepCompletedAt !== null

describe.skipIf(whyNoBuild() !== null)('two agents at one index', () => {
  it('index by turns: one says that the other is at work, which leaves the way to answers, answers meanwhile, and goes on when that one is killed', async () => {
    await writeMany()
    const both = await Promise.all([started(), started()])
    const { reader, writer } = await whoWaits(both)
    const early = await reader.search({ query: 'everysession', limit: 1 })
    expect(early).toMatchObject({ kind: 'results', hits: [{}] })

    if (process.platform === 'linux')
      expect(nicenessOf(writer.child.pid)).toEqual({ main: 0, others: [0, 5] })

    writer.child.kill('SIGKILL')
    await once(writer.child, 'exit')
    const { filesIndexed } = await reader.status()
    expect(filesIndexed).toBeLessThan(sessions)
    const done = await statusWhere(reader, isSwept)
    expect(done).toMatchObject({ writer: 'this-agent', filesIndexed: sessions, filesDue: 0, filesFailed: 0 })
    for (const at of [0, 199, sessions - 1])
      expect(await reader.find(`"everysession w${at % 9973}"`)).toContain(`s${at}`)
    // Nothing is left for anybody to do, and nothing stands there twice.
    const { exitCode, stdout } = await runProgram(agentProgram, ['index'], home.env)
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${sessions} transcripts indexed, 0 due, 0 failed`),
    })
  }, 120_000)

  it('answer from what was just written, whichever of them is asked, and while the other one indexes', async () => {
    const path = await home.writeClaude({
      sessionId: 'shared',
      at: '2026-01-01T00:00:00Z',
      user: 'firstwords',
    })
    const both = [await started(), await started()]
    for (const agent of both) await statusWhere(agent, isSwept)
    for (let round = 0; round < 6; round++) {
      await appendFile(path, message('shared', `round-${round}`, `round${round}words`))
      const found = await Promise.all(both.map(async (agent) => await agent.find(`round${round}words`)))
      expect(found).toEqual([['shared'], ['shared']])
    }
    await writeMany()
    await appendFile(path, message('shared', 'amid', 'amidwords'))
    const sweeping = runProgram(agentProgram, ['index'], home.env)
    expect(await both[0]?.find('amidwords')).toEqual(['shared'])
    expect((await sweeping).exitCode).toBe(0)
  }, 120_000)
})
