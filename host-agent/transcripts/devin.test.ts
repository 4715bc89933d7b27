import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { readFiles, readOnlyFile, readWhileWritten } from '../../test/helpers/read-files.ts'
import { devinReader } from './devin.ts'

const reader = devinReader()
const folder = '.local/share/devin/cli'
const startS = Date.UTC(2026, 2, 1, 9) / 1000
const at = (second: number) => new Date((startS + second) * 1000).toISOString()

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

const transcript = (id: string, steps: unknown[], more: object = {}) =>
  home.write(`${folder}/transcripts/${id}.json`, {
    schema_version: 'ATIF-v1.7',
    session_id: id,
    steps,
    ...more,
  })

describe('devinReader', () => {
  it('tells a session in the interchange format, and its facts from the database beside it', async () => {
    transcript('s', [
      { step_id: 1, source: 'system', message: 'You are Devin.', timestamp: at(0) },
      { step_id: 2, source: 'user', message: 'Why does the gate stick?', timestamp: at(1) },
      {
        step_id: 3,
        source: 'agent',
        message: [
          { type: 'text', text: 'I look.' },
          { type: 'image', source: {} },
        ],
        reasoning_content: 'Rust?',
        tool_calls: [{ tool_call_id: 'c', function_name: 'shell', arguments: { command: 'gate --hinge' } }],
        observation: { results: [{ source_call_id: 'c', content: 'rusty' }] },
        timestamp: at(2),
      },
    ])
    home.database(
      `${folder}/sessions.db`,
      `CREATE TABLE sessions (id TEXT PRIMARY KEY, working_directory TEXT, title TEXT, model TEXT, created_at INTEGER,
        last_activity_at INTEGER, hidden INTEGER);
      INSERT INTO sessions VALUES ('s', '/work/gate', 'Mend the gate', 'm', ${startS - 5}, ${startS + 60}, 0)`,
    )
    const { kind, said, times, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'tool: You are Devin.',
      'user: Why does the gate stick?',
      'assistant: Rust?\nI look.',
      'tool: shell: gate --hinge',
      'tool: rusty',
    ])
    expect(times[1]).toBe(at(1))
    expect({ kind, unread }).toEqual({ kind: 'session', unread: { badLines: 0, unknownRecords: 0 } })
    expect(facts).toEqual({
      sessionId: 's',
      title: 'Mend the gate',
      cwd: '/work/gate',
      branch: null,
      createdAtMs: (startS - 5) * 1000,
      updatedAtMs: (startS + 60) * 1000,
      messageCount: 2,
      resumeCommand: "cd '/work/gate' && devin --resume 's'",
    })
  })

  it('reads the older steps, and folders from the document alone', async () => {
    transcript(
      's',
      [
        { metadata: { is_user_input: true, created_at: at(1) }, text: 'Ask', role: 'user' },
        { metadata: { is_user_input: false, created_at: at(2) }, role: 'user', content: 'A reminder' },
        {
          metadata: { is_user_input: false },
          role: 'assistant',
          message: { content: 'nothing' },
          content: 'ignored',
        },
        {
          metadata: { is_user_input: false },
          content: 'Answer',
          tool_calls: [{ function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
      ],
      { workspace_dirs: [{ root_path: '/work/gate' }] },
    )
    const { said, times, facts } = await readOnlyFile(home, reader)
    expect(said).toEqual(['user: Ask', 'tool: A reminder', 'assistant: Answer', 'tool: read: a'])
    expect(times).toEqual([at(1), at(2), null, null])
    expect(facts).toMatchObject({ title: 'Ask', cwd: '/work/gate', messageCount: 2 })
  })

  it('reads a database of the first versions, and leaves out what Devin hides', async () => {
    transcript('s', [{ source: 'user', message: 'Ask' }])
    const db = home.database(
      `${folder}/sessions.db`,
      "CREATE TABLE sessions (id TEXT, working_directory TEXT, title TEXT, created_at INTEGER); INSERT INTO sessions VALUES ('s', '/w', 'Old', 1)",
    )
    expect((await readOnlyFile(home, reader)).facts).toMatchObject({ title: 'Old', cwd: '/w' })
    db.exec(
      'ALTER TABLE sessions ADD COLUMN last_activity_at INTEGER; ALTER TABLE sessions ADD COLUMN hidden INTEGER',
    )
    db.exec('UPDATE sessions SET hidden = 1')
    expect(await readOnlyFile(home, reader)).toMatchObject({ kind: 'none', said: [] })
  })

  it('tells a session once, where its log lies beside its transcript', async () => {
    transcript('s', [{ source: 'user', message: 'Ask' }])
    for (const id of ['s', 't'])
      home.write(`${folder}/agent_logs/${id}.json`, {
        session_id: id,
        steps: [{ source: 'user', message: `Log ${id}` }],
      })
    expect((await readFiles(home, reader)).map(({ facts, said }) => [facts.sessionId, said])).toEqual([
      ['s', []],
      ['t', ['user: Log t']],
      ['s', ['user: Ask']],
    ])
  })

  it('reads from the database the sessions without a transcript, and those alone', async () => {
    transcript('s', [{ source: 'user', message: 'Ask' }])
    const db = home.database(
      `${folder}/sessions.db`,
      `PRAGMA busy_timeout = 0;
      CREATE TABLE sessions (id TEXT PRIMARY KEY, working_directory TEXT, title TEXT, created_at INTEGER,
        last_activity_at INTEGER, hidden INTEGER);
      CREATE TABLE message_nodes (row_id INTEGER PRIMARY KEY, session_id TEXT, node_id INTEGER, parent_node_id INTEGER,
        chat_message TEXT, created_at INTEGER);`,
    )
    for (const id of ['s', 't', 'u'])
      db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)').run(
        id,
        '/w',
        `Title ${id}`,
        startS,
        startS,
        id === 'u' ? 1 : 0,
      )
    const add = (id: string, second: number, message: unknown): void => {
      const json = typeof message === 'string' ? message : JSON.stringify(message)
      db.prepare('INSERT INTO message_nodes (session_id, chat_message, created_at) VALUES (?, ?, ?)').run(
        id,
        json,
        startS + second,
      )
    }
    for (const id of ['s', 't', 'u']) add(id, 1, { role: 'user', content: `Ask ${id}` })
    add('t', 2, {
      role: 'assistant',
      content: 'I look.',
      thinking: 'Rust?',
      tool_calls: [{ id: 'c', function: { name: 'shell', arguments: '{"command":"gate --hinge"}' } }],
    })
    add('t', 3, { role: 'tool', content: 'rusty', tool_call_id: 'c' })
    add('t', 4, '{"role"')
    const files = await readFiles(home, reader)
    expect(
      files.map(({ path, kind, said, unread }) => [
        path.slice(folder.length + 1),
        kind,
        said,
        unread.badLines,
      ]),
    ).toEqual([
      ['sessions.db#s', 'none', [], 0],
      [
        'sessions.db#t',
        'session',
        ['user: Ask t', 'assistant: Rust?\nI look.', 'tool: shell: gate --hinge', 'tool: rusty'],
        1,
      ],
      ['transcripts/s.json', 'session', ['user: Ask'], 0],
    ])
    expect(files[1]?.times[0]).toBe(at(1))
    expect(files[1]?.facts).toMatchObject({
      title: 'Title t',
      cwd: '/w',
      messageCount: 2,
      updatedAtMs: (startS + 3) * 1000,
    })
    const { texts, writes } = readWhileWritten(home, reader, db, `${folder}/sessions.db`, 't')
    expect([texts.length, writes > 2]).toEqual([4, true])
  })

  it('counts what it does not know, and fails a document that is torn or no session', async () => {
    transcript('a', [
      null,
      { source: 'oracle', message: 'Doom' },
      { source: 'agent', message: [{ type: 'smell' }, 'after'] },
    ])
    home.write(`${folder}/transcripts/b.json`, '{"steps": [')
    home.write(`${folder}/transcripts/c.json`, {})
    home.write(`${folder}/other/d.json`, {})
    const { files, failures } = await home.read(reader)
    expect(files.map(({ said, unread }) => [said, unread])).toEqual([
      [['assistant: after'], { badLines: 1, unknownRecords: 2 }],
    ])
    expect(Object.values(failures)).toEqual([
      'The document is not complete JSON.',
      'The document has no list of steps.',
    ])
  })

  it('holds up no writer of the database beside a transcript', async () => {
    transcript('s', [{ source: 'user', message: 'Ask' }])
    const db = home.database(
      `${folder}/sessions.db`,
      "PRAGMA busy_timeout = 0; CREATE TABLE sessions (id TEXT, title TEXT, working_directory TEXT, created_at INTEGER); INSERT INTO sessions VALUES ('s', 'One', NULL, 1)",
    )
    expect((await readOnlyFile(home, reader)).facts.title).toBe('One')
    db.exec("UPDATE sessions SET title = 'Two'")
    expect((await readOnlyFile(home, reader)).facts.title).toBe('Two')
  })

  it('looks where its variables and its platform say', () => {
    const roots = (platform: NodeJS.Platform, homeDir: string, env = {}) =>
      reader.roots({ homeDir, platform, env }).map(({ path }) => path)
    expect(roots('linux', '/home/a')).toEqual(['/home/a/.local/share/devin/cli'])
    expect(roots('darwin', '/Users/a', { XDG_DATA_HOME: '/data' })).toEqual(['/data/devin/cli'])
    expect(roots('linux', '/home/a', { DEVIN_HOME: '/devin' })).toEqual(['/devin', '/devin/cli'])
    expect(roots('win32', 'C:\\a', { APPDATA: 'D:\\r' })).toEqual(['D:\\r\\devin\\cli'])
  })
})
