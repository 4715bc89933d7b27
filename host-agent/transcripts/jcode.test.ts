import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { jcodeReader } from './jcode.ts'

const folder = '.jcode/sessions'
const path = `${folder}/session_fox_1.json`
const journalPath = `${folder}/session_fox_1.journal.jsonl`
const message = (id: string, role: string, text: string, fields: object = {}) => ({
  id,
  role,
  content: [{ type: 'text', text }],
  ...fields,
})
const session = (...messages: readonly object[]) => ({
  id: 'session_fox_1',
  parent_id: null,
  title: 'Foxes',
  created_at: '2026-01-02T03:00:00.123456789Z',
  updated_at: '2026-01-02T03:10:00Z',
  working_dir: '/work/den',
  messages,
})

describe('jcodeReader', () => {
  const { roots, formatOf } = jcodeReader()

  it('looks in the home that the environment names, and takes snapshots alone', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev/.jcode/sessions' }])
    expect(roots({ ...environment, env: { JCODE_HOME: '/j' } })).toEqual([{ path: '/j/sessions' }])
    expect(formatOf('session_fox_1.json')?.kind).toBe('document')
    expect(formatOf('session_fox_1.journal.jsonl')).toBeNull()
    expect(formatOf('session_fox_1.bak.json')).toBeNull()
  })

  it('reads a snapshot and goes on in its journal, each message once', async () => {
    using home = createAgentHome()
    home.write(
      path,
      session(
        message('1', 'user', 'Dig', { timestamp: '2026-01-02T03:00:01Z' }),
        message('2', 'assistant', 'Dug.'),
      ),
    )
    home.write(journalPath, [
      {
        meta: {
          title: 'Foxes',
          custom_title: 'Red foxes',
          updated_at: '2026-01-02T03:20:00Z',
          working_dir: '/work/new',
        },
        append_messages: [message('2', 'assistant', 'Dug.'), message('3', 'user', 'Deeper')],
      },
    ])
    const [read] = (await home.read(jcodeReader())).files
    expect(read?.said).toEqual(['user: Dig', 'assistant: Dug.', 'user: Deeper'])
    expect(read?.facts).toEqual({
      sessionId: 'session_fox_1',
      title: 'Red foxes',
      cwd: '/work/new',
      branch: null,
      createdAtMs: Date.parse('2026-01-02T03:00:00.123Z'),
      updatedAtMs: Date.parse('2026-01-02T03:20:00Z'),
      messageCount: 3,
      resumeCommand: "cd '/work/new' && jcode --resume 'session_fox_1'",
    })
  })

  it('tells thoughts of every service, and notices from a person’s words', async () => {
    using home = createAgentHome()
    const content = [
      { type: 'anthropic_thinking', thinking: 'one' },
      { type: 'open_ai_reasoning', id: 'x', summary: ['two', 'three'] },
      { type: 'reasoning_trace', text: 'four' },
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
    ]
    home.write(
      path,
      session(
        { id: '1', role: 'assistant', content },
        message('2', 'user', 'Reloaded', { display_role: 'system' }),
        message('3', 'user', 'A task ended', { display_role: 'background_task' }),
        message('4', 'user', '[Scheduled task]\nwater the plants'),
        message('5', 'user', 'My words'),
      ),
    )
    const [read] = (await home.read(jcodeReader())).files
    expect(read?.said).toEqual([
      'assistant: one\ntwo\nthree\nfour',
      'tool: Reloaded',
      'tool: A task ended',
      'tool: [Scheduled task]\nwater the plants',
      'user: My words',
    ])
  })

  it('leaves out of a session what it has from the one it was split off', async () => {
    using home = createAgentHome()
    home.write(path, session(message('1', 'user', 'Shared')))
    home.write(`${folder}/session_owl_2.json`, {
      ...session(message('1', 'user', 'Shared'), message('9', 'user', 'Own')),
      id: 'session_owl_2',
      parent_id: 'session_fox_1',
    })
    const { files } = await home.read(jcodeReader())
    expect(files.map(({ said }) => said)).toEqual([['user: Shared'], ['user: Own']])
  })

  it('counts what it cannot read, and fails a snapshot that is cut short', async () => {
    using home = createAgentHome()
    home.write(path, session(message('1', 'user', 'x'), message('2', 'oracle', 'y')))
    home.write(journalPath, '{"meta":{}}\n{torn\n')
    expect((await home.read(jcodeReader())).files[0]?.unread).toEqual({ badLines: 1, unknownRecords: 1 })
    home.write(path, '{"id":')
    expect((await home.read(jcodeReader())).failures).toEqual({
      [path]: 'The document is not complete JSON.',
    })
  })
})
