import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../../test/helpers/agent-home.ts'
import { geminiReader } from './gemini.ts'

const laptop = fileURLToPath(new URL('../../../shared/fixtures/laptop/', import.meta.url))
const chats = '.gemini/tmp/app/chats'
const logPath = `${chats}/session-2026-01-02T03-00-11112222.jsonl`
const head = { sessionId: 'g-1', projectHash: 'app', startTime: '2026-01-02T03:00:00Z', kind: 'main' }
const user = (id: string, content: unknown, fields: object = {}) => ({ id, type: 'user', content, ...fields })
const gemini = (id: string, content: unknown, fields: object = {}) => ({
  id,
  type: 'gemini',
  content,
  ...fields,
})

async function readOne(records: unknown, path = logPath) {
  using home = createAgentHome()
  home.write(path, records)
  const { files, failures } = await home.read(geminiReader())
  expect(failures).toEqual({})
  const [file] = files
  if (file === undefined) throw new Error('not found')
  return file
}

describe('geminiReader', () => {
  const { roots, formatOf, enters } = geminiReader()

  it('looks in the home that the environment names', () => {
    const environment = { homeDir: '/home/dev', platform: 'linux', env: {} } as const
    expect(roots(environment)).toEqual([{ path: '/home/dev/.gemini/tmp' }])
    expect(roots({ ...environment, env: { GEMINI_CLI_HOME: '/srv' } })).toEqual([
      { path: '/srv/.gemini/tmp' },
    ])
    expect(roots({ homeDir: 'C:\\Users\\dev', platform: 'win32', env: {} })).toEqual([
      { path: 'C:\\Users\\dev\\.gemini\\tmp' },
    ])
  })

  it('takes sessions and subagents, and nothing else of a project', () => {
    expect(formatOf('app/chats/session-1.json')?.kind).toBe('document')
    expect(formatOf('app/chats/session-1.jsonl')?.kind).toBe('document')
    expect(formatOf('app/chats/parent/child.jsonl')?.kind).toBe('document')
    expect(formatOf('app/logs.json')).toBeNull()
    expect(formatOf('app/checkpoint-tag.json')).toBeNull()
    expect(enters?.('app')).toBe(true)
    expect(enters?.('app/chats/parent')).toBe(true)
    expect(enters?.('app/shell_history')).toBe(false)
  })
})

