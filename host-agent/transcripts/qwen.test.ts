import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { qwenId, qwenModel, qwenPath, qwenRecord, qwenUser } from '../../test/helpers/qwen-records.ts'
import { qwenReader } from './qwen.ts'

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/ci', import.meta.url))

async function readOne(content: unknown, where = qwenPath) {
  using home = createAgentHome()
  home.write(where, content)
  const [file] = (await home.read(qwenReader())).files
  if (file === undefined) throw new Error('nothing was found')
  return file
}

const rewind = (second: number, parentUuid: string | null) =>
  qwenRecord(second, 'system', { subtype: 'rewind', parentUuid, systemPayload: { truncatedCount: 1 } })
const title = (second: number, customTitle: string, titleSource?: string) =>
  qwenRecord(second, 'system', { subtype: 'custom_title', systemPayload: { customTitle, titleSource } })

describe('qwenReader', () => {
  const { roots, enters, formatOf } = qwenReader()
  const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in its folders, also where variables move them', () => {
    expect(roots(linux).map(({ path }) => path)).toEqual(['/home/dev/.qwen/projects', '/home/dev/.qwen/tmp'])
    expect(roots({ ...linux, env: { QWEN_HOME: '~/q', QWEN_RUNTIME_DIR: '/run/q' } })[0]?.path).toBe(
      '/run/q/projects',
    )
    expect(roots({ ...linux, env: { QWEN_HOME: '~/q' } })[0]?.path).toBe('/home/dev/q/projects')
  })

  it('reads chats and subagents, and nothing else of a project', () => {
    expect(formatOf('p/chats/a.jsonl')?.kind).toBe('document')
    expect(formatOf('p/subagents/s/agent-1.jsonl')?.kind).toBe('document')
    expect(formatOf('p/subagents/s/agent-1.jsonl.stream')).toBeNull()
    expect(formatOf('p/logs.jsonl')).toBeNull()
    expect(enters?.('p/chats')).toBe(true)
    expect(enters?.('p/subagents/s')).toBe(true)
    expect(enters?.('p/memory')).toBe(false)
  })
})

