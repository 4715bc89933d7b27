import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { readFiles, readOnlyFile, readWhileWritten, sourceOf } from '../../test/helpers/read-files.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { hermesReader } from './hermes.ts'

const ci = fileURLToPath(new URL('../../../shared/fixtures/ci', import.meta.url))
const reader = hermesReader()
const tables = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model_config TEXT, system_prompt TEXT, parent_session_id TEXT,
  started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, title TEXT, cwd TEXT, git_branch TEXT, last_activity_at REAL,
  rewind_count INTEGER NOT NULL DEFAULT 0);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, reasoning TEXT, reasoning_content TEXT,
  active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, display_kind TEXT);
CREATE INDEX idx_messages_session ON messages (session_id, timestamp);
`
const startS = Date.UTC(2026, 2, 1, 9) / 1000

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

const makeDatabase = (sql = tables, path = '.hermes/state.db'): SqlDatabase => home.database(path, sql)

function insert(db: SqlDatabase, table: string, row: Record<string, string | number | null>): void {
  const names = Object.keys(row)
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`).run(
    ...Object.values(row),
  )
}

type Row = Record<string, string | number | null>
const addSession = (db: SqlDatabase, id: string, more: Row = {}): void =>
  insert(db, 'sessions', { id, source: 'cli', started_at: startS, last_activity_at: startS + 60, ...more })
const add = (
  db: SqlDatabase,
  session: string,
  second: number,
  role: string,
  content: string,
  more: Row = {},
): void =>
  insert(db, 'messages', { session_id: session, role, content, timestamp: startS + second + 0.25, ...more })

