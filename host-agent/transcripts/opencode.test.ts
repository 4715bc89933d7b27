import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, type ReadFile } from '../../test/helpers/agent-home.ts'
import {
  addMessage,
  addPart,
  addSession,
  epochMs,
  opencodeTables,
  text,
  tool,
} from '../../test/helpers/opencode-records.ts'
import { readWhileWritten } from '../../test/helpers/read-files.ts'
import type { SqlDatabase } from '../index/driver/driver.ts'
import { opencodeReader } from './opencode.ts'
import type { DatabaseFormat, SourceDatabase, WholeTranscript } from './reader.ts'

const fixtures = fileURLToPath(new URL('../../../shared/fixtures/', import.meta.url))
const reader = opencodeReader()
const data = '.local/share/opencode'
const at = (second: number) => new Date(epochMs + second * 1000).toISOString()

let home: AgentHome
beforeEach(() => {
  home = createAgentHome()
})
afterEach(() => home[Symbol.dispose]())

const makeDatabase = (sql = opencodeTables): SqlDatabase => home.database(`${data}/opencode.db`, sql)

async function readAll(): Promise<readonly ReadFile[]> {
  const { files, failures, problems } = await home.read(reader)
  expect({ failures, problems }).toEqual({ failures: {}, problems: [] })
  return files
}

async function readOne(): Promise<ReadFile> {
  const files = await readAll()
  expect(files).toHaveLength(1)
  return files[0] as ReadFile
}

function databaseFormat(): DatabaseFormat {
  const format = reader.formatOf('opencode.db')
  if (format?.kind !== 'database') throw new Error('no database')
  return format
}

