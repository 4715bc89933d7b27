import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome } from '../../test/helpers/agent-home.ts'
import {
  nothingBeside,
  readFiles,
  readOnlyFile,
  readWhileWritten,
  sourceOf,
} from '../../test/helpers/read-files.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { cursorDesktopReader } from './cursor-desktop.ts'

const reader = cursorDesktopReader()
const user = '.config/Cursor/User'
const tables = `
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
`
const startMs = Date.UTC(2026, 2, 1, 9)

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

const makeDatabase = (sql = tables): SqlDatabase => home.database(`${user}/globalStorage/state.vscdb`, sql)

function put(db: SqlDatabase, key: string, value: unknown, table = 'cursorDiskKV'): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  db.prepare(`INSERT INTO ${table} VALUES (?, ?)`).run(key, text)
}

/** A conversation with these bubbles, in their order. */
function converse(db: SqlDatabase, id: string, bubbles: Record<string, object>, more: object = {}): void {
  put(db, `composerData:${id}`, {
    composerId: id,
    name: 'Tune the harp',
    createdAt: startMs,
    lastUpdatedAt: startMs + 60_000,
    fullConversationHeadersOnly: Object.keys(bubbles).map((bubbleId) => ({ bubbleId, type: 1 })),
    ...more,
  })
  for (const [bubble, data] of Object.entries(bubbles)) put(db, `bubbleId:${id}:${bubble}`, data)
}

const at = (second: number) => new Date(startMs + second * 1000).toISOString()
const asked = (text: string, more: object = {}) => ({ type: 1, text, createdAt: at(1), ...more })
const answered = (text: string, more: object = {}) => ({ type: 2, text, createdAt: at(2), ...more })

