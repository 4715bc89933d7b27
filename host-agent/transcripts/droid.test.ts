import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { droidReader } from './droid.ts'

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/ci', import.meta.url))
const id = '7d1f0b1e-0000-4000-8000-000000000001'
const path = `.factory/sessions/-home-dev-app/${id}.jsonl`
const startMs = Date.UTC(2026, 2, 4, 10)
const at = (second: number) => new Date(startMs + second * 1000).toISOString()
const start = (fields: object = {}) => ({
  type: 'session_start',
  id,
  title: 'Loom',
  cwd: '/home/dev/app',
  ...fields,
})
const message = (second: number, role: string, content: unknown, fields: object = {}) => ({
  type: 'message',
  id: `m${second}`,
  timestamp: at(second),
  message: { role, content },
  ...fields,
})
const text = (value: string) => [{ type: 'text', text: value }]

async function readOne(records: readonly unknown[], where = path) {
  using home = createAgentHome()
  home.write(where, records)
  const [file] = (await home.read(droidReader())).files
  if (file === undefined) throw new Error('nothing was found')
  return file
}

describe('droidReader', () => {
  const { roots, formatOf } = droidReader()
  const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in both folders, by the rules of the platform, and where the home is overridden', () => {
    expect(roots(linux).map((root) => root.path)).toEqual([
      '/home/dev/.factory/sessions',
      '/home/dev/.factory/projects',
    ])
    expect(roots({ ...linux, env: { FACTORY_HOME_OVERRIDE: '/opt/h' } })[0]?.path).toBe(
      '/opt/h/.factory/sessions',
    )
    expect(roots({ homeDir: 'C:\\Users\\dev', platform: 'win32', env: {} })[0]?.path).toBe(
      'C:\\Users\\dev\\.factory\\sessions',
    )
  })

  it('reads lines and not the settings beside them', () => {
    expect(formatOf(`p/${id}.jsonl`)?.kind).toBe('lines')
    expect(formatOf(`p/${id}.settings.json`)).toBeNull()
  })
})

describe('droid sessions', () => {
  it('tell messages, thoughts and tools in order, and the session’s facts', async () => {
    const file = await readOne([
      start(),
      message(1, 'user', text('Why does it tangle?')),
      message(2, 'assistant', [
        { type: 'thinking', thinking: 'The shuttle.' },
        { type: 'redacted_thinking', data: 'sealed' },
        ...text('Checking.'),
        { type: 'tool_use', id: 't', name: 'Execute', input: { command: 'cat log' } },
        ...text('And reading.'),
      ]),
      message(3, 'user', [
        { type: 'tool_result', tool_use_id: 't', content: text('bent') },
        { type: 'image' },
      ]),
    ])
    expect(file.said).toEqual([
      'user: Why does it tangle?',
      'assistant: The shuttle.\nChecking.',
      'tool: Execute: cat log',
      'assistant: And reading.',
      'tool: bent',
    ])
    expect(file.facts).toEqual({
      sessionId: id,
      title: 'Loom',
      cwd: '/home/dev/app',
      branch: null,
      createdAtMs: startMs + 1000,
      updatedAtMs: startMs + 3000,
      messageCount: 2,
      resumeCommand: `cd '/home/dev/app' && droid --resume '${id}'`,
    })
  })

  it.each([
    ['the name it was given', { sessionTitle: 'Given', title: 'opening' }, 'Given'],
    ['its title', { title: 'opening' }, 'opening'],
    ['its first words where the title is a placeholder', { title: 'New Session' }, 'my words'],
    [
      'what a title holds beside reminders',
      { title: '<system-reminder>x</system-reminder> opening' },
      'opening',
    ],
  ])('are named by %s', async (_name, fields, title) => {
    expect((await readOne([start(fields), message(1, 'user', text('my words'))])).facts.title).toBe(title)
  })

  it('take reminders and interruptions for nobody’s words', async () => {
    const file = await readOne([
      start({ title: 'New Session' }),
      message(1, 'user', text('<system-reminder>\nBe brief.\n</system-reminder>')),
      message(2, 'user', text('[Request interrupted by user]')),
      message(3, 'user', text('context for the model'), { visibility: 'llm_only' }),
      message(4, 'user', text('<system-reminder>x</system-reminder>\n\nDo it')),
    ])
    expect(file.said).toEqual(['tool: context for the model', 'user: Do it'])
    expect(file.facts.messageCount).toBe(1)
  })

  it('take the session of a subagent for a part of the one that called it', async () => {
    const file = await readOne([
      start({ callingSessionId: 'caller', callingToolUseId: 't1' }),
      message(1, 'user', text('Count the threads')),
      message(2, 'assistant', text('Forty')),
    ])
    expect(file).toMatchObject({
      kind: 'part',
      facts: { sessionId: 'caller', messageCount: 0, resumeCommand: null },
      said: ['assistant: Count the threads', 'assistant: Forty'],
    })
  })

  it('are read from what a run without a terminal streams, its last text once', async () => {
    const stream = (final: string) => [
      { type: 'system', subtype: 'init', session_id: 's1', cwd: '/srv', model: 'm' },
      { type: 'message', role: 'user', id: 'a', text: 'Run it', timestamp: startMs },
      {
        type: 'tool_call',
        id: 'b',
        toolName: 'Execute',
        parameters: { command: 'make' },
        timestamp: startMs,
      },
      { type: 'tool_result', id: 'c', value: 'built', isError: false, timestamp: startMs },
      { type: 'message', role: 'assistant', id: 'd', text: 'Built.', timestamp: startMs / 1000 },
      { type: 'completion', finalText: final, timestamp: startMs },
    ]
    const file = await readOne(stream('Built.'), '.factory/projects/p/x.jsonl')
    expect(file.said).toEqual(['user: Run it', 'tool: Execute: make', 'tool: built', 'assistant: Built.'])
    expect(file.facts).toMatchObject({ sessionId: 's1', cwd: '/srv', messageCount: 2, updatedAtMs: startMs })
    expect((await readOne(stream('And tested.'), '.factory/projects/p/x.jsonl')).said.at(-1)).toBe(
      'assistant: And tested.',
    )
  })

  it('count what cannot read, and what is not known', async () => {
    using home = createAgentHome()
    const known = ['todo_state', 'session_settings', 'agent_turn_outcome', 'compaction_state'].map(
      (type) => ({ type }),
    )
    const lines = [
      message(1, 'user', text('still here')),
      ...known,
      { type: 'brand_new' },
      message(2, 'oracle', []),
    ]
    home.write(path, `{"type":"session_st\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n7\n`)
    const { files } = await home.read(droidReader())
    expect(files[0]).toMatchObject({
      facts: { sessionId: id },
      said: ['user: still here'],
      unread: { badLines: 2, unknownRecords: 2 },
    })
  })

  it.skipIf(!existsSync(fixtures))(
    'reads the public samples (skipped where the shared fixtures are absent)',
    async () => {
      const { files, failures } = await createAgentHome(fixtures).read(droidReader())
      expect(failures).toEqual({})
      expect(files.map(({ facts }) => [facts.sessionId, facts.title, facts.messageCount])).toEqual([
        ['droid_large', 'Stage0 Droid Large', 5],
        ['droid_drift', 'Stage0 Droid Drift', 2],
        ['droid_s1', 'Stage0 Droid Small', 1],
      ])
      expect(files[1]?.said).toEqual(['user: Do the thing', 'assistant: Ok'])
      expect(files.every(({ unread }) => unread.unknownRecords === 0)).toBe(true)
    },
  )
})
