/** Qoder and CodeBuddy, which write as Claude Code does or nearly so. */
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { assistant, mainPath, record, sessionId, textBlock, user } from '../../test/helpers/claude-records.ts'
import { buddyId, buddyPath, buddyRecord, buddyStartMs } from '../../test/helpers/codebuddy-records.ts'
import { codebuddyReader } from './codebuddy.ts'
import { qoderReader } from './qoder.ts'
import type { AgentEnvironment, TranscriptReader } from './reader.ts'

const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

async function readFiles(reader: TranscriptReader, files: Readonly<Record<string, unknown>>) {
  using home = createAgentHome()
  for (const [path, content] of Object.entries(files)) home.write(path, content)
  return (await home.read(reader)).files
}

describe('qoderReader', () => {
  const path = `.qoder/projects/${mainPath}`
  const manifestPath = path.replace('.jsonl', '-session.json')
  const words = [user(0, 'first words'), record(1, { type: 'ai-title', aiTitle: 'Generated' })]
  const facts = async (manifest: unknown, ...records: readonly object[]) =>
    (await readFiles(qoderReader(), { [manifestPath]: manifest, [path]: [...words, ...records] }))[0]?.facts

  it('looks where each of its programs writes, by platform', () => {
    expect(
      qoderReader()
        .roots(linux)
        .map((root) => root.path),
    ).toEqual([
      '/home/dev/.qoder/projects',
      '/home/dev/.qoderwork/projects',
      '/home/dev/.config/Qoder/SharedClientCache/cli/projects',
    ])
    const windows = { homeDir: 'C:\\Users\\dev', platform: 'win32', env: { APPDATA: 'D:\\Data' } } as const
    expect(qoderReader().roots(windows)[2]?.path).toBe('D:\\Data\\Qoder\\SharedClientCache\\cli\\projects')
    expect(qoderReader().roots({ ...linux, homeDir: '/Users/dev', platform: 'darwin' })[2]?.path).toBe(
      '/Users/dev/Library/Application Support/Qoder/SharedClientCache/cli/projects',
    )
  })

  it('names a session by its manifest, unless a person named it in the session', async () => {
    expect((await facts({ title: 'From beside' }))?.title).toBe('From beside')
    const custom = record(2, { type: 'custom-title', customTitle: 'Mine' })
    expect((await facts({ title: 'From beside' }, custom))?.title).toBe('Mine')
    expect((await facts({}))?.title).toBe('Generated')
    expect((await facts('{"torn'))?.title).toBe('Generated')
  })

  it('makes a session due when its manifest changes', () => {
    const file = { root: { path: '/r' }, path: '/r/p/a.jsonl', relativePath: 'p/a.jsonl' }
    expect(qoderReader().companions?.(file)).toEqual(['/r/p/a-session.json'])
  })

  it('takes the folder from the manifest where the records have none, and has a command of its own', async () => {
    const [file] = await readFiles(qoderReader(), {
      [manifestPath]: { working_dir: '/home/dev/beside' },
      [path]: [{ type: 'user', sessionId, message: { content: 'hi' }, timestamp: '2026-01-02T03:00:00Z' }],
    })
    expect(file?.facts).toMatchObject({
      cwd: '/home/dev/beside',
      resumeCommand: `cd '/home/dev/beside' && qodercli -r '${sessionId}'`,
    })
  })

  it('knows its own records, keeps sealed thoughts sealed, and takes subagents for parts', async () => {
    const files = await readFiles(qoderReader(), {
      [path]: [
        { type: 'runtime-config', sessionId, model: 'm', timestamp: 1_767_322_800_000 },
        assistant(1, 'm1', [{ type: 'redacted_thinking', data: 'QE:secret' }, textBlock('Answer.')]),
        record(2, { type: 'brand-new' }),
      ],
      [`.qoder/projects/-other/${sessionId}/subagents/agent-a1.jsonl`]: [
        user(2, 'Go', { isSidechain: true }),
        assistant(3, 'm2', [textBlock('Gone.')], { isSidechain: true }),
      ],
    })
    expect(files.map(({ kind, facts: { sessionId: id }, said }) => [kind, id, said])).toEqual([
      ['session', sessionId, ['assistant: Answer.']],
      ['part', sessionId, ['assistant: Go', 'assistant: Gone.']],
    ])
    expect(files[0]?.unread).toEqual({ badLines: 0, unknownRecords: 1 })
  })
})