describe('cursorDesktopReader', () => {
  it('tells a conversation’s words, thoughts, calls and results, and its facts', async () => {
    const db = makeDatabase()
    const bubbles = {
      b1: asked('Why is it flat?'),
      b2: answered('', { thinking: { text: 'The strings.', signature: 'x' } }),
      b3: answered('', {
        toolFormerData: {
          name: 'run_terminal_cmd',
          rawArgs: '{"command":"harp --pitch"}',
          result: '{"output":"430 Hz","exitCodeV2":0}',
          status: 'completed',
        },
      }),
      b4: answered('Tighten them.', { codeBlocks: [{ content: 'tighten(all)', languageId: 'ts' }] }),
      b5: answered('Like so: `turn()`', {
        createdAt: undefined,
        timingInfo: { clientRpcSendTime: startMs + 9000 },
        codeBlocks: [{ content: 'turn()' }],
      }),
    }
    converse(db, 'c-1', bubbles, {
      createdOnBranch: 'main',
      workspaceIdentifier: { id: 'w', uri: { fsPath: '/work/harp', scheme: 'file' } },
    })
    const { path, kind, said, times, facts, unread } = await readOnlyFile(home, reader)
    expect(said).toEqual([
      'user: Why is it flat?',
      'assistant: The strings.',
      'tool: run_terminal_cmd: harp --pitch',
      'tool: 430 Hz',
      'assistant: Tighten them.\ntighten(all)',
      'assistant: Like so: `turn()`',
    ])
    expect([times[0], times[5]]).toEqual([at(1), at(9)])
    expect({ path, kind, unread }).toEqual({
      path: `${user}/globalStorage/state.vscdb#c-1`,
      kind: 'session',
      unread: { badLines: 0, unknownRecords: 0 },
    })
    expect(facts).toEqual({
      sessionId: 'c-1',
      title: 'Tune the harp',
      cwd: '/work/harp',
      branch: 'main',
      createdAtMs: startMs,
      updatedAtMs: startMs + 60_000,
      messageCount: 4,
      resumeCommand: null,
    })
  })

  it('leaves out what an edit left behind, and tells each message once', async () => {
    const db = makeDatabase()
    converse(db, 'c', { b1: asked('final words') })
    put(db, 'bubbleId:c:orphan', asked('first words'))
    put(db, 'composerData:c', {
      fullConversationHeadersOnly: [{ bubbleId: 'b1' }, { bubbleId: 'b1' }, { type: 1 }, null],
    })
    const { said, facts } = await readOnlyFile(home, reader)
    expect([said, facts.title]).toEqual([['user: final words'], 'final words'])
  })

  it('reads the first versions, which kept the messages in the conversation', async () => {
    converse(makeDatabase(), 'c', {}, { conversation: [asked('Ask'), answered('Answer')] })
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: Ask', 'assistant: Answer'])
  })

  it('attaches a subagent to the conversation at the top', async () => {
    const db = makeDatabase()
    converse(db, 'a', { b: asked('Ask a') })
    converse(db, 'b', { b: asked('Ask b') }, { subagentInfo: { parentComposerId: 'a' } })
    expect(
      (await readFiles(home, reader)).map(({ kind, facts, said }) => [kind, facts.sessionId, said]),
    ).toEqual([
      ['session', 'a', ['user: Ask a']],
      ['part', 'a', ['assistant: Ask b']],
    ])
  })

  it('counts what it cannot read, and fails a conversation that is no JSON', async () => {
    const db = makeDatabase()
    converse(db, 'c', { b1: asked('before'), b2: { type: 7, text: 'x' }, b3: answered('after') })
    put(db, 'composerData:c', {
      fullConversationHeadersOnly: ['b1', 'b2', 'gone', 'torn', 'b3'].map((bubbleId) => ({ bubbleId })),
    })
    put(db, 'bubbleId:c:torn', '{"type": 1, "te')
    put(db, 'composerData:d', '{"name": "x')
    const { files, failures } = await home.read(reader)
    expect(files.map(({ said, unread }) => [said, unread])).toEqual([
      [['user: before', 'assistant: after'], { badLines: 2, unknownRecords: 1 }],
    ])
    expect(Object.values(failures)).toEqual(['The conversation is not complete JSON.'])
  })

  it('takes the folder from the workspace a conversation was opened in, if there is but one', async () => {
    const db = makeDatabase()
    for (const id of ['one', 'two', 'none']) converse(db, id, { b: asked(id) })
    for (const [name, folder, opened] of [
      ['w1', 'file:///work/my%20harp', ['one', 'two']],
      ['w2', 'file:///work/lyre', ['two']],
    ] as const) {
      home.write(`${user}/workspaceStorage/${name}/workspace.json`, { folder })
      const workspace = home.database(`${user}/workspaceStorage/${name}/state.vscdb`, tables)
      const allComposers = opened.map((composerId) => ({ composerId }))
      put(workspace, 'composer.composerData', { allComposers }, 'ItemTable')
    }
    const files = await readFiles(home, reader)
    expect(files.map(({ facts }) => [facts.sessionId, facts.cwd])).toEqual([
      ['none', null],
      ['one', '/work/my harp'],
      ['two', null],
    ])
  })

  it('reads the keys of conversations and no other, whatever stands beside them', async () => {
    const db = makeDatabase()
    converse(db, 'c', { b: asked('Ask') }, { secretField: 'credential' })
    const secrets = [
      ['ItemTable', 'cursorAuth/accessToken'],
      ['ItemTable', 'cursorAuth/refreshToken'],
      ['ItemTable', 'secret://{"extensionId":"x"}'],
      ['ItemTable', 'composer.composerData'],
      ['cursorDiskKV', 'agentKv:blob:1'],
      ['cursorDiskKV', 'composerDatb'],
      ['cursorDiskKV', 'composerData'],
      ['cursorDiskKV', 'bubbleId:other:b'],
      ['cursorDiskKV', 'bubbleId:c:orphan'],
      ['cursorDiskKV', 'composerData:task-1\nfc_2'],
    ] as const
    for (const [table, key] of secrets)
      put(db, key, { type: 1, text: 'credential', token: 'credential' }, table)
    const read: string[] = []
    const statements: string[] = []
    const source = sourceOf(db, (sql, rows) => {
      statements.push(sql)
      read.push(JSON.stringify(rows))
    })
    const format = reader.formatOf('globalStorage/state.vscdb')
    if (format?.kind !== 'database') throw new Error('no database')
    const sessions = format.sessions(source)
    expect(sessions.map(({ key }) => key)).toEqual(['c'])
    const path = '/u/globalStorage/state.vscdb#c'
    const file = { root: { path: '/u' }, path, relativePath: 'globalStorage/state.vscdb', sessionKey: 'c' }
    expect(format.read(file, nothingBeside, source).messages).toHaveLength(1)
    expect(read.join('\n')).not.toContain('credential')
    // Not only what came of it: every statement names its keys, and none asks for the table of credentials.
    expect(statements.length).toBeGreaterThan(2)
    for (const sql of statements) {
      expect(sql).toMatch(/WHERE key (?:>= 'composerData:' AND key < 'composerData;'|= \?|IN \([?, ]+\))/)
      expect(sql).not.toContain('ItemTable')
    }
    const plans = statements.map((sql) => {
      const values = [...sql.matchAll(/\?/g)].map(() => 'x')
      return JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values))
    })
    // By the index of keys, so that no other row is as much as looked at.
    for (const plan of plans) expect(plan).toMatch(/SEARCH cursorDiskKV USING (?:COVERING )?INDEX/)
  })

  it('asks a workspace’s database for its list of conversations alone', async () => {
    converse(makeDatabase(), 'c', { b: asked('Ask') })
    home.write(`${user}/workspaceStorage/w/workspace.json`, { folder: 'file:///work/harp' })
    const asks: string[] = []
    const format = reader.formatOf('globalStorage/state.vscdb')
    if (format?.kind !== 'database') throw new Error('no database')
    const path = `${home.dir}/${user}/globalStorage/state.vscdb#c`
    const file = {
      root: { path: home.dir },
      path,
      relativePath: 'globalStorage/state.vscdb',
      sessionKey: 'c',
    }
    const beside = {
      ...nothingBeside,
      list: () => ['w'],
      rows: (databasePath: string, sql: string) => {
        asks.push(databasePath, sql)
        return []
      },
    }
    format.read(file, beside, sourceOf(home.database(`${user}/globalStorage/state.vscdb`, '')))
    expect(asks[0]).toBe(`${home.dir}/${user}/workspaceStorage/w/state.vscdb`)
    expect(asks[1]).toMatch(
      /^SELECT 1 FROM ItemTable WHERE key IN \('composer\.composerData', 'composer\.composerHeaders'\)/,
    )
    expect(asks).toHaveLength(2)
  })

  it('knows a conversation that changed, and finds none in a database without', () => {
    const db = makeDatabase()
    const format = reader.formatOf('globalStorage/state.vscdb')
    const state = () => (format?.kind === 'database' ? JSON.stringify(format.sessions(sourceOf(db))) : '')
    expect(state()).toBe('[]')
    converse(db, 'c', {})
    const before = state()
    // Of the same length, and of the same time.
    converse(db, 'c', {}, { name: 'Tune the lyre' })
    expect(state()).not.toBe(before)
    db.exec('DROP TABLE cursorDiskKV')
    expect(state()).toBe('[]')
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode', async (mode) => {
    const db = makeDatabase(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${tables}`)
    converse(db, 'c', { b1: asked('one') })
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: one'])
    converse(db, 'c', { b1: asked('one'), b2: asked('two') })
    expect((await readOnlyFile(home, reader)).said).toEqual(['user: one', 'user: two'])
    const { texts, writes } = readWhileWritten(home, reader, db, `${user}/globalStorage/state.vscdb`, 'c')
    expect(texts).toEqual(['one', 'two'])
    expect(writes).toBeGreaterThan(2)
  })

  it('looks into Cursor’s own folder on every platform, and not into those of other editors', () => {
    const roots = (platform: NodeJS.Platform, homeDir: string, env = {}) =>
      reader.roots({ homeDir, platform, env }).map(({ path }) => path)
    expect(roots('linux', '/home/a')).toEqual(['/home/a/.config/Cursor/User'])
    expect(roots('darwin', '/Users/a')).toEqual(['/Users/a/Library/Application Support/Cursor/User'])
    expect(roots('win32', 'C:\\a', { APPDATA: 'D:\\r' })).toEqual(['D:\\r\\Cursor\\User'])
    const entered = ['globalStorage', 'workspaceStorage', 'History', 'globalStorage/saoudrizwan.claude-dev']
    expect(entered.map((folder) => reader.enters?.(folder))).toEqual([true, false, false, false])
    expect(reader.formatOf('globalStorage/state.vscdb.backup')).toBeNull()
  })
})