describe('qwen sessions', () => {
  it('tell messages, thoughts and tools in order, and the session’s facts', async () => {
    const file = await readOne([
      qwenUser(1, 'Look at the well.'),
      qwenModel(2, [
        { text: 'First the file.', thought: true },
        { text: 'Reading.' },
        { functionCall: { id: 'c', name: 'read_file', args: { path: 'well.md' } } },
      ]),
      qwenRecord(3, 'tool_result', {
        message: { parts: [{ functionResponse: { id: 'c', response: { output: 'deep' } } }] },
      }),
      qwenRecord(4, 'tool_result', {
        message: { parts: [{ functionResponse: { id: 'd', response: { error: 'no such file' } } }] },
      }),
      qwenModel(5, [{ text: 'Deep.' }], { gitBranch: 'fix' }),
    ])
    expect(file.said).toEqual([
      'user: Look at the well.',
      'assistant: First the file.\nReading.',
      'tool: read_file: well.md',
      'tool: deep',
      'tool: no such file',
      'assistant: Deep.',
    ])
    expect(file.facts).toEqual({
      sessionId: qwenId,
      title: 'Look at the well.',
      cwd: '/home/dev/app',
      branch: 'fix',
      createdAtMs: Date.UTC(2026, 2, 4, 10, 0, 1),
      updatedAtMs: Date.UTC(2026, 2, 4, 10, 0, 5),
      messageCount: 3,
      resumeCommand: `cd '/home/dev/app' && qwen --resume '${qwenId}'`,
    })
  })

  it('have taken back what a rewind took back, its title too', async () => {
    const file = await readOne([
      qwenUser(1, 'keep'),
      qwenModel(2, [{ text: 'dropped' }]),
      title(3, 'Dropped'),
      qwenUser(4, 'dropped as well'),
      rewind(5, 'q1'),
      qwenModel(6, [{ text: 'instead' }]),
    ])
    expect(file.said).toEqual(['user: keep', 'assistant: instead'])
    expect(file.facts).toMatchObject({ title: 'keep', messageCount: 2 })
  })

  it('have taken back everything where a rewind goes to the start, and nothing where its place is unknown', async () => {
    const before = [qwenUser(1, 'one'), qwenModel(2, [{ text: 'two' }])]
    expect((await readOne([...before, rewind(3, null), qwenUser(4, 'anew')])).said).toEqual(['user: anew'])
    expect((await readOne([...before, rewind(3, 'gone'), qwenUser(4, 'more')])).said).toHaveLength(3)
  })

  it('apply a rewind within a rewind', async () => {
    const file = await readOne([
      qwenUser(1, 'a'),
      qwenModel(2, [{ text: 'b' }]),
      rewind(3, 'q1'),
      qwenModel(4, [{ text: 'c' }]),
      { ...rewind(5, 'q1'), uuid: 'q5' },
      qwenModel(6, [{ text: 'd' }]),
    ])
    expect(file.said).toEqual(['user: a', 'assistant: d'])
  })

  it('are named by a person’s title before a generated one, by a command where nothing was said', async () => {
    const words = qwenUser(1, 'words')
    const named = async (...records: readonly object[]) => (await readOne([words, ...records])).facts.title
    expect(await named(title(2, 'Mine'), title(3, 'Generated', 'auto'))).toBe('Mine')
    expect(await named(title(2, 'Older', 'auto'), title(3, 'Newer', 'auto'))).toBe('Newer')
    const command = qwenRecord(1, 'system', {
      subtype: 'slash_command',
      systemPayload: { phase: 'invocation', rawCommand: '/about' },
    })
    expect(await readOne([command])).toMatchObject({ facts: { title: '/about' }, said: ['tool: /about'] })
  })

  it('hold no copies of the session they were branched from', async () => {
    const forkedFrom = { sessionId: 'other', messageUuid: 'q1' }
    const file = await readOne([qwenUser(1, 'copied', { forkedFrom }), qwenUser(2, 'own')])
    expect(file.said).toEqual(['user: own'])
    expect(file.facts).toMatchObject({ title: 'own', messageCount: 1 })
  })

  it('take what hooks, notices and schedules put in for none of a person’s words', async () => {
    const file = await readOne([
      qwenUser(1, 'notice', { subtype: 'notification' }),
      qwenUser(2, 'go on', { provenance: 'goal_runtime' }),
      qwenRecord(3, 'user', {
        message: {
          parts: [
            { text: 'Real @a.md' },
            { text: '<qwen:user-prompt-submit-context>\nhook\n</qwen:user-prompt-submit-context>' },
            { text: '--- Content from referenced files ---\nin a.md' },
          ],
        },
      }),
      qwenUser(4, 'typed in between', { subtype: 'mid_turn_user_message' }),
    ])
    expect(file.said).toEqual([
      'tool: notice',
      'tool: go on',
      'user: Real @a.md',
      'tool: in a.md',
      'user: typed in between',
    ])
    expect(file.facts.title).toBe('Real @a.md')
  })

  it('count a reply in pieces once, and tell a record that was written twice once', async () => {
    const thought = qwenModel(2, [{ text: 'hm', thought: true }])
    const reply = { ...qwenModel(3, [{ text: 'yes' }]), uuid: 'q2' }
    const file = await readOne([qwenUser(1, 'well?'), thought, reply, reply])
    expect(file.said).toEqual(['user: well?', 'assistant: hm', 'assistant: yes'])
    expect(file.facts.messageCount).toBe(2)
  })

  it('are parts of their session where a subagent wrote them', async () => {
    const where = `.qwen/projects/p/subagents/${qwenId}/agent-explore-1.jsonl`
    const file = await readOne([qwenUser(1, 'Explore'), qwenModel(2, [{ text: 'Explored' }])], where)
    expect(file).toMatchObject({
      kind: 'part',
      facts: { sessionId: qwenId, messageCount: 0, resumeCommand: null },
      said: ['assistant: Explore', 'assistant: Explored'],
    })
  })

  it('survive glued records and torn lines, and count what cannot be read', async () => {
    const glued = `${JSON.stringify(qwenUser(1, 'a "quoted \\" {brace'))}${JSON.stringify(qwenModel(2, [{ text: 'b' }]))}`
    const file = await readOne(
      `${glued}\n{"torn":\n${JSON.stringify(qwenRecord(3, 'system', { subtype: 'brand_new' }))}\n{"uuid":"still being wri`,
    )
    expect(file.said).toEqual(['user: a "quoted \\" {brace', 'assistant: b'])
    expect(file.unread).toEqual({ badLines: 1, unknownRecords: 1 })
  })

  it.skipIf(!existsSync(fixtures))(
    'read the public samples (skipped where the shared fixtures are absent)',
    async () => {
      const { files, failures } = await createAgentHome(fixtures).read(qwenReader())
      expect(failures).toEqual({})
      expect(files.map(({ facts }) => facts.messageCount)).toEqual([3, 1, 3, 2, 1, 1])
      expect(files.every(({ unread }) => unread.badLines === 0 && unread.unknownRecords === 0)).toBe(true)
      expect(files[2]).toMatchObject({
        facts: { title: 'Active branch title', sessionId: '019f0000-0000-7000-8000-000000000004' },
        said: [
          'user: Begin the active-chain fixture.',
          'user: Continue from the rewound branch.',
          'assistant: Reason over the active branch.',
          'tool: read_file: /tmp/as-qwen-fixture/new-project/README.md',
          'assistant: Active branch answer.',
        ],
      })
      // The file's name is what Qwen finds it by, whatever its records say.
      expect(files[1]?.facts.sessionId).toBe('019f0000-0000-7000-8000-000000000002')
    },
  )
})