/** @param read gets what each read brought. */
function sourceOf(db: SqlDatabase, read: string[] = []): SourceDatabase {
  const rows = (sql: string, ...values: readonly (string | number)[]) => {
    const found = db.prepare(sql).all(...values)
    read.push(JSON.stringify(found))
    return found
  }
  const columns = (table: string) =>
    new Set(rows('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => String(name)))
  return { rows, columns }
}

/** The session `ses_1`, before the index cuts or splits anything. */
function readDirectly(db: SqlDatabase): { whole: WholeTranscript; read: string[] } {
  const read: string[] = []
  const file = {
    root: { path: '/r' },
    path: '/r/opencode.db#ses_1',
    relativePath: 'opencode.db',
    sessionKey: 'ses_1',
  }
  const beside = { text: () => null, parsed: () => null, list: () => [], rows: () => [] }
  return { whole: databaseFormat().read(file, beside, sourceOf(db, read)), read }
}

describe('opencodeReader on a database', () => {
  it('tells a session’s texts, reasoning and tools in their order, and its facts', async () => {
    const db = makeDatabase()
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('The warp snaps.')])
    addMessage(db, 'ses_1', 'msg_2', 2, 'assistant', [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Tension, I suppose.', time: { start: epochMs + 2000 } },
      text('I measure it.', { time: { start: epochMs + 3000 } }),
      tool('bash', { command: 'gauge --warp' }, 'tension 9', 4),
      text('Too tight.'),
      { type: 'step-finish', reason: 'stop' },
    ])
    const { path, kind, facts, said, times, unread } = await readOne()
    expect(path).toBe(`${data}/opencode.db#ses_1`)
    expect(said).toEqual([
      'user: The warp snaps.',
      'assistant: Tension, I suppose.\nI measure it.',
      'tool: bash: gauge --warp',
      'tool: tension 9',
      'assistant: Too tight.',
    ])
    expect(times).toEqual([at(1), at(2), at(4), '2026-03-01T09:00:04.500Z', at(2)])
    expect({ kind, unread }).toEqual({ kind: 'session', unread: { badLines: 0, unknownRecords: 0 } })
    expect(facts).toEqual({
      sessionId: 'ses_1',
      title: 'Mend the loom',
      cwd: '/work/loom',
      branch: null,
      createdAtMs: epochMs,
      updatedAtMs: epochMs + 4500,
      messageCount: 2,
      resumeCommand: "cd '/work/loom' && opencode --session 'ses_1'",
    })
  })

  it('keeps texts whole, whatever their length', () => {
    const db = makeDatabase()
    addSession(db)
    const long = 'weft '.repeat(40_000)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text(long)])
    addMessage(db, 'ses_1', 'msg_2', 2, 'assistant', [text(`${long}!`)])
    const { messages } = readDirectly(db).whole
    expect(messages.map((message) => message.text.length)).toEqual([long.length, long.length + 1])
    expect(messages.map((message) => message.text === long)).toEqual([true, false])
  })

  it('gives a program’s own texts as a tool’s: synthetic ones, reminders, summaries, errors', async () => {
    const db = makeDatabase()
    addSession(db, { title: 'New session - 2026-03-01T09:00:00.000Z' })
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [
      text('Called the read tool', { synthetic: true }),
      text('Mend it <system-reminder>plan only</system-reminder>'),
    ])
    addMessage(db, 'ses_1', 'msg_2', 2, 'assistant', [text('So far: much.')], { summary: true })
    addMessage(db, 'ses_1', 'msg_3', 3, 'assistant', [], {
      error: { name: 'E', data: { message: 'overloaded' } },
    })
    const { said, facts } = await readOne()
    expect(said).toEqual([
      'tool: Called the read tool',
      'tool: plan only',
      'user: Mend it',
      'tool: So far: much.',
      'tool: overloaded',
    ])
    expect(facts).toMatchObject({ title: 'Mend it', messageCount: 1 })
  })

  it('attaches a subagent, and its own subagent, to the session at the top', async () => {
    const db = makeDatabase()
    addSession(db, { id: 'ses_top' })
    addSession(db, { id: 'ses_mid', parent: 'ses_top' })
    addSession(db, { id: 'ses_low', parent: 'ses_mid' })
    for (const id of ['top', 'mid', 'low'])
      addMessage(db, `ses_${id}`, `msg_${id}`, 1, 'user', [text(`Ask ${id}`)])
    const files = await readAll()
    expect(files.map(({ kind, facts, said }) => [kind, facts.sessionId, facts.messageCount, said])).toEqual([
      ['part', 'ses_top', 0, ['assistant: Ask low']],
      ['part', 'ses_top', 0, ['assistant: Ask mid']],
      ['session', 'ses_top', 1, ['user: Ask top']],
    ])
  })

  it('survives parents in a circle and a parent that is gone', async () => {
    const db = makeDatabase()
    addSession(db, { id: 'ses_a', parent: 'ses_b' })
    addSession(db, { id: 'ses_b', parent: 'ses_a' })
    addSession(db, { id: 'ses_c', parent: 'ses_gone' })
    expect((await readAll()).map(({ facts }) => facts.sessionId)).toEqual(['ses_b', 'ses_a', 'ses_gone'])
  })

  it('drops what a revert took back, from a message or from within one', async () => {
    const db = makeDatabase()
    addSession(db, { id: 'ses_1', revert: { messageID: 'msg_2' } })
    addSession(db, { id: 'ses_2', revert: { messageID: 'msg_b', partID: 'msg_b_p1' } })
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('kept')])
    addMessage(db, 'ses_1', 'msg_2', 2, 'user', [text('taken back')])
    addMessage(db, 'ses_1', 'msg_3', 3, 'assistant', [text('taken back too')])
    addMessage(db, 'ses_2', 'msg_a', 1, 'user', [text('kept')])
    addMessage(db, 'ses_2', 'msg_b', 2, 'assistant', [text('also kept'), text('not kept')])
    expect((await readAll()).map(({ said }) => said)).toEqual([
      ['user: kept'],
      ['user: kept', 'assistant: also kept'],
    ])
  })

  it('tells of a fork its own messages alone, and of one without any nothing', async () => {
    const db = makeDatabase()
    addSession(db, { id: 'ses_1' })
    addSession(db, { id: 'ses_2', title: 'Mend the loom (fork #1)', atMs: epochMs + 60_000 })
    addSession(db, { id: 'ses_3', title: 'Mend the loom (fork #2)', atMs: epochMs + 61_000 })
    addSession(db, { id: 'ses_4', title: 'Another', atMs: epochMs + 62_000 })
    for (const session of ['ses_1', 'ses_2', 'ses_3', 'ses_4']) {
      addMessage(db, session, `${session}_a`, 1, 'user', [text('Same')])
      addMessage(db, session, `${session}_b`, 2, 'assistant', [text('Same again')])
    }
    addMessage(db, 'ses_1', 'ses_1_c', 3, 'user', [text('In the first')])
    addMessage(db, 'ses_2', 'ses_2_c', 90, 'user', [text('In the fork')])
    const files = await readAll()
    expect(files.map(({ kind, said }) => [kind, said])).toEqual([
      ['session', ['user: Same', 'assistant: Same again', 'user: In the first']],
      ['session', ['user: In the fork']],
      ['none', []],
      ['session', ['user: Same', 'assistant: Same again']],
    ])
  })

  it('reads archived sessions, and the database of every channel', async () => {
    addSession(makeDatabase(), { id: 'ses_1', archivedMs: epochMs })
    addSession(home.database(`${data}/opencode-dev.db`, opencodeTables), { id: 'ses_2' })
    home.write(`${data}/other.db`, 'x')
    expect((await readAll()).map(({ path }) => path)).toEqual([
      `${data}/opencode-dev.db#ses_2`,
      `${data}/opencode.db#ses_1`,
    ])
  })

  it('counts what it cannot read, and reads the rest', async () => {
    const db = makeDatabase()
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('before'), { type: 'hologram' }])
    addMessage(db, 'ses_1', 'msg_2', 2, 'oracle', [text('of an unknown role')])
    addPart(db, 'ses_1', 'msg_1', 'prt_z', epochMs, '{"type":"te')
    db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run('msg_3', 'ses_1', epochMs + 3000, 0, 'torn')
    addMessage(db, 'ses_1', 'msg_4', 4, 'assistant', [text('after')])
    const { said, unread } = await readOne()
    expect(said).toEqual(['user: before', 'assistant: after'])
    expect(unread).toEqual({ badLines: 2, unknownRecords: 2 })
  })

  it('reads a session of many messages to its end, in order', async () => {
    const db = makeDatabase()
    addSession(db)
    const expected = Array.from({ length: 300 }, (_, n) => `user: thread ${n}`)
    for (let n = 0; n < 300; n++) addMessage(db, 'ses_1', `msg_${n}`, n, 'user', [text(`thread ${n}`)])
    expect((await readOne()).said).toEqual(expected)
  })

  it('leaves pictures in the database', () => {
    const db = makeDatabase()
    addSession(db)
    const shot = tool('shot', { path: 'a.png' }, 'done', 2)
    const picture = `data:image/png;base64,${'A'.repeat(300_000)}`
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [
      text('See'),
      { type: 'file', mime: 'image/png', url: picture },
      { ...shot, state: { ...shot.state, attachments: [{ url: picture }] } },
    ])
    const { whole, read } = readDirectly(db)
    expect(whole.messages.map((message) => message.text)).toEqual(['See', 'shot: a.png', 'done'])
    expect(Math.max(...read.map(({ length }) => length))).toBeLessThan(5000)
  })

  it('knows a session that changed: by a new part, by one written over, by one taken away', () => {
    const db = makeDatabase()
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'assistant', [text('one')])
    const state = () => JSON.stringify(databaseFormat().sessions(sourceOf(db)))
    const states = [state()]
    addPart(db, 'ses_1', 'msg_1', 'prt_2', epochMs, JSON.stringify(text('two')))
    states.push(state())
    db.exec(`UPDATE part SET time_updated = ${epochMs + 9000} WHERE id = 'prt_2'`)
    states.push(state())
    db.exec("DELETE FROM part WHERE id = 'msg_1_p0'")
    states.push(state())
    expect(new Set(states).size).toBe(4)
    expect(state()).toBe(states.at(-1))
  })

  it('looks closely at the sessions that moved last alone, and reads one more time what no longer is among them', () => {
    const db = makeDatabase()
    for (let n = 0; n < 70; n++) addSession(db, { id: `ses_${n}`, atMs: epochMs + n })
    addMessage(db, 'ses_0', 'msg_0', 1, 'user', [text('one')])
    addMessage(db, 'ses_69', 'msg_69', 1, 'user', [text('one')])
    const sizes = () =>
      new Map(
        databaseFormat()
          .sessions(sourceOf(db))
          .map(({ key, size }) => [key, size]),
      )
    expect([sizes().size, sizes().get('ses_0'), sizes().get('ses_69')]).toEqual([70, 0, 2])
    db.exec(`UPDATE session SET time_updated = time_updated + 1000 WHERE id <> 'ses_69'`)
    expect([sizes().get('ses_0'), sizes().get('ses_69')]).toEqual([0, 0])
  })

  it('reads older and newer tables: without parts’ times, and with whole messages in rows of their own', async () => {
    const db = makeDatabase(`
      CREATE TABLE session (id TEXT PRIMARY KEY, title TEXT, time_updated INTEGER);
      CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, time_created INTEGER, data TEXT);
      INSERT INTO session VALUES ('ses_1', 'Looms', ${epochMs});`)
    const add = (id: string, second: number, type: string, entry: object): void => {
      db.prepare('INSERT INTO session_message VALUES (?, ?, ?, ?, ?)').run(
        id,
        'ses_1',
        type,
        epochMs + second * 1000,
        JSON.stringify(entry),
      )
    }
    add('m0', 0, 'model-switched', {})
    add('m1', 1, 'user', { text: 'Ask' })
    add('m2', 2, 'synthetic', { text: 'A reminder' })
    add('m3', 3, 'assistant', {
      content: [
        { type: 'reasoning', text: 'Hm.' },
        {
          type: 'tool',
          name: 'read',
          state: {
            status: 'completed',
            input: { path: 'a' },
            content: [{ type: 'text', text: 'file text' }],
          },
          time: { created: epochMs + 3000 },
        },
        {
          type: 'tool',
          name: 'edit',
          state: { status: 'error', input: {}, content: [], error: { message: 'no such file' } },
        },
        { type: 'text', text: 'Answer' },
      ],
    })
    add('m4', 4, 'shell', { command: 'ls', output: 'a b', time: { created: epochMs + 4000 } })
    add('m5', 5, 'compaction', { summary: 'All of it' })
    add('m6', 6, 'hologram', {})
    const { said, unread, facts } = await readOne()
    expect(said).toEqual([
      'user: Ask',
      'tool: A reminder',
      'assistant: Hm.',
      'tool: read: a',
      'tool: file text',
      'tool: edit',
      'tool: no such file',
      'assistant: Answer',
      'tool: shell: ls',
      'tool: a b',
      'tool: All of it',
    ])
    expect(unread.unknownRecords).toBe(1)
    expect(facts).toMatchObject({ messageCount: 2, cwd: null, title: 'Looms' })
  })

  it('finds nothing in a database without sessions, and says what is missing from one it does not know', async () => {
    const db = makeDatabase('CREATE TABLE something (id INTEGER)')
    expect(await readAll()).toEqual([])
    db.exec('CREATE TABLE session (id TEXT, updated INTEGER)')
    const { problems } = await home.read(reader)
    expect(problems).toEqual([
      `${home.dir}/${data}/opencode.db keeps its sessions in an unknown way (no session.time_updated)`,
    ])
  })

  it.each(['WAL', 'DELETE'])('holds up no writer in %s mode, and sees what it wrote', async (mode) => {
    const db = makeDatabase(`PRAGMA journal_mode = ${mode}; PRAGMA busy_timeout = 0; ${opencodeTables}`)
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('one')])
    expect((await readOne()).said).toEqual(['user: one'])
    addMessage(db, 'ses_1', 'msg_2', 2, 'user', [text('two')])
    expect((await readOne()).said).toEqual(['user: one', 'user: two'])
    const { texts, writes } = readWhileWritten(home, reader, db, `${data}/opencode.db`, 'ses_1')
    expect(texts).toEqual(['one', 'two'])
    expect(writes).toBeGreaterThan(2)
  })
})