describe('gemini messages', () => {
  it('takes back what a rewind takes back, from its message on', async () => {
    const read = await readOne([
      head,
      user('1', 'Paint it red'),
      gemini('2', 'Painted red.'),
      user('3', 'Paint it blue'),
      gemini('4', 'Painted blue.'),
      { $rewindTo: '3' },
      user('5', 'Paint it green'),
    ])
    expect(read.said).toEqual(['user: Paint it red', 'assistant: Painted red.', 'user: Paint it green'])
    expect(read.facts.messageCount).toBe(3)
  })

  it('takes everything back for a rewind to a message that is not there', async () => {
    const read = await readOne([head, user('1', 'Gone'), { $rewindTo: 'nowhere' }, user('2', 'Kept')])
    expect(read.said).toEqual(['user: Kept'])
  })

  it('keeps the last state of a message that is written again, and a whole new list', async () => {
    const call = { name: 'read_file', args: { file_path: 'a.ts' } }
    const again = await readOne([
      head,
      gemini('1', 'Look', { toolCalls: [] }),
      gemini('1', 'Look', { toolCalls: [call] }),
    ])
    expect(again.said).toEqual(['assistant: Look', 'tool: read_file: a.ts'])
    const anew = await readOne([head, user('1', 'Old'), { $set: { messages: [user('9', 'New')] } }])
    expect(anew.said).toEqual(['user: New'])
  })

  it('takes what the person typed, not the files that were put behind it nor the context before it', async () => {
    const typed = 'Explain @a.ts\n--- Content from referenced files ---\nconst secret = 1'
    const read = await readOne([
      head,
      user('1', '<session_context>Today is Friday</session_context>'),
      user('2', typed),
      user('3', 'expanded words', { displayContent: 'short words' }),
    ])
    expect(read.said).toEqual(['user: Explain @a.ts', 'user: short words'])
    expect(read.facts.title).toBe('Explain @a.ts')
  })

  it('names a session by its summary', async () => {
    const read = await readOne([
      head,
      user('1', 'Hi'),
      { $set: { summary: 'Greeting', lastUpdated: '2026-01-02T03:09:00Z' } },
    ])
    expect(read.facts).toMatchObject({ title: 'Greeting', updatedAtMs: Date.parse('2026-01-02T03:09:00Z') })
  })

  it('counts lines and records it cannot read', async () => {
    const read = await readOne(
      `${JSON.stringify(head)}\n{"id":\n${JSON.stringify(user('1', 'x'))}\n{"id":"2","type":"new"}\n`,
    )
    expect(read.unread).toEqual({ badLines: 1, unknownRecords: 1 })
  })

  it('fails a document that is cut short', async () => {
    using home = createAgentHome()
    const path = `${chats}/session-1.json`
    home.write(path, '{"sessionId":"g","messages":[')
    expect((await home.read(geminiReader())).failures).toEqual({
      [path]: 'The document is not complete JSON.',
    })
  })

  it('reads a session that moved from a document into a log only once', async () => {
    using home = createAgentHome()
    home.write(logPath.slice(0, -1), { ...head, messages: [user('1', 'Once')] })
    home.write(logPath, [head, user('1', 'Once'), user('2', 'More')])
    const { files } = await home.read(geminiReader())
    expect(files.map(({ kind, said }) => [kind, said])).toEqual([
      ['none', []],
      ['session', ['user: Once', 'user: More']],
    ])
  })

  it('gives a subagent to its session, its task being the words of the agent that called it', async () => {
    const read = await readOne(
      [{ ...head, sessionId: 'sub', kind: 'subagent' }, user('1', 'Count the tests')],
      `${chats}/g-1/sub.jsonl`,
    )
    expect(read.kind).toBe('part')
    expect(read.facts).toMatchObject({ sessionId: 'g-1', messageCount: 0, resumeCommand: null })
    expect(read.said).toEqual(['assistant: Count the tests'])
  })
})

describe('gemini folders', () => {
  it('takes the folder from the project itself, then from the list by name or hash, else knows none', async () => {
    using home = createAgentHome()
    const hash = createHash('sha256').update('/work/hashed').digest('hex')
    home.write('.gemini/projects.json', { projects: { '/work/listed': 'listed', '/work/hashed': 'other' } })
    for (const project of ['own', 'listed', hash, 'unknown'])
      home.write(`.gemini/tmp/${project}/chats/session-${project}.jsonl`, [head, user('1', project)])
    home.write('.gemini/tmp/own/.project_root', '/work/own\n')
    const { files } = await home.read(geminiReader())
    expect(Object.fromEntries(files.map(({ said, facts }) => [said[0], facts.cwd]))).toEqual({
      'user: own': '/work/own',
      'user: listed': '/work/listed',
      [`user: ${hash}`]: '/work/hashed',
      'user: unknown': null,
    })
    const own = files.find(({ said }) => said[0] === 'user: own')
    expect(own?.facts.resumeCommand).toBe("cd '/work/own' && gemini --resume 'g-1'")
  })
})

describe('gemini fixtures', () => {
  it.skipIf(!existsSync(laptop))(
    'reads a home of documents and a log (skipped where it is absent)',
    async () => {
      using home = createAgentHome(laptop)
      const { files, failures } = await home.read(geminiReader())
      expect(failures).toEqual({})
      expect(files.map(({ facts, said }) => [facts.sessionId, said.length, facts.messageCount])).toEqual([
        ['session-2025-12-16T23-47-b4f17607', 10, 5],
        ['session-schema_drift', 2, 2],
        ['session-2026-01-16T18-34-3739ef95', 2, 2],
        ['gemini_stage0_jsonl', 4, 2],
      ])
      expect(files.map(({ unread }) => unread)).toEqual(files.map(() => ({ badLines: 0, unknownRecords: 0 })))
      expect(files[3]?.said[3]).toBe('assistant: Hello! I listed the files.')
    },
  )
})