describe('codebuddyReader', () => {
  const read = async (...records: readonly unknown[]) =>
    (await readFiles(codebuddyReader(), { [buddyPath]: records }))[0]
  const said = (second: number, role: string, text: string, fields: object = {}) =>
    buddyRecord(second, 'message', { role, content: [{ type: 'input_text', text }], ...fields })

  it('looks in its home and in its extension’s, also where variables move them', () => {
    const paths = (environment: AgentEnvironment) =>
      codebuddyReader()
        .roots(environment)
        .map((root) => root.path)
    expect(paths(linux)).toEqual([
      '/home/dev/.codebuddy/projects',
      '/home/dev/.config/CodeBuddyExtension/Data',
      '/home/dev/.local/share/CodeBuddyExtension/Data',
    ])
    expect(paths({ ...linux, env: { CODEBUDDY_CONFIG_DIR: '/opt/buddy' } })[0]).toBe('/opt/buddy/projects')
    expect(paths({ homeDir: 'C:\\Users\\dev', platform: 'win32', env: {} })[1]).toBe(
      'C:\\Users\\dev\\AppData\\Local\\CodeBuddyExtension\\Data',
    )
  })

  it('reads the records of its command line', async () => {
    const file = await read(
      said(0, 'user', '<system-reminder>x</system-reminder>'),
      said(1, 'user', 'Who winds the clock?'),
      buddyRecord(2, 'reasoning', {
        rawContent: [{ type: 'reasoning_text', text: 'A list.' }],
        providerData: { messageId: 'r' },
      }),
      said(3, 'assistant', 'Looking.', { providerData: { messageId: 'r' } }),
      buddyRecord(4, 'function_call', { callId: 'c', name: 'Read', arguments: '{"file_path":"a.md"}' }),
      buddyRecord(5, 'function_call_result', { callId: 'c', output: { type: 'text', text: 'the baker' } }),
      said(6, 'system', 'for the model'),
    )
    expect(file?.said).toEqual([
      'user: Who winds the clock?',
      'assistant: A list.',
      'assistant: Looking.',
      'tool: Read: a.md',
      'tool: the baker',
      'tool: for the model',
    ])
    expect(file?.facts).toEqual({
      sessionId: buddyId,
      title: 'Who winds the clock?',
      cwd: '/home/dev/app',
      branch: null,
      createdAtMs: buddyStartMs,
      updatedAtMs: buddyStartMs + 6000,
      // One reply in several records counts once.
      messageCount: 2,
      resumeCommand: `cd '/home/dev/app' && codebuddy --resume '${buddyId}'`,
    })
  })

  it('names a session by its topic', async () => {
    expect(
      (await read(said(1, 'user', 'words'), buddyRecord(2, 'topic', { topic: 'Clock' })))?.facts.title,
    ).toBe('Clock')
  })

  it('reads records in Claude’s shape as well, and counts what it does not know', async () => {
    const file = await read(
      user(0, 'as Claude'),
      assistant(1, 'm', [textBlock('does')]),
      buddyRecord(2, 'brand-new'),
    )
    expect(file?.said).toEqual(['user: as Claude', 'assistant: does'])
    expect(file?.unread).toEqual({ badLines: 0, unknownRecords: 1 })
  })
})

describe('codebuddy’s extension', () => {
  const workspace = '.config/CodeBuddyExtension/Data/u1/CodeBuddyIDE/history/w1'
  const folder = `${workspace}/session-1`
  const message = (role: string, second: number, content: unknown, extra: unknown = {}) => ({
    role,
    createdAt: new Date(buddyStartMs + second * 1000).toISOString(),
    message: JSON.stringify({ role, content }),
    extra: JSON.stringify(extra),
  })
  const index = (...ids: readonly string[]) => ({ messages: ids.map((id) => ({ id, type: 'x' })) })

  it('tells the messages in the order of the index, and names the session by the workspace’s', async () => {
    const sent =
      '<user_info>\nWorkspace Folder: /home/dev/app\n</user_info>\n<user_query>Wind it</user_query>'
    const [file] = await readFiles(codebuddyReader(), {
      [`${workspace}/index.json`]: {
        conversations: [{ id: 'session-1', name: 'The clock', createdAt: '2026-03-04T09:00:00Z' }],
      },
      [`${folder}/index.json`]: index('m2', 'm3', 'm4', 'm5', '../m1', 'gone'),
      [`${folder}/messages/m1.json`]: message('user', 0, [{ type: 'text', text: 'not listed' }]),
      [`${folder}/messages/m2.json`]: message('user', 1, [{ type: 'text', text: sent }]),
      [`${folder}/messages/m3.json`]: message('assistant', 2, [
        { type: 'reasoning', text: 'A key.' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'run', args: { command: 'ls' } },
      ]),
      [`${folder}/messages/m4.json`]: message('tool', 3, [
        { type: 'tool-result', toolCallId: 'c', result: { result: { stdout: 'key.txt' } } },
      ]),
      [`${folder}/messages/m5.json`]: message('user', 4, [{ type: 'text', text: 'expanded' }], {
        sourceContentBlocks: [{ type: 'text', text: 'as typed' }],
      }),
    })
    expect(file?.said).toEqual([
      'user: Wind it',
      'assistant: A key.\nLooking.',
      'tool: run: ls',
      'tool: key.txt',
      'user: as typed',
    ])
    expect(file?.facts).toEqual({
      sessionId: 'session-1',
      title: 'The clock',
      cwd: '/home/dev/app',
      branch: null,
      createdAtMs: buddyStartMs - 3_600_000,
      updatedAtMs: buddyStartMs + 4000,
      messageCount: 3,
      resumeCommand: null,
    })
    // A path in an id, and a message whose file is not there.
    expect(file?.unread).toEqual({ badLines: 2, unknownRecords: 0 })
  })

  it('fails where the index is torn or lists nothing', async () => {
    using home = createAgentHome()
    home.write(`${folder}/index.json`, '{"messages":[')
    home.write(`${workspace}/session-2/index.json`, {})
    const { failures } = await home.read(codebuddyReader())
    expect(Object.values(failures)).toEqual([
      'The document is not complete JSON.',
      'The document lists no messages.',
    ])
  })
})
