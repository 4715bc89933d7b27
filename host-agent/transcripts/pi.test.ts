import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { piAssistant, piEntry, piHead, piMessage, piStartMs, piUser } from '../../test/helpers/pi-entries.ts'
import { piReader } from './pi.ts'

const id = '0195f0aa-0000-7000-8000-000000000001'
const path = `.pi/agent/sessions/--home-dev-app--/2026-03-04T10-00-00-000Z_${id}.jsonl`
const fixtures = fileURLToPath(new URL('../../../shared/fixtures/ci', import.meta.url))

async function readOne(entries: readonly unknown[], at = path) {
  using home = createAgentHome()
  home.write(at, entries)
  const { files } = await home.read(piReader())
  const [file] = files
  if (file === undefined) throw new Error('nothing was found')
  return file
}

describe('piReader', () => {
  const { roots, formatOf } = piReader()
  const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in its default home, by the rules of the platform', () => {
    expect(roots(linux)).toEqual([{ path: '/home/dev/.pi/agent/sessions' }])
    expect(roots({ homeDir: 'C:\\Users\\dev', platform: 'win32', env: {} })).toEqual([
      { path: 'C:\\Users\\dev\\.pi\\agent\\sessions' },
    ])
  })

  it.each([
    ['the folder in the home', { PI_CODING_AGENT_DIR: '/opt/.pi' }, '/opt/.pi/agent/sessions'],
    ['the agent’s folder', { PI_CODING_AGENT_DIR: '/opt/agent/' }, '/opt/agent/sessions'],
    ['the sessions’ folder', { PI_CODING_AGENT_DIR: '/opt/sessions' }, '/opt/sessions'],
    ['a folder below ~', { PI_CODING_AGENT_DIR: '~/elsewhere' }, '/home/dev/elsewhere/sessions'],
    ['the sessions alone', { PI_CODING_AGENT_SESSION_DIR: '/opt/s', PI_CODING_AGENT_DIR: '/x' }, '/opt/s'],
    ['no absolute path', { PI_CODING_AGENT_DIR: 'relative' }, '/home/dev/.pi/agent/sessions'],
  ])('follows a variable that names %s', (_name, env, expected) => {
    expect(roots({ ...linux, env })).toEqual([{ path: expected }])
  })

  it('reads lines, and no other files', () => {
    expect(formatOf('p/a.jsonl')?.kind).toBe('lines')
    expect(formatOf('p/a.jsonl.bak')).toBeNull()
    expect(formatOf('p/a.json')).toBeNull()
  })
})

