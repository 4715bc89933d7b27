import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, type ReadFile } from '../../test/helpers/agent-home.ts'
import { nothingBeside, readFiles, readWhileWritten, sourceOf } from '../../test/helpers/read-files.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { crushReader } from './crush.ts'

const reader = crushReader()
const tables = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]',
  model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT,
  is_summary_message INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX idx_messages_session_id ON messages (session_id);
`
const startS = Date.UTC(2026, 2, 1, 9) / 1000
const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

function makeProject(sql = tables, dataDir = '.crush'): SqlDatabase {
  home.write('.local/share/crush/projects.json', {
    projects: [{ path: `${home.dir}/work/kiln`, data_dir: dataDir, last_accessed: '2026-03-01T09:00:00Z' }],
  })
  return home.database(`work/kiln/${dataDir}/crush.db`, sql)
}

const addSession = (
  db: SqlDatabase,
  id: string,
  parent: string | null = null,
  title = 'Fire the kiln',
): void => {
  db.prepare('INSERT INTO sessions VALUES (?, ?, ?, 0, ?, ?, NULL)').run(
    id,
    parent,
    title,
    startS + 60,
    startS,
  )
}

let nextId = 0
function add(
  db: SqlDatabase,
  session: string,
  second: number,
  role: string,
  parts: unknown,
  isSummary = 0,
): void {
  const json = typeof parts === 'string' ? parts : JSON.stringify(parts)
  const at = startS + second
  // Ids are random, and many messages fall into one second.
  const id = `${(nextId++ * 7919) % 1000}`
  db.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, NULL, ?, ?, NULL, NULL, ?)').run(
    id,
    session,
    role,
    json,
    at,
    at,
    isSummary,
  )
}

const part = (type: string, data: object) => ({ type, data })
const text = (words: string) => part('text', { text: words })
const read = (): Promise<readonly ReadFile[]> => readFiles(home, reader, { textOf })

describe('crushReader', () => {
  it('tells the sessions of the projects its registry names', async () => {
    const db = makeProject()
    addSession(db, 's')
    add(db, 's', 1, 'user', [text('Why do pots crack?'), part('finish', { reason: 'stop', time: startS })])
    add(db, 's', 1, 'assistant', [
      part('reasoning', { thinking: 'Cooling, perhaps.', started_at: startS + 2 }),
      text('I check the curve.'),
      part('tool_call', { id: 'c', name: 'bash', input: '{"command":"kiln --curve"}', finished: true }),
      part('finish', { reason: 'tool_use', time: startS + 3 }),
    ])
    add(db, 's', 1, 'tool', [
      part('tool_result', { tool_call_id: 'c', name: 'bash', content: 'drops 300 an hour' }),
    ])
    add(db, 's', 1, 'assistant', [text('Too fast.')])
    const [file] = await read()
    expect(file?.path).toBe('work/kiln/.crush/crush.db#s')
    expect(file?.said).toEqual([
      'user: Why do pots crack?',
      'assistant: Cooling, perhaps.\nI check the curve.',
      'tool: bash: kiln --curve',
      'tool: drops 300 an hour',
      'assistant: Too fast.',
    ])
    expect(file?.times.slice(0, 2)).toEqual(['2026-03-01T09:00:01.000Z', '2026-03-01T09:00:02.000Z'])
    expect(file?.facts).toEqual({
      sessionId: 's',
      title: 'Fire the kiln',
      cwd: `${home.dir}/work/kiln`,
      branch: null,
      createdAtMs: startS * 1000,
      updatedAtMs: (startS + 60) * 1000,
      messageCount: 3,
      resumeCommand: `cd '${home.dir}/work/kiln' && crush --session 's'`,
    })
  })

  it('gives summaries, failures and shell commands as a tool’s', async () => {
    const db = makeProject()
    addSession(db, 's', null, 'Untitled Session')
    add(db, 's', 1, 'assistant', [text('So far: much.')], 1)
    add(db, 's', 2, 'user', [part('shell_command', { command: 'ls', output: 'a b', exit_code: 0 })])
    add(db, 's', 3, 'assistant', [
      part('finish', { reason: 'error', message: 'Overloaded', details: 'try later' }),
    ])
    add(db, 's', 4, 'assistant', [part('finish', { reason: 'canceled', message: 'User canceled request' })])
    add(db, 's', 5, 'user', [text('Go on'), part('binary', { Path: 'a.png', Data: 'AAAA' })])
    const [file] = await read()
    expect(file?.said).toEqual([
      'tool: So far: much.',
      'tool: shell: ls',
      'tool: a b',
      'tool: Overloaded\ntry later',
      'user: Go on',
    ])
    expect(file?.facts).toMatchObject({ title: 'Go on', messageCount: 1 })
  })

  it('attaches subagents to the session at the top', async () => {
    const db = makeProject()
    addSession(db, 'a')
    addSession(db, 'm$$c', 'a')
    for (const id of ['a', 'm$$c']) add(db, id, 1, 'user', [text(`Ask ${id}`)])
    expect((await read()).map(({ kind, facts, said }) => [kind, facts.sessionId, said])).toEqual([
      ['session', 'a', ['user: Ask a']],
      ['part', 'a', ['assistant: Ask m$$c']],
    ])
  })

  it('counts what it cannot read, and leaves pictures where they are', () => {
    const db = makeProject()
    addSession(db, 's')
    add(db, 's', 1, 'user', '[{"type"')
    add(db, 's', 2, 'oracle', [])
    add(db, 's', 3, 'user', [
      part('hologram', {}),
      part('binary', { Data: 'A'.repeat(200_000) }),
      text('See'),
    ])
    const format = reader.formatOf('crush.db')
    if (format?.kind !== 'database') throw new Error('no database')
    const lengths: number[] = []
    const source = sourceOf(db, (_, rows) => lengths.push(JSON.stringify(rows).length))
    const file = {
      root: { path: '/r/.crush' },
      path: '/r/.crush/crush.db#s',
      relativePath: 'crush.db',
      sessionKey: 's',
    }
    const { messages, unread, facts } = format.read(file, nothingBeside, source)
    expect(messages.map(({ role, text: words }) => `${role}: ${words}`)).toEqual(['user: See'])
    expect(unread).toEqual({ badLines: 1, unknownRecords: 2 })
    expect(Math.max(...lengths)).toBeLessThan(2000)
    // A root that is configured rather than registered: the project is the folder that holds it.
    expect(facts.cwd).toBe('/r')
  })

  it('knows a message that was written over', () => {
    const db = makeProject()
    addSession(db, 's')
    add(db, 's', 1, 'assistant', [text('o')])
    const format = reader.formatOf('crush.db')
    const state = () => (format?.kind === 'database' ? JSON.stringify(format.sessions(sourceOf(db))) : '')
    const before = state()
    db.exec(`UPDATE messages SET updated_at = ${startS + 999}`)
    expect(state()).not.toBe(before)
  })

  it('finds projects with data folders elsewhere, and in registries of older versions', () => {
    const roots = (registry: unknown) =>
      reader.roots({ homeDir: '/home/a', platform: 'linux', env: {}, textOf: () => JSON.stringify(registry) })
    expect(
      roots({ projects: [{ path: '/w/a', data_dir: '/data/a' }, { path: 'relative' }, null] }).slice(1),
    ).toEqual([{ path: '/data/a', projectDir: '/w/a' }])
    expect(roots({ one: { path: '/w/a' }, two: { path: '/w/b', data_dir: '.x' } }).slice(1)).toEqual([
      { path: '/w/a/.crush', projectDir: '/w/a' },
      { path: '/w/b/.x', projectDir: '/w/b' },
    ])
  })

  it('looks for its registry where its variables and its platform say', () => {
    const first = (platform: NodeJS.Platform, homeDir: string, env = {}) => {
      const asked: string[] = []
      const note = (path: string) => `${asked.push(path)} is no JSON`
      reader.roots({ homeDir, platform, env, textOf: note })
      return asked
    }
    expect(first('linux', '/home/a')).toEqual(['/home/a/.local/share/crush/projects.json'])
    expect(first('darwin', '/Users/a', { XDG_DATA_HOME: '/data' })).toEqual(['/data/crush/projects.json'])
    expect(first('linux', '/home/a', { CRUSH_GLOBAL_DATA: '/crush' })).toEqual(['/crush/projects.json'])
    expect(first('win32', 'C:\\a', { LOCALAPPDATA: 'D:\\l' })).toEqual(['D:\\l\\crush\\projects.json'])
    expect(reader.roots({ homeDir: '/home/a', platform: 'linux', env: {} })).toHaveLength(1)
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode', async (mode) => {
    const db = makeProject(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${tables}`)
    addSession(db, 's')
    add(db, 's', 1, 'user', [text('one')])
    expect((await read())[0]?.said).toEqual(['user: one'])
    add(db, 's', 2, 'user', [text('two')])
    expect((await read())[0]?.said).toEqual(['user: one', 'user: two'])
    const { texts, writes } = readWhileWritten(home, reader, db, 'work/kiln/.crush/crush.db', 's')
    expect(texts).toEqual(['one', 'two'])
    expect(writes).toBeGreaterThan(2)
  })
})
