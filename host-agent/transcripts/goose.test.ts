import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { readFiles, readOnlyFile, readWhileWritten, sourceOf } from '../../test/helpers/read-files.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { gooseReader } from './goose.ts'

const reader = gooseReader()
const folder = '.local/share/goose/sessions'
const tables = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP,
  parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL,
  content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP, tokens INTEGER, metadata_json TEXT);
CREATE INDEX idx_messages_session ON messages (session_id);
`
const startS = Date.UTC(2026, 2, 1, 9) / 1000

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

const makeDatabase = (sql = tables): SqlDatabase => home.database(`${folder}/sessions.db`, sql)

function addSession(db: SqlDatabase, id: string, more: Record<string, string | null> = {}): void {
  const row = { name: 'Bake bread', session_type: 'user', parent_session_id: null, ...more }
  db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
    id,
    row.name,
    '',
    row.session_type,
    '/work/oven',
    '2026-03-01 09:00:00',
    '2026-03-01 09:10:00',
    row.parent_session_id,
  )
}

function add(
  db: SqlDatabase,
  session: string,
  second: number,
  role: string,
  content: unknown,
  metadata?: object,
): void {
  db.prepare(
    'INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?)',
  ).run(
    session,
    role,
    typeof content === 'string' ? content : JSON.stringify(content),
    startS + second,
    metadata === undefined ? null : JSON.stringify(metadata),
  )
}

const text = (words: string) => [{ type: 'text', text: words }]

describe('gooseReader on its database', () => {
  it('tells a session’s words, thoughts, calls and results, and its facts', async () => {
    const db = makeDatabase()
    addSession(db, '20260301_1')
    add(db, '20260301_1', 1, 'user', text('Why does the crust burn?'))
    add(db, '20260301_1', 2, 'assistant', [
      { type: 'thinking', thinking: 'Heat.', signature: 'x' },
      { type: 'redactedThinking', data: 'x' },
      { type: 'text', text: 'I look at the oven.' },
      {
        type: 'toolRequest',
        id: 'c1',
        toolCall: {
          status: 'success',
          value: { name: 'developer__shell', arguments: { command: 'oven --temp' } },
        },
      },
      { type: 'toolRequest', id: 'c2', toolCall: { status: 'error', error: 'no such tool' } },
    ])
    add(db, '20260301_1', 3, 'user', [
      {
        type: 'toolResponse',
        id: 'c1',
        toolResult: { status: 'success', value: [{ type: 'text', text: '290 degrees' }] },
      },
      {
        type: 'toolResponse',
        id: 'c3',
        toolResult: { status: 'success', value: { content: [{ type: 'text', text: 'in an object' }] } },
      },
      { type: 'toolResponse', id: 'c2', toolResult: { status: 'error', error: 'it broke' } },
    ])
    const { path, kind, said, times, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'user: Why does the crust burn?',
      'assistant: Heat.\nI look at the oven.',
      'tool: developer__shell: oven --temp',
      'tool: no such tool',
      'tool: 290 degrees',
      'tool: in an object',
      'tool: it broke',
    ])
    expect(times[0]).toBe('2026-03-01T09:00:01.000Z')
    expect({ path, kind, unread }).toEqual({
      path: `${folder}/sessions.db#20260301_1`,
      kind: 'session',
      unread: { badLines: 0, unknownRecords: 0 },
    })
    expect(facts).toEqual({
      sessionId: '20260301_1',
      title: 'Bake bread',
      cwd: '/work/oven',
      branch: null,
      createdAtMs: startS * 1000,
      updatedAtMs: (startS + 600) * 1000,
      messageCount: 2,
      resumeCommand: "cd '/work/oven' && goose session --resume --session-id '20260301_1'",
    })
  })

  it('gives what the person is not shown, and what the program adds, as a tool’s', async () => {
    const db = makeDatabase()
    addSession(db, 's', { name: '' })
    add(db, 's', 1, 'user', text('A summary of it all'), { userVisible: false, agentVisible: true })
    add(db, 's', 2, 'user', text('<info-msg>it is noon</info-msg>Go on'), { userVisible: true })
    add(db, 's', 3, 'assistant', [
      { type: 'systemNotification', notificationType: 'inlineMessage', msg: 'Compacted' },
    ])
    const { said, facts } = await readOnlyFile(home, reader)
    expect(said).toEqual(['tool: A summary of it all', 'tool: it is noon', 'user: Go on', 'tool: Compacted'])
    expect(facts).toMatchObject({ title: 'Go on', messageCount: 1 })
  })

  it('attaches a subagent to the session at the top; one of nobody’s, and hidden ones, are left out', async () => {
    const db = makeDatabase()
    addSession(db, 'a')
    addSession(db, 'b', { session_type: 'sub_agent', parent_session_id: 'a' })
    addSession(db, 'c', { session_type: 'sub_agent', parent_session_id: 'b' })
    addSession(db, 'd', { session_type: 'sub_agent' })
    addSession(db, 'e', { session_type: 'hidden' })
    for (const id of ['a', 'b', 'c', 'd', 'e']) add(db, id, 1, 'user', text(`Ask ${id}`))
    const files = await readFiles(home, reader)
    expect(files.map(({ kind, facts, said }) => [kind, facts.sessionId, said])).toEqual([
      ['session', 'a', ['user: Ask a']],
      ['part', 'a', ['assistant: Ask b']],
      ['part', 'a', ['assistant: Ask c']],
      ['none', 'd', []],
      ['none', 'e', []],
    ])
  })

  it('counts what it cannot read, and reads the rest', async () => {
    const db = makeDatabase()
    addSession(db, 's')
    add(db, 's', 1, 'user', '[{"type":"te')
    add(db, 's', 2, 'oracle', text('of an unknown role'))
    add(db, 's', 3, 'user', [{ type: 'hologram' }, ...text('after')])
    const { said, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual(['user: after'])
    expect(unread).toEqual({ badLines: 1, unknownRecords: 2 })
  })

  it('reads older tables, and times in milliseconds', async () => {
    const db = makeDatabase(`
      CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT, created_at TEXT, updated_at TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);
      INSERT INTO sessions VALUES ('s', 'Old bread', 'C:\\bread', '2026-03-01T09:00:00Z', '2026-03-01T09:00:00Z')`)
    db.prepare("INSERT INTO messages VALUES (1, 's', 'user', ?, ?)").run(
      JSON.stringify(text('Ask')),
      startS * 1000 + 5,
    )
    const { said, times, facts } = await readOnlyFile(home, reader)
    expect([said, times]).toEqual([['user: Ask'], ['2026-03-01T09:00:00.005Z']])
    expect(facts).toMatchObject({ title: 'Old bread', cwd: 'C:\\bread' })
  })

  it('knows a conversation that was written anew, message for message', () => {
    const db = makeDatabase()
    addSession(db, 's')
    add(db, 's', 1, 'user', text('one'))
    const format = reader.formatOf('sessions.db')
    const state = () => (format?.kind === 'database' ? JSON.stringify(format.sessions(sourceOf(db))) : '')
    const before = state()
    expect(state()).toBe(before)
    db.exec("DELETE FROM messages WHERE session_id = 's'")
    add(db, 's', 1, 'user', text('another'))
    expect(state()).not.toBe(before)
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode', async (mode) => {
    const db = makeDatabase(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${tables}`)
    addSession(db, 's')
    add(db, 's', 1, 'user', text('one'))
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: one'])
    add(db, 's', 2, 'user', text('two'))
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: one', 'user: two'])
    const { texts, writes } = readWhileWritten(home, reader, db, `${folder}/sessions.db`, 's')
    expect(texts).toEqual(['one', 'two'])
    expect(writes).toBeGreaterThan(2)
  })
})

describe('gooseReader on older files', () => {
  const lines = (...records: object[]) => home.write(`${folder}/20250301_090000.jsonl`, records)
  const head = { working_dir: '/work/oven', description: 'Old bread', message_count: 1 }
  const ask = { role: 'user', created: startS, content: text('Ask') }

  it('tells a session from its lines', async () => {
    lines(head, ask, { role: 'assistant', created: startS + 1, content: text('Answer') })
    const { said, times, facts } = await readOnlyFile(home, reader)
    expect(said).toEqual(['user: Ask', 'assistant: Answer'])
    expect(times).toEqual(['2026-03-01T09:00:00.000Z', '2026-03-01T09:00:01.000Z'])
    expect(facts).toMatchObject({
      sessionId: '20250301_090000',
      title: 'Old bread',
      cwd: '/work/oven',
      messageCount: 2,
    })
  })

  it('leaves a session to the database that has it', async () => {
    lines(head, ask)
    const db = makeDatabase()
    addSession(db, '20250301_090000')
    add(db, '20250301_090000', 1, 'user', text('Moved'))
    const files = await readFiles(home, reader)
    expect(files.map(({ kind, said }) => [kind, said])).toEqual([
      ['none', []],
      ['session', ['user: Moved']],
    ])
  })
})

describe('gooseReader', () => {
  it('looks where its variables and its platform say', () => {
    const roots = (platform: NodeJS.Platform, homeDir: string, env = {}) =>
      reader.roots({ homeDir, platform, env }).map(({ path }) => path)
    expect(roots('linux', '/home/a')).toEqual(['/home/a/.local/share/goose/sessions'])
    expect(roots('darwin', '/Users/a', { XDG_DATA_HOME: '/data' })).toEqual(['/data/goose/sessions'])
    expect(roots('linux', '/home/a', { GOOSE_PATH_ROOT: '/goose', XDG_DATA_HOME: '/data' })).toEqual([
      '/goose/data/sessions',
    ])
    expect(roots('win32', 'C:\\Users\\a', { APPDATA: 'D:\\Roaming' })).toEqual([
      'D:\\Roaming\\Block\\goose\\data\\sessions',
      'D:\\Roaming\\Block\\goose\\sessions',
    ])
  })
})