describe('pi sessions', () => {
  it('tell messages, thoughts, tools and shell lines in full, and the session’s facts', async () => {
    const long = 'a long reply '.repeat(40).trim()
    const file = await readOne([
      piHead(id),
      piUser(1, 'Find the slow query.'),
      piMessage(2, {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Look at the log.' },
          { type: 'text', text: long },
          { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'slow.log' } },
          { type: 'text', text: 'And then the plan.' },
        ],
      }),
      piMessage(3, {
        role: 'toolResult',
        toolCallId: 'c1',
        content: [{ type: 'text', text: 'select 1' }, { type: 'image' }],
      }),
      piMessage(4, { role: 'bashExecution', command: 'psql -c explain', output: 'seq scan' }),
    ])
    expect(file.said).toEqual([
      'user: Find the slow query.',
      `assistant: Look at the log.\n${long}`,
      'tool: read: slow.log',
      'assistant: And then the plan.',
      'tool: select 1',
      'tool: bash: psql -c explain',
      'tool: seq scan',
    ])
    expect(file.facts).toEqual({
      sessionId: id,
      title: 'Find the slow query.',
      cwd: '/home/dev/app',
      branch: null,
      createdAtMs: piStartMs,
      updatedAtMs: piStartMs + 4000,
      // A reply that tools divide counts once.
      messageCount: 2,
      resumeCommand: `cd '/home/dev/app' && pi --session '${id}'`,
    })
    expect(file.times[0]).toBe('2026-03-04T10:00:01.000Z')
  })

  it('[index.text-in-full] lose no word of a long text', async () => {
    const words = Array.from({ length: 20_000 }, (_, at) => `w${at}`).join(' ')
    const { said } = await readOne([piHead(id), piUser(1, words), piAssistant(2, words)])
    for (const role of ['user', 'assistant']) {
      const rows = said.filter((row) => row.startsWith(role)).map((row) => row.slice(role.length + 2))
      expect(new Set(rows.join(' ').split(/\s+/)).size).toBe(20_000)
    }
  })

  it('take the name a person gave before the first words, and give it back when it is emptied', async () => {
    const named = [piHead(id), piUser(1, 'first words'), piEntry(2, 'session_info', { name: 'Mine' })]
    expect((await readOne(named)).facts.title).toBe('Mine')
    const emptied = await readOne([...named, piEntry(3, 'session_info', { name: '' })])
    expect(emptied.facts.title).toBe('first words')
  })

  it('hold what was said on every branch of the tree', async () => {
    const file = await readOne([
      piHead(id),
      piUser(1, 'try one'),
      piAssistant(2, 'one failed'),
      { ...piUser(3, 'try two'), parentId: null },
      piEntry(4, 'branch_summary', { summary: 'One was tried.' }),
    ])
    expect(file.said).toEqual([
      'user: try one',
      'assistant: one failed',
      'user: try two',
      'tool: One was tried.',
    ])
  })

  it('leave what a fork copied to the session it was forked from', async () => {
    const copies = [piUser(1, 'said before'), piAssistant(2, 'answered before')]
    const head = piHead('fork', { parentSession: '/home/dev/.pi/agent/sessions/p/x.jsonl' }, 10)
    const forked = await readOne([head, ...copies, piUser(11, 'said after')])
    expect(forked.said).toEqual(['user: said after'])
    expect(forked.facts).toMatchObject({ sessionId: 'fork', title: 'said after', messageCount: 1 })
    expect((await readOne([head, ...copies])).kind).toBe('none')
    // A new session that names an older one has nothing of it.
    const parentless = await readOne([piHead('new', {}, 10), ...copies])
    expect(parentless.said).toHaveLength(2)
  })

  it('tell compactions and what extensions put in as tool text, never as a title', async () => {
    const file = await readOne([
      piHead(id),
      piEntry(1, 'custom_message', { content: 'shown context', display: true }),
      piEntry(2, 'custom_message', { content: 'hidden context', display: false }),
      piEntry(3, 'compaction', { summary: 'Goals so far.' }),
      piUser(4, '<skill name="s">do this</skill>\n<file name="a.md">in the file</file>\nSummarise it'),
    ])
    expect(file.said).toEqual([
      'tool: shown context',
      'tool: Goals so far.',
      'tool: in the file',
      'user: Summarise it',
    ])
    expect(file.facts.title).toBe('Summarise it')
  })

  it('tell an error of the service as tool text', async () => {
    const failed = { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' }
    expect((await readOne([piHead(id), piUser(1, 'hi'), piMessage(2, failed)])).said).toEqual([
      'user: hi',
      'tool: error: overloaded',
    ])
  })

  it('take the id from the file’s name where the head is torn, and count what cannot be read', async () => {
    using home = createAgentHome()
    const lines = [piUser(1, 'still here'), piEntry(2, 'brand_new'), piMessage(3, { role: 'oracle' })]
    home.write(path, `{"type":"session","id\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)
    const { files } = await home.read(piReader())
    expect(files[0]).toMatchObject({
      kind: 'session',
      facts: { sessionId: id, cwd: null, resumeCommand: `pi --session '${id}'` },
      said: ['user: still here'],
      unread: { badLines: 1, unknownRecords: 2 },
    })
  })

  it('read the entries of the first version, which have no ids', async () => {
    const bare = ({ id: _id, parentId: _parent, ...entry }: ReturnType<typeof piEntry>) => entry
    const file = await readOne([
      { type: 'session', id, timestamp: '2026-03-04T10:00:00.000Z', cwd: '/home/dev/app' },
      bare(piUser(1, 'from long ago')),
    ])
    expect(file.said).toEqual(['user: from long ago'])
  })

  it.skipIf(!existsSync(fixtures))(
    'read the public sample (skipped where the shared fixtures are absent)',
    async () => {
      const home: AgentHome = createAgentHome(fixtures)
      const { files, failures } = await home.read(piReader())
      expect(failures).toEqual({})
      expect(files).toHaveLength(1)
      expect(files[0]).toMatchObject({
        kind: 'session',
        facts: {
          sessionId: '019e19b4-eb48-746a-aa6b-8dfcfa37954b',
          cwd: '/tmp/as-agent-fixture/project',
          messageCount: 4,
          createdAtMs: Date.parse('2026-05-12T01:02:27.657Z'),
        },
        unread: { badLines: 0, unknownRecords: 0 },
      })
      expect(files[0]?.said).toHaveLength(6)
    },
  )
})
