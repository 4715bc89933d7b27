import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import { readFiles, readOnlyFile, readWhileWritten, sourceOf } from '../../test/helpers/read-files.ts'
import { zstdFrame } from '../../test/helpers/zstd-frame.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import type { Unpack } from './packed.ts'
import { zedReader } from './zed.ts'

const reader = zedReader()
const databasePath = '.local/share/zed/threads/threads.db'
const tables = `
CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL,
  data BLOB NOT NULL, parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT, created_at TEXT);
`

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

const makeDatabase = (sql = tables): SqlDatabase => home.database(databasePath, sql)

interface Thread {
  readonly summary?: string
  readonly parent?: string | null
  readonly folders?: string | null
  readonly order?: string | null
  readonly packed?: 'json' | 'zstd'
}

function addThread(db: SqlDatabase, id: string, document: unknown, thread: Thread = {}): void {
  const bytes = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  const { summary = 'Row the boat', parent = null, folders = null, order = null, packed = 'json' } = thread
  db.prepare('INSERT INTO threads VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    id,
    summary,
    '2026-03-01T10:00:00.5+01:00',
    packed,
    packed === 'zstd' ? zstdFrame(bytes) : bytes,
    parent,
    folders,
    order,
    '2026-03-01T09:00:00Z',
  )
}

const user = (...content: object[]) => ({ User: { id: 'u', content } })
const agent = (content: object[], tool_results: object = {}) => ({ Agent: { content, tool_results } })

