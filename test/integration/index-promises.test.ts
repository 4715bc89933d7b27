/** What the contract promises of the index itself, from a transcript on the disk to the answer of a real agent. */
import { randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { nodeFileSystem } from '../../host-agent/indexing/file-system.ts'
import { createIndexer } from '../../host-agent/indexing/indexer.ts'
import { createTranscriptAccess } from '../../host-agent/indexing/transcript-access.ts'
import { createInlineSource } from '../../host-agent/indexing/transcript-source.ts'
import { transcriptReaders } from '../../host-agent/transcripts/readers.ts'
import { systemClock } from '../../protocol/clock.ts'
import { searchStatusSchema } from '../../protocol/session-search/status.ts'
import { type RealAgent, startRealAgent } from '../helpers/real-agent.ts'
import { createRealHome, type RealHome, whyNoBuild } from '../helpers/real-hosts.ts'

let home: RealHome
beforeEach(async () => {
  home = await createRealHome()
})
afterEach(async () => await home?.[Symbol.asyncDispose]())

async function messagesOf(agent: RealAgent, sessionId: string): Promise<{ role: string; text: string }[]> {
  const page = await agent.call('aiVault.readSession', { agent: 'claude', sessionId })
  return (page as { messages: { role: string; text: string }[] }).messages
}

describe.skipIf(whyNoBuild() !== null)('the index of a real agent', () => {
  it('[index.tool-cap] holds and finds the first 3,072 units of a tool’s output, and nothing behind them', async () => {
    const maxUnits = 3072
    const place = (words: readonly [number, string][]) => {
      const text = Array.from('.'.repeat(4 * maxUnits))
      for (const [at, word] of words) text.splice(at, word.length, ...word)
      return text.join('')
    }
    const output = place([
      [10, 'earlyword'],
      [maxUnits - 'lastword'.length, 'lastword'],
      [maxUnits + 1, 'firstbehind'],
      [3 * maxUnits, 'farbehind'],
    ])
    const path = await home.writeClaude({ sessionId: 'tools', at: null, user: 'x' })
    const common = { sessionId: 'tools', cwd: '/work', timestamp: '2026-01-01T00:00:00Z' }
    const records = [
      {
        type: 'user',
        uuid: '1',
        message: { role: 'user', content: place([[3 * maxUnits, 'userfarbehind']]) },
      },
      {
        type: 'assistant',
        uuid: '2',
        message: {
          role: 'assistant',
          id: 'm',
          content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }],
        },
      },
      {
        type: 'user',
        uuid: '3',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: output }] },
      },
    ]
    await writeFile(path, records.map((record) => `${JSON.stringify({ ...common, ...record })}\n`).join(''))
    await using agent = await startRealAgent(home)
    const found: string[] = []
    for (const word of ['earlyword', 'lastword', 'firstbehind', 'farbehind', 'userfarbehind'])
      if ((await agent.find(word)).length > 0) found.push(word)
    expect(found).toEqual(['earlyword', 'lastword', 'userfarbehind'])
    const kept = (await messagesOf(agent, 'tools')).filter(({ text }) => text.includes('earlyword'))
    expect(kept).toEqual([
      { index: 2, role: 'tool', text: output.slice(0, maxUnits), timestamp: expect.any(String) },
    ])
  })

  it('[index.chunk-boundary] [index.text-in-full] finds every word of a long message, each in one place, and gives it back whole', async () => {
    // Words of many lengths, so that boundaries would fall anywhere in them.
    const words = Array.from(
      { length: 2_000 },
      (_, at) => `unique${at}${'abcdefghij'.repeat(1 + (at % 4)).slice(at % 10)}`,
    )
    const text = words.join(' ')
    expect(text.length).toBeGreaterThan(5 * 8_000)
    const unbroken = 'nowhitespace'.repeat(2_000)
    await home.writeClaude({ sessionId: 'long', at: '2026-01-01T00:00:00Z', user: text, assistant: unbroken })
    await using agent = await startRealAgent(home)
    expect(await agent.find(words[0] ?? '')).toEqual(['long'])
    using db = loadSqlDriver().open(join(home.dataDir, 'index.sqlite'), { readOnly: true })
    const rows = db.prepare('SELECT count(*) AS count FROM messages_fts WHERE messages_fts MATCH ?')
    const chunks = db.prepare('SELECT count(*) AS count FROM messages').get()?.count
    expect(Number(chunks)).toBeGreaterThan(5)
    expect(words.filter((word) => rows.get(`"${word}"`)?.count !== 1)).toEqual([])
    for (const at of [199, 777, 1_999]) expect(await agent.find(words[at] ?? '')).toEqual(['long'])
    expect((await messagesOf(agent, 'long')).map((message) => message.text)).toEqual([text, unbroken])
  })
})

describe('createIndexer', () => {
  it('[status.phases] is idle, indexing, current, degraded and closed, and never anything else', async () => {
    await home.writeClaude({ sessionId: 'one', at: '2026-01-01T00:00:00Z', user: 'words' })
    const readers = transcriptReaders()
    const indexer = createIndexer({
      driver: loadSqlDriver(),
      indexPath: join(home.dataDir, 'index.sqlite'),
      randomId: randomUUID,
      readers,
      environment: { homeDir: home.homeDir, platform: process.platform, env: {} },
      fileSystem: nodeFileSystem,
      openTranscripts: () =>
        createInlineSource(createTranscriptAccess(nodeFileSystem, loadSqlDriver), readers),
      clock: systemClock,
    })
    const phases: string[] = [indexer.status().phase]
    indexer.onStatus((status) => {
      const { phase } = searchStatusSchema.parse(status)
      if (phases.at(-1) !== phase) phases.push(phase)
    })
    await indexer.start()
    await indexer.reconcile({ full: true })
    await rename(join(home.homeDir, '.claude'), join(home.homeDir, 'unplugged'))
    await indexer.reconcile({ full: true })
    await indexer[Symbol.asyncDispose]()
    expect(phases).toEqual(['idle', 'indexing', 'current', 'degraded', 'closed'])
    expect(searchStatusSchema.safeParse({ ...indexer.status(), phase: 'busy' }).success).toBe(false)
  })
})