describe('hermesReader on its database', () => {
  it('tells a session’s words, thoughts, calls and results, and its facts', async () => {
    const db = makeDatabase()
    addSession(db, '20260301_090000_ab', { title: 'Wind the clock', cwd: '/work/clock', git_branch: 'main' })
    add(db, '20260301_090000_ab', 0, 'session_meta', '')
    add(db, '20260301_090000_ab', 1, 'user', 'Why is it late?')
    add(db, '20260301_090000_ab', 2, 'assistant', 'I look at the spring.', {
      reasoning: 'The spring, I guess.',
      tool_calls: JSON.stringify([
        {
          id: 'c',
          type: 'function',
          function: { name: 'terminal', arguments: '{"command":"spring --force"}' },
        },
      ]),
    })
    add(db, '20260301_090000_ab', 3, 'tool', 'force 2', { tool_call_id: 'c' })
    const { path, kind, said, times, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'user: Why is it late?',
      'assistant: The spring, I guess.\nI look at the spring.',
      'tool: terminal: spring --force',
      'tool: force 2',
    ])
    expect(times[0]).toBe('2026-03-01T09:00:01.250Z')
    expect({ path, kind, unread }).toEqual({
      path: '.hermes/state.db#20260301_090000_ab',
      kind: 'session',
      unread: { badLines: 0, unknownRecords: 0 },
    })
    expect(facts).toEqual({
      sessionId: '20260301_090000_ab',
      title: 'Wind the clock',
      cwd: '/work/clock',
      branch: 'main',
      createdAtMs: startS * 1000,
      updatedAtMs: (startS + 60) * 1000,
      messageCount: 2,
      resumeCommand: "cd '/work/clock' && hermes --resume '20260301_090000_ab'",
    })
  })

  it('reads a list of blocks behind either mark, and a text that only looks like one', async () => {
    const db = makeDatabase()
    addSession(db, 's')
    const blocks = JSON.stringify([
      { type: 'text', text: 'in a block' },
      { type: 'image_url', image_url: {} },
    ])
    add(db, 's', 1, 'user', 'json:[not a list]')
    add(db, 's', 2, 'user', `\u0001json:${blocks}`)
    db.exec(`INSERT INTO messages (session_id, role, content, timestamp)
      VALUES ('s', 'user', CAST(x'006A736F6E3A' || '${blocks.replace('a block', 'another')}' AS TEXT), ${startS + 3})`)
    expect((await readOnlyFile(home, reader)).said).toEqual([
      'user: json:[not a list]',
      'user: in a block',
      'user: in another',
    ])
  })

  it('keeps what was compacted, tells its summary as a tool’s, and the copies behind it not again', async () => {
    const db = makeDatabase()
    addSession(db, 's')
    const gone = { active: 0, compacted: 1 }
    add(db, 's', 1, 'user', 'first', gone)
    add(db, 's', 2, 'assistant', 'second', gone)
    add(db, 's', 3, 'user', 'third', gone)
    add(db, 's', 4, 'user', '[CONTEXT COMPACTION – REFERENCE ONLY] they talked')
    add(db, 's', 5, 'user', 'third')
    add(db, 's', 6, 'assistant', 'fourth')
    add(db, 's', 7, 'user', 'third')
    const { said, facts } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'user: first',
      'assistant: second',
      'user: third',
      'tool: [CONTEXT COMPACTION – REFERENCE ONLY] they talked',
      'assistant: fourth',
      // Said again by the person, later.
      'user: third',
    ])
    expect(facts).toMatchObject({ title: 'first', messageCount: 5 })
  })

  it('drops what was taken back', async () => {
    const db = makeDatabase()
    addSession(db, 's')
    add(db, 's', 1, 'user', 'kept')
    add(db, 's', 2, 'user', 'taken back', { active: 0 })
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: kept'])
  })

  it('tells of a continuation and a branch their own messages alone', async () => {
    const db = makeDatabase()
    addSession(db, 'a', { end_reason: 'compression' })
    addSession(db, 'b', { parent_session_id: 'a' })
    addSession(db, 'c', { parent_session_id: 'a', model_config: '{"_branched_from":"a"}' })
    addSession(db, 'd', { parent_session_id: 'a', model_config: '{"_branched_from":"a"}' })
    const first = ['asked', 'answered', 'asked more', 'answered more']
    const addAll = (id: string, texts: readonly string[]) => {
      for (const [n, text] of texts.entries())
        add(db, id, n, text.startsWith('answered') ? 'assistant' : 'user', text)
    }
    addAll('a', first)
    // What was kept of the beginning, what stands for the middle, what was kept of the end, and what came then.
    add(db, 'b', 0, 'system', 'You are Hermes.')
    addAll('b', ['asked', '[CONTEXT SUMMARY] of a', 'asked more', 'answered more', 'asked'])
    addAll('c', ['asked', 'answered'])
    addAll('d', ['asked', 'answered', 'asked otherwise', 'asked more'])
    const files = await readFiles(home, reader)
    expect(files.map(({ kind, facts, said }) => [kind, facts.sessionId, said])).toEqual([
      [
        'session',
        'a',
        ['user: asked', 'assistant: answered', 'user: asked more', 'assistant: answered more'],
      ],
      ['session', 'b', ['tool: [CONTEXT SUMMARY] of a', 'user: asked']],
      ['none', 'c', []],
      ['session', 'd', ['user: asked otherwise', 'user: asked more']],
    ])
  })

  it('keeps every word of a session that merely came after another', async () => {
    const db = makeDatabase()
    addSession(db, 'a', { end_reason: 'new_session' })
    addSession(db, 'b', { parent_session_id: 'a' })
    for (const id of ['a', 'b']) add(db, id, 1, 'user', 'Good morning')
    expect((await readFiles(home, reader)).map(({ said }) => said)).toEqual([
      ['user: Good morning'],
      ['user: Good morning'],
    ])
  })

  it('attaches a subagent to the session at the top', async () => {
    const db = makeDatabase()
    addSession(db, 'a')
    addSession(db, 'b', { parent_session_id: 'a', source: 'subagent' })
    addSession(db, 'c', { parent_session_id: 'b', model_config: '{"_delegate_from":"b"}' })
    for (const id of ['a', 'b', 'c']) add(db, id, 1, 'user', `Ask ${id}`)
    expect(
      (await readFiles(home, reader)).map(({ kind, facts, said }) => [kind, facts.sessionId, said]),
    ).toEqual([
      ['session', 'a', ['user: Ask a']],
      ['part', 'a', ['assistant: Ask b']],
      ['part', 'a', ['assistant: Ask c']],
    ])
  })

  it('gives what the program says in the person’s place as a tool’s', async () => {
    const db = makeDatabase()
    addSession(db, 's')
    add(db, 's', 1, 'user', 'The task has ended.', { display_kind: 'hidden' })
    const skill =
      '[SYSTEM: The user has invoked the "oil" skill]\nUse little.\n\nThe user has provided the following instruction alongside the skill invocation: '
    add(db, 's', 2, 'user', `${skill}Oil the gears\n\n[Runtime note: none]`)
    add(db, 's', 3, 'system', 'You are Hermes.')
    add(db, 's', 4, 'oracle', 'Doom')
    const { said, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'tool: The task has ended.',
      'tool: [SYSTEM: The user has invoked the "oil" skill]\nUse little.\n\n',
      'user: Oil the gears',
    ])
    expect([facts.title, unread.unknownRecords]).toEqual(['Oil the gears', 1])
  })

  it('reads the first tables, and those of every profile', async () => {
    const older = `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, timestamp REAL);
      INSERT INTO sessions VALUES ('s', 'cli', ${startS});
      INSERT INTO messages VALUES (1, 's', 'user', 'Ask', ${startS})`
    makeDatabase(older)
    makeDatabase(older, '.hermes/profiles/coder/state.db')
    home.write('.hermes/cron/state.db', 'no database')
    expect((await readFiles(home, reader)).map(({ path, said }) => [path, said])).toEqual([
      ['.hermes/profiles/coder/state.db#s', ['user: Ask']],
      ['.hermes/state.db#s', ['user: Ask']],
    ])
  })

  it('knows a session that changed: by a message, a rewind or a title', () => {
    const db = makeDatabase()
    addSession(db, 's')
    const format = reader.formatOf('state.db')
    const state = () => (format?.kind === 'database' ? JSON.stringify(format.sessions(sourceOf(db))) : '')
    const states = [state()]
    add(db, 's', 1, 'user', 'Ask')
    states.push(state())
    db.exec('UPDATE sessions SET rewind_count = 1; UPDATE messages SET active = 0')
    states.push(state())
    db.exec("UPDATE sessions SET title = 'Named'")
    states.push(state())
    expect(new Set(states).size).toBe(4)
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode', async (mode) => {
    const db = makeDatabase(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${tables}`)
    addSession(db, 's')
    add(db, 's', 1, 'user', 'one')
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: one'])
    add(db, 's', 2, 'user', 'two')
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: one', 'user: two'])
    const { texts, writes } = readWhileWritten(home, reader, db, '.hermes/state.db', 's')
    expect(texts).toEqual(['one', 'two'])
    expect(writes).toBeGreaterThan(2)
  })
})

describe('hermesReader on files', () => {
  const messages = [
    { role: 'user', content: 'Ask' },
    { role: 'assistant', content: 'Answer', reasoning: 'Hm.' },
    'not a message',
  ]

  it('tells a document; a time without a zone is this machine’s', async () => {
    home.write('.hermes/sessions/session_x.json', {
      session_id: 'x',
      cwd: '/work/clock',
      session_start: '2026-04-29T20:00:00',
      last_updated: '2026-04-29T20:00:08Z',
      messages,
    })
    const { said, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual(['user: Ask', 'assistant: Hm.\nAnswer'])
    expect(unread.badLines).toBe(1)
    expect(facts).toMatchObject({
      sessionId: 'x',
      title: 'Ask',
      cwd: '/work/clock',
      createdAtMs: Math.min(new Date(2026, 3, 29, 20).getTime(), Date.UTC(2026, 3, 29, 20)),
      resumeCommand: "cd '/work/clock' && hermes --resume 'x'",
    })
  })

  it('tells the lines of the first versions, and takes nothing else for a session', async () => {
    const id = '20260301_090000_5a3e2ff1'
    home.write(`.hermes/sessions/${id}.jsonl`, [
      { role: 'session_meta', tools: [], model: 'm' },
      { role: 'user', content: 'Ask', timestamp: '2026-03-01T09:00:00Z' },
    ])
    home.write('.hermes/sessions/sessions.json', {})
    home.write('.hermes/sessions/request_dump_1.json', {})
    const { said, times, facts } = await readOnlyFile(home, reader)
    expect([said, times, facts.sessionId]).toEqual([['user: Ask'], ['2026-03-01T09:00:00.000Z'], id])
  })

  it('leaves sessions to the database that has them', async () => {
    const id = '20260301_090000_5a3e2ff1'
    home.write('.hermes/sessions/session_x.json', { session_id: 'x', messages })
    home.write(`.hermes/sessions/${id}.jsonl`, [{ role: 'user', content: 'Ask' }])
    const db = makeDatabase()
    addSession(db, 'x')
    addSession(db, id)
    add(db, 'x', 1, 'user', 'Moved')
    expect((await readFiles(home, reader)).map(({ kind, said }) => [kind, said])).toEqual([
      ['none', []],
      ['none', []],
      ['none', []],
      ['session', ['user: Moved']],
    ])
  })

  it('fails a document that is torn, or has no messages', async () => {
    home.write('.hermes/sessions/session_x.json', '{"session_id": "x", "mess')
    home.write('.hermes/sessions/session_y.json', { session_id: 'y' })
    expect(Object.values((await home.read(reader)).failures)).toEqual([
      'The document is not complete JSON.',
      'The document has no list of messages.',
    ])
  })

  it.skipIf(!existsSync(ci))('reads the shared samples (skipped where they are absent)', async () => {
    using shared = createAgentHome(ci)
    const files = await readFiles(shared, reader)
    expect(
      files.map(({ facts, said, unread }) => [
        facts.sessionId,
        facts.title,
        facts.messageCount,
        said.length,
        unread,
      ]),
    ).toEqual([
      ['20260429_hermes_large', 'Check the current directory.', 3, 5, { badLines: 0, unknownRecords: 0 }],
      [
        '20260429_hermes_schema_drift',
        'Exercise additive Hermes metadata.',
        2,
        4,
        { badLines: 0, unknownRecords: 0 },
      ],
      ['20260429_hermes_small', 'Summarize this directory.', 2, 2, { badLines: 0, unknownRecords: 0 }],
    ])
    expect(files[1]?.said).toEqual([
      'user: Exercise additive Hermes metadata.',
      'assistant: Calling a tool.',
      'tool: memory: session format',
      'tool: No results.',
    ])
    expect(files[2]?.facts).toMatchObject({
      cwd: '/tmp/hermes-small',
      updatedAtMs: Date.UTC(2026, 3, 29, 20, 0, 4),
    })
  })
})

describe('hermesReader', () => {
  it('looks where its variable and its platform say', () => {
    const roots = (platform: NodeJS.Platform, homeDir: string, env = {}) =>
      reader.roots({ homeDir, platform, env }).map(({ path }) => path)
    expect(roots('linux', '/home/a')).toEqual(['/home/a/.hermes'])
    expect(roots('linux', '/home/a', { HERMES_HOME: '/h' })).toEqual(['/h'])
    expect(roots('win32', 'C:\\a', { LOCALAPPDATA: 'D:\\l' })).toEqual(['C:\\a\\.hermes', 'D:\\l\\hermes'])
    const entered = [
      'sessions',
      'profiles',
      'profiles/x',
      'profiles/x/sessions',
      'cron',
      'profiles/x/logs',
      'sessions/x',
    ]
    expect(entered.map((folder) => reader.enters?.(folder))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