describe('zedReader', () => {
  it('tells a thread’s words, thoughts, calls and results, and its facts', async () => {
    const db = makeDatabase()
    const messages = [
      user(
        { Text: 'Why does it drift?' },
        { Mention: { uri: {}, content: 'fn keel()' } },
        { Image: { source: 'A' } },
      ),
      agent(
        [
          { Thinking: { text: 'The keel.', signature: null } },
          { RedactedThinking: 'x' },
          { Text: 'I look.' },
          { ToolUse: { id: 't1', name: 'terminal', raw_input: '{}', input: { command: 'keel --angle' } } },
          { Text: 'It is bent.' },
          { ToolUse: { id: 't2', name: 'read_file', raw_input: '{"path":"keel.rs"}' } },
        ],
        {
          t1: { tool_use_id: 't1', content: { Text: 'angle 9' }, is_error: false },
          t2: { tool_use_id: 't2', content: [{ Text: 'one' }, 'two'], output: null },
        },
      ),
      'Resume',
      { Compaction: { Summary: 'they spoke of keels' } },
    ]
    addThread(db, 'thread-1', { version: '0.3.0', title: 'x', messages }, { folders: '/a\n/b', order: '1,0' })
    const { path, kind, said, times, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'user: Why does it drift?',
      'tool: fn keel()',
      'assistant: The keel.\nI look.',
      'tool: terminal: keel --angle',
      'tool: angle 9',
      'assistant: It is bent.',
      'tool: read_file: keel.rs',
      'tool: one\ntwo',
      'tool: they spoke of keels',
    ])
    expect(new Set(times)).toEqual(new Set([null]))
    expect({ path, kind, unread }).toEqual({
      path: `${databasePath}#thread-1`,
      kind: 'session',
      unread: { badLines: 0, unknownRecords: 0 },
    })
    expect(facts).toEqual({
      sessionId: 'thread-1',
      title: 'Row the boat',
      // The folder that was opened first, not the first by name.
      cwd: '/b',
      branch: null,
      createdAtMs: Date.UTC(2026, 2, 1, 9),
      updatedAtMs: Date.UTC(2026, 2, 1, 9, 0, 0, 500),
      messageCount: 2,
      resumeCommand: null,
    })
  })

  it('reads the older flat messages, and folder and branch from their snapshot', async () => {
    const db = makeDatabase()
    const messages = [
      { id: 1, role: 'system', segments: [] },
      { id: 2, role: 'user', segments: [{ type: 'text', text: 'Ask' }] },
      {
        id: 3,
        role: 'assistant',
        segments: [
          { type: 'thinking', text: 'Hm.' },
          { type: 'text', text: 'Answer' },
        ],
        tool_uses: [{ id: 't1', name: 'grep', input: { pattern: 'oar' } }],
        tool_results: [{ tool_use_id: 't1', is_error: false, content: 'oar.rs', output: null }],
      },
      {
        id: 4,
        role: 'user',
        text: 'Flatter',
        tool_results: [{ tool_use_id: 't9', content: { Text: 'late' } }],
      },
    ]
    const snapshot = {
      worktree_snapshots: [{ worktree_path: '/work/boat', git_state: { current_branch: 'main' } }],
    }
    addThread(
      db,
      't',
      { version: '0.2.0', messages, initial_project_snapshot: snapshot },
      { summary: 'New Thread' },
    )
    const { said, facts } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'user: Ask',
      'assistant: Hm.\nAnswer',
      'tool: grep: oar',
      'tool: oar.rs',
      'tool: late',
      'user: Flatter',
    ])
    expect(facts).toMatchObject({ title: 'Ask', cwd: '/work/boat', branch: 'main', messageCount: 3 })
  })

  it('attaches a subagent to its thread, whether the table or the document names it', async () => {
    const db = makeDatabase()
    addThread(db, 'a', { messages: [user({ Text: 'Ask a' })] })
    addThread(db, 'b', { messages: [user({ Text: 'Ask b' })] }, { parent: 'a' })
    addThread(db, 'c', { messages: [user({ Text: 'Ask c' })], subagent_context: { parent_thread_id: 'b' } })
    expect(
      (await readFiles(home, reader)).map(({ kind, facts, said }) => [kind, facts.sessionId, said]),
    ).toEqual([
      ['session', 'a', ['user: Ask a']],
      ['part', 'a', ['assistant: Ask b']],
      ['part', 'a', ['assistant: Ask c']],
    ])
  })

  it('reads a packed thread where Node can, and counts it as unread where it cannot', async () => {
    const db = makeDatabase()
    addThread(db, 't', { messages: [user({ Text: 'Packed' })] }, { packed: 'zstd' })
    const { kind, said, unread } = await readOnlyFile(home, zedReader(null))
    expect({ kind, said, unread }).toEqual({
      kind: 'none',
      said: [],
      unread: { badLines: 0, unknownRecords: 1 },
    })
    // What the frame made by hand holds stands behind its 12 bytes.
    const read = await readOnlyFile(
      home,
      zedReader((packed) => Buffer.from(packed.subarray(12))),
    )
    expect(read).toMatchObject({ kind: 'session', said: ['user: Packed'], unread: { unknownRecords: 0 } })
  })

  it('reads what it left as unread once Node can unpack it', () => {
    const db = makeDatabase()
    addThread(db, 't', { messages: [] }, { packed: 'zstd' })
    const states = [null, Buffer.from].map((unpack) => {
      const format = zedReader(unpack as Unpack | null).formatOf('threads.db')
      return format?.kind === 'database' ? format.sessions(sourceOf(db))[0]?.size : null
    })
    expect(states[0]).not.toBe(states[1])
  })

  it('fails a thread that is torn or packed in an unknown way, and counts unknown messages', async () => {
    const db = makeDatabase()
    addThread(db, 'a', '{"messages": [')
    addThread(db, 'b', { messages: [] })
    db.exec("UPDATE threads SET data_type = 'lz4' WHERE id = 'b'")
    addThread(db, 'c', { messages: [{ Hologram: {} }, agent([{ Smell: 1 }, { Text: 'after' }])] })
    const { files, failures } = await home.read(reader)
    expect(Object.values(failures)).toEqual([
      'The document is not complete JSON.',
      'The thread is packed in an unknown way.',
    ])
    expect(files.map(({ said, unread }) => [said, unread.unknownRecords])).toEqual([
      [['assistant: after'], 2],
    ])
  })

  it('reads the first table, of five columns', async () => {
    const db = makeDatabase(
      'CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)',
    )
    db.prepare("INSERT INTO threads VALUES ('t', 'Old', '2025-05-01T00:00:00Z', 'json', ?)").run(
      Buffer.from(JSON.stringify({ messages: [{ id: 0, role: 'user', text: 'Ask' }] })),
    )
    const { said, facts } = await readOnlyFile(home, reader)
    expect([said, facts.title, facts.cwd]).toEqual([['user: Ask'], 'Old', null])
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode', async (mode) => {
    const db = makeDatabase(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${tables}`)
    addThread(db, 'a', { messages: [user({ Text: 'one' })] })
    expect(await readFiles(home, reader)).toHaveLength(1)
    addThread(db, 'b', { messages: [user({ Text: 'two' })] })
    expect(await readFiles(home, reader)).toHaveLength(2)
    const { texts, writes } = readWhileWritten(home, reader, db, databasePath, 'b')
    expect(texts).toEqual(['two'])
    expect(writes).toBeGreaterThan(2)
  })

  it('looks where its platform keeps data', () => {
    const roots = (platform: NodeJS.Platform, homeDir: string, env = {}) =>
      reader.roots({ homeDir, platform, env }).map(({ path }) => path)
    expect(roots('linux', '/home/a', { XDG_DATA_HOME: '/data' })).toEqual([
      '/data/zed/threads',
      '/home/a/.var/app/dev.zed.Zed/data/zed/threads',
    ])
    expect(roots('darwin', '/Users/a')).toEqual(['/Users/a/Library/Application Support/Zed/threads'])
    expect(roots('win32', 'C:\\a', { LOCALAPPDATA: 'D:\\l' })).toEqual(['D:\\l\\Zed\\threads'])
  })
})
