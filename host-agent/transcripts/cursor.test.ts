import { existsSync, utimesSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { cursorReader } from './cursor.ts'

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/laptop', import.meta.url))
const id = '3c9d0a52-0000-4000-8000-000000000001'
const folder = '.cursor/projects/home-dev-app/agent-transcripts'
const path = `${folder}/${id}/${id}.jsonl`
const text = (value: string) => ({ type: 'text', text: value })
const line = (role: string, ...content: readonly object[]) => ({ role, message: { content } })

async function readFiles(files: Readonly<Record<string, unknown>>) {
  using home = createAgentHome()
  for (const [at, content] of Object.entries(files)) home.write(at, content)
  return await home.read(cursorReader())
}

describe('cursorReader', () => {
  const { roots, enters, formatOf } = cursorReader()
  const linux = { homeDir: '/home/dev', platform: 'linux', env: {} } as const

  it('looks in its projects, also where a variable moves them', () => {
    expect(roots(linux)).toEqual([{ path: '/home/dev/.cursor/projects' }])
    expect(roots({ ...linux, env: { CURSOR_DATA_DIR: '/opt/cursor' } })).toEqual([
      { path: '/opt/cursor/projects' },
    ])
  })

  it('enters transcripts alone', () => {
    expect(enters?.('p')).toBe(true)
    expect(enters?.('p/agent-transcripts/x/subagents')).toBe(true)
    expect(enters?.('p/terminals')).toBe(false)
    expect(formatOf(`p/agent-transcripts/${id}.jsonl`)?.kind).toBe('lines')
    expect(formatOf(`p/agent-transcripts/${id}.txt`)?.kind).toBe('document')
    expect(formatOf('p/terminals/1.txt')).toBeNull()
    expect(formatOf('p/agent-transcripts/x/notes.txt')).toBeNull()
  })
})

describe('cursor transcripts', () => {
  it('tell messages, thoughts and tools in order', async () => {
    const { files } = await readFiles({
      [path]: [
        line('user', text('What files are here?')),
        line(
          'assistant',
          { type: 'thinking', thinking: 'Look.' },
          text('Looking.'),
          { type: 'tool_use', name: 'Shell', input: { command: 'ls' } },
          { type: 'tool_call', name: 'read_file', input: { path: 'a.md' } },
          { type: 'brand_new', text: 'visible all the same' },
        ),
        line('user', { type: 'tool-result', name: 'Shell', content: [text('a.md')] }),
        { type: 'turn_ended', status: 'success' },
        { type: 'brand_new' },
      ],
    })
    expect(files[0]).toMatchObject({
      kind: 'session',
      said: [
        'user: What files are here?',
        'assistant: Look.\nLooking.',
        'tool: Shell: ls',
        'tool: read_file: a.md',
        'assistant: visible all the same',
        'tool: a.md',
      ],
      facts: { sessionId: id, title: 'What files are here?', messageCount: 2, cwd: null },
      unread: { badLines: 0, unknownRecords: 1 },
    })
  })

  it('read lines whose content stands without a message around it, with a time of their own', async () => {
    const { files } = await readFiles({
      [path]: [{ role: 'user', content: 'bare words', timestamp: 1_772_618_400 }, { role: 'user' }],
    })
    expect(files[0]).toMatchObject({ said: ['user: bare words'], times: ['2026-03-04T10:00:00.000Z'] })
  })

  it('take the person’s words out of what the editor adds', async () => {
    const { files } = await readFiles({
      [path]: [
        line(
          'user',
          text('<user_info>OS</user_info>'),
          text(
            '<timestamp>now</timestamp>\n<user_query>\nFix it\n</user_query>\n<attached_files>f</attached_files>',
          ),
        ),
        line('user', text('<system_reminder>x</system_reminder>')),
        line('user', text('Without any tag')),
      ],
    })
    expect(files[0]?.said).toEqual(['user: Fix it', 'user: Without any tag'])
    expect(files[0]?.facts.title).toBe('Fix it')
  })

  it('find title, folder and times in the chat’s manifest, whatever the hash of its folder', async () => {
    const { files } = await readFiles({
      [path]: [line('user', text('words'))],
      '.cursor/chats/aaaa/other/meta.json': { title: 'Not this' },
      [`.cursor/chats/bbbb/${id}/meta.json`]: {
        title: 'This one',
        cwd: '/home/dev/app',
        createdAtMs: 1_772_618_400_000,
        updatedAtMs: 1_772_618_460_000,
      },
    })
    expect(files[0]?.facts).toMatchObject({
      title: 'This one',
      cwd: '/home/dev/app',
      createdAtMs: 1_772_618_400_000,
      updatedAtMs: 1_772_618_460_000,
      resumeCommand: `cd '/home/dev/app' && cursor-agent --resume '${id}'`,
    })
  })

  it('are as old as their file where nothing beside them says more', async () => {
    using home = createAgentHome()
    utimesSync(home.write(path, [line('user', text('words'))]), 0, 1_772_618_460)
    const { files } = await home.read(cursorReader())
    expect(files[0]?.facts).toMatchObject({ createdAtMs: null, updatedAtMs: 1_772_618_460_000 })
  })

  it('take the folder from the record of trust where there is no manifest, and never from a name', async () => {
    const { files } = await readFiles({
      [path]: [line('user', text('words'))],
      '.cursor/projects/home-dev-app/.workspace-trusted': { workspacePath: '/home/dev/app' },
    })
    expect(files[0]?.facts.cwd).toBe('/home/dev/app')
  })

  it('are parts of their session where a subagent wrote them', async () => {
    const { files } = await readFiles({
      [path]: [line('user', text('delegate'))],
      [`${folder}/${id}/subagents/9f3b0000-0000-4000-8000-000000000002.jsonl`]: [
        line('user', text('count')),
        line('assistant', text('seven')),
      ],
    })
    expect(files.map(({ kind, facts, said }) => [kind, facts.sessionId, facts.messageCount, said])).toEqual([
      ['session', id, 1, ['user: delegate']],
      ['part', id, 0, ['assistant: count', 'assistant: seven']],
    ])
  })

  it.skipIf(!existsSync(fixtures))(
    'read the public samples (skipped where the shared fixtures are absent)',
    async () => {
      const { files, failures } = await createAgentHome(fixtures).read(cursorReader())
      expect(failures).toEqual({})
      expect(files.map(({ facts, said }) => [facts.sessionId, facts.messageCount, said.length])).toEqual([
        ['large', 7, 11],
        ['schema_drift', 3, 6],
        ['small', 4, 5],
      ])
      expect(files.every(({ unread }) => unread.unknownRecords === 0)).toBe(true)
    },
  )
})

describe('cursor’s older texts', () => {
  const textPath = `${folder}/${id}.txt`
  const transcript = [
    'user:',
    '<user_query>',
    'Why is it slow?',
    '</user_query>',
    '',
    'assistant:',
    '[Thinking] Perhaps a loop.',
    'I look at the code.',
    '[Tool call] Shell',
    '  command=rg loop',
    '[Tool result] Shell',
    '  main.c: loop',
    'It is the loop.',
    'assistant: is no mark within a line',
    'user:',
    'Thanks.',
  ].join('\n')

  it('tell messages, thoughts and tools, to the last', async () => {
    const { files } = await readFiles({ [textPath]: transcript })
    expect(files[0]).toMatchObject({
      facts: { sessionId: id, title: 'Why is it slow?', messageCount: 3 },
      said: [
        'user: Why is it slow?',
        'assistant: Perhaps a loop.\nI look at the code.',
        'tool: Shell: command=rg loop',
        'tool: main.c: loop',
        'assistant: It is the loop.\nassistant: is no mark within a line',
        'user: Thanks.',
      ],
    })
  })

  it('give way to the same session as lines', async () => {
    const lines = [line('user', text('as lines'))]
    const inFolder = await readFiles({ [textPath]: transcript, [path]: lines })
    expect(inFolder.files.map(({ kind }) => kind).toSorted()).toEqual(['none', 'session'])
    const beside = await readFiles({ [textPath]: transcript, [`${folder}/${id}.jsonl`]: lines })
    expect(beside.files.filter(({ kind }) => kind === 'session').map(({ said }) => said)).toEqual([
      ['user: as lines'],
    ])
  })
})