describe('opencodeReader on folders of JSON', () => {
  const session = (id: string, more: object = {}) =>
    home.write(`${data}/storage/session/proj/${id}.json`, {
      id,
      directory: '/work/loom',
      title: 'Old loom',
      time: { created: epochMs, updated: epochMs + 1000 },
      ...more,
    })
  const message = (sessionId: string, id: string, second: number, role: string, ...parts: object[]) => {
    const time = { created: epochMs + second * 1000 }
    home.write(`${data}/storage/message/${sessionId}/${id}.json`, { id, sessionID: sessionId, role, time })
    parts.forEach((part, n) => {
      home.write(`${data}/storage/part/${id}/prt_${n}.json`, { id: `prt_${n}`, messageID: id, ...part })
    })
  }

  it('tells a session from its documents', async () => {
    session('ses_1')
    // Times decide the order, not names.
    message('ses_1', 'msg_9', 1, 'user', text('Ask'))
    message('ses_1', 'msg_1', 2, 'assistant', tool('bash', { command: 'ls' }, 'a b', 2), text('Answer'))
    const { path, said, facts } = await readOne()
    expect(path).toBe(`${data}/storage/session/proj/ses_1.json`)
    expect(said).toEqual(['user: Ask', 'tool: bash: ls', 'tool: a b', 'assistant: Answer'])
    expect(facts).toMatchObject({
      sessionId: 'ses_1',
      title: 'Old loom',
      cwd: '/work/loom',
      messageCount: 2,
      resumeCommand: "cd '/work/loom' && opencode --session 'ses_1'",
    })
  })

  it('leaves a session to the database that has it', async () => {
    session('ses_1')
    message('ses_1', 'msg_1', 1, 'user', text('stale'))
    session('ses_2')
    message('ses_2', 'msg_2', 1, 'user', text('never moved'))
    const db = makeDatabase()
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('fresh')])
    const files = await readAll()
    expect(files.map(({ path, kind, said }) => [path.slice(data.length + 1), kind, said])).toEqual([
      ['opencode.db#ses_1', 'session', ['user: fresh']],
      ['storage/session/proj/ses_1.json', 'none', []],
      ['storage/session/proj/ses_2.json', 'session', ['user: never moved']],
    ])
  })

  it('attaches a subagent to its session and applies a revert', async () => {
    session('ses_1', { revert: { messageID: 'msg_2' } })
    session('ses_2', { parentID: 'ses_1' })
    message('ses_1', 'msg_1', 1, 'user', text('kept'))
    message('ses_1', 'msg_2', 2, 'user', text('taken back'))
    message('ses_2', 'msg_3', 1, 'user', text('go and look'))
    expect((await readAll()).map(({ kind, facts, said }) => [kind, facts.sessionId, said])).toEqual([
      ['session', 'ses_1', ['user: kept']],
      ['part', 'ses_1', ['assistant: go and look']],
    ])
  })

  it('never follows an id out of its folders, and fails what is torn', async () => {
    session('ses_1', { id: '../../../secret' })
    home.write(`${data}/storage/session/proj/ses_2.json`, '{"id": "ses_2", "ti')
    session('ses_3')
    message('ses_3', 'msg_1', 1, 'user', text('whole'))
    home.write(`${data}/storage/message/ses_3/msg_2.json`, '{"id"')
    const { files, failures } = await home.read(reader)
    expect(Object.values(failures)).toEqual([
      'The session has no usable id.',
      'The document is not complete JSON.',
    ])
    expect(files.map(({ said, unread }) => [said, unread.badLines])).toEqual([[['user: whole'], 1]])
  })

  it('is due when a message is added, and looks into no other folder', () => {
    const root = { path: '/x/opencode' }
    const relativePath = 'storage/session/proj/ses_1.json'
    expect(reader.companions?.({ root, path: `${root.path}/${relativePath}`, relativePath })).toEqual([
      '/x/opencode/storage/message/ses_1',
    ])
    const entered = ['storage', 'storage/session', 'storage/session/p', 'storage/part', 'snapshot', 'log']
    expect(entered.map((folder) => reader.enters?.(folder))).toEqual([true, true, true, false, false, false])
    expect(reader.formatOf('storage/message/ses_1/msg_1.json')).toBeNull()
  })

  it.skipIf(!existsSync(fixtures))('reads the shared samples (skipped where they are absent)', async () => {
    using laptop = createAgentHome(`${fixtures}laptop`)
    using devbox = createAgentHome(`${fixtures}devbox`)
    const files = [...(await laptop.read(reader)).files, ...(await devbox.read(reader)).files]
    expect(
      files.map(({ facts, said, unread }) => [facts.sessionId, facts.title, said.length, unread]),
    ).toEqual([
      ['s_stage0_large', 'OpenCode Large', 8, { badLines: 0, unknownRecords: 0 }],
      ['s_stage0_small', 'OpenCode Small', 4, { badLines: 0, unknownRecords: 0 }],
      ['s_stage0_drift', 'OpenCode Drift', 4, { badLines: 0, unknownRecords: 0 }],
    ])
    expect(files[1]?.said).toEqual([
      'user: Hello',
      'tool: bash: ls',
      'tool: a.txt\nb.txt\n',
      'assistant: Found 2 files.',
    ])
    expect(files[2]).toMatchObject({
      said: [
        'user: Open README',
        'tool: bash: cat README.md',
        'tool: # Title\n\nBody\n',
        'assistant: Read README and extracted the title.',
      ],
      facts: { cwd: '/tmp/drift', createdAtMs: 1_730_000_200_000 },
    })
  })
})

describe('opencodeReader', () => {
  it('looks where XDG_DATA_HOME says, and below the home folder otherwise, on every platform', () => {
    const rootOf = (platform: NodeJS.Platform, homeDir: string, env = {}) =>
      reader.roots({ homeDir, platform, env }).map(({ path }) => path)
    expect(rootOf('linux', '/home/a')).toEqual(['/home/a/.local/share/opencode'])
    expect(rootOf('linux', '/home/a', { XDG_DATA_HOME: '/data' })).toEqual(['/data/opencode'])
    expect(rootOf('darwin', '/Users/a', { XDG_DATA_HOME: 'relative' })).toEqual([
      '/Users/a/.local/share/opencode',
    ])
    expect(rootOf('win32', 'C:\\Users\\a')).toEqual(['C:\\Users\\a\\.local\\share\\opencode'])
  })
})
