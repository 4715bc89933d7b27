import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIndexingDesk, found, type IndexingDesk } from '../../test/helpers/indexing-desk.ts'
import type { SessionFacts, TranscriptMessage } from '../transcripts/reader.ts'
import type { SqlDatabase } from './driver/driver.ts'
import type { FileBatch } from './file-batch.ts'
import { allFileRows, countFiles, fileRowAt, savedFold } from './file-rows.ts'
import { messageRows } from './message-rows.ts'
import { RowPacker } from './packed-rows.ts'
import { readFence } from './read.ts'
import { rowsPerSession } from './schema.ts'
import { noteFailure, removeFile, writeBatches } from './write.ts'

let desk: IndexingDesk
let db: SqlDatabase

beforeEach(() => {
  desk = createIndexingDesk()
  db = desk.openIndex()
})
afterEach(() => {
  db.close()
  desk[Symbol.dispose]()
})

interface Given extends Partial<Omit<FileBatch, 'rows' | 'facts' | 'stamp'>> {
  readonly session?: string
  readonly facts?: Partial<SessionFacts>
  readonly says?: readonly (string | TranscriptMessage)[]
  readonly mtimeMs?: number
  readonly firstPosition?: number
}

function batchOf({
  session = 's1',
  facts,
  says = [],
  mtimeMs = 1000,
  firstPosition = 0,
  ...given
}: Given): FileBatch {
  const rows = new RowPacker(0)
  for (const [at, message] of says.entries()) {
    const whole =
      typeof message === 'string' ? { role: 'user' as const, text: message, timestampMs: null } : message
    for (const row of messageRows(whole, firstPosition + at)) rows.add(row)
  }
  return {
    agent: 'fake',
    root: '/root',
    path: '/root/a.jsonl',
    stamp: { device: 1, inode: 1, sizeBytes: 100, mtimeMs, beside: '' },
    expected: null,
    mode: 'replace',
    complete: true,
    kind: 'session',
    facts: {
      sessionId: session,
      title: `title of ${session}`,
      cwd: '/work/App/',
      branch: 'main',
      createdAtMs: 1,
      updatedAtMs: 2,
      messageCount: says.length,
      resumeCommand: 'resume',
      ...facts,
    },
    rows: rows.take(),
    messageCount: firstPosition + says.length,
    byteOffset: 100,
    tailHash: 'tail',
    fold: '{"fold":1}',
    unread: { badLines: 0, unknownRecords: 0 },
    ...given,
  }
}

function write(...batches: Given[]) {
  return writeBatches(db, batches.map(batchOf), 'linux')
}

/** The fence that a batch for a file of the index has to carry now. */
function standing(path = '/root/a.jsonl') {
  const row = fileRowAt(db, path)
  return row === null ? null : { byteOffset: row.byteOffset, rewrites: row.rewrites }
}

function sessions() {
  return db.prepare('SELECT * FROM sessions ORDER BY id').all()
}

describe('writeBatches', () => {
  it('has FTS5 write one segment for a transaction, not one for each of its files', () => {
    const batches = Array.from({ length: 20 }, (_, at) =>
      batchOf({
        path: `/root/${at}.jsonl`,
        session: `s${at}`,
        says: [{ role: 'user', text: `question number ${at}`, timestampMs: 1000 + at }],
      }),
    )
    writeBatches(db, batches, 'linux')
    const { segments } =
      db.prepare('SELECT count(DISTINCT segid) AS segments FROM messages_fts_idx').get() ?? {}
    expect(segments).toBe(1)
  })

  it('stores the session’s facts, the file’s row and the messages, and makes them searchable', () => {
    write({
      says: ['hello needle', { role: 'assistant', text: 'an answer', timestampMs: 77 }],
      unread: { badLines: 2, unknownRecords: 3 },
    })
    expect(found(db, 'needle')).toEqual(['s1: hello needle'])
    expect(sessions()).toMatchObject([
      {
        agent: 'fake',
        session_id: 's1',
        title: 'title of s1',
        cwd: '/work/App/',
        cwd_key: '/work/App',
        branch: 'main',
        message_count: 2,
        file_path: '/root/a.jsonl',
        codex_home: null,
      },
    ])
    const id = Number(sessions()[0]?.id)
    expect(
      db.prepare('SELECT id, position, role, timestamp_ms FROM messages ORDER BY id').all(),
    ).toMatchObject([
      { id: id * rowsPerSession, position: 0, role: 0, timestamp_ms: null },
      { id: id * rowsPerSession + 1, position: 1, role: 1, timestamp_ms: 77 },
    ])
    expect(fileRowAt(db, '/root/a.jsonl')).toMatchObject({
      state: 'current',
      kind: 'session',
      byteOffset: 100,
    })
    expect(countFiles(db)).toEqual({ indexed: 1, failed: 0, unreadLines: 5, sessions: 1, messages: 2 })
  })

  it('[index.chunk-boundary] finds a word at a chunk’s boundary once, with chunks sharing the message’s position', () => {
    write({ says: [`${'filler '.repeat(1142)}pericardium ${'more '.repeat(2000)}`] })
    expect(found(db, 'pericardium')).toHaveLength(1)
    expect(db.prepare('SELECT DISTINCT position FROM messages').all()).toHaveLength(1)
  })

  it('[index.tool-cap] neither stores nor finds tool text beyond the cap', () => {
    write({ says: [{ role: 'tool', text: `early ${'x '.repeat(2000)} late`, timestampMs: null }] })
    expect(found(db, 'early')).toHaveLength(1)
    expect(found(db, 'late')).toEqual([])
    expect(db.prepare('SELECT max(length(text)) AS units FROM messages').get()?.units).toBe(3072)
  })

  it('[index.text-in-full] finds the last word of a long message', () => {
    write({ says: [{ role: 'assistant', text: `${'word '.repeat(200_000)}lastneedle`, timestampMs: null }] })
    expect(found(db, 'lastneedle')).toHaveLength(1)
  })

  it('appends after what is there', () => {
    write({ says: ['one', 'two'] })
    const outcome = write({
      mode: 'append',
      expected: standing(),
      says: ['three'],
      firstPosition: 2,
      byteOffset: 150,
      facts: { messageCount: 3 },
    })
    expect(outcome).toEqual([{ outcome: 'written', position: { byteOffset: 150, rewrites: 0 } }])
    expect(db.prepare('SELECT position FROM messages ORDER BY id').all()).toMatchObject([
      { position: 0 },
      { position: 1 },
      { position: 2 },
    ])
    expect(sessions()).toMatchObject([{ message_count: 3 }])
  })

  it('replaces old content by new in one go', () => {
    write({ says: ['old words'] })
    write({ expected: standing(), says: ['new words'] })
    expect(found(db, 'words')).toEqual(['s1: new words'])
    expect(found(db, 'old')).toEqual([])
    expect(standing()).toEqual({ byteOffset: 100, rewrites: 1 })
  })

  it('drops a batch whose file was written by another since the read began', () => {
    write({ says: ['mine'] })
    expect(write({ expected: null, says: ['late'] })).toEqual([{ outcome: 'fenced' }])
    expect(write({ expected: { byteOffset: 50, rewrites: 0 }, mode: 'append', says: ['late'] })).toEqual([
      { outcome: 'fenced' },
    ])
    expect(found(db, 'late')).toEqual([])
    removeFile(db, '/root/a.jsonl')
    expect(write({ expected: { byteOffset: 100, rewrites: 0 }, says: ['late'] })).toEqual([
      { outcome: 'fenced' },
    ])
    expect(allFileRows(db)).toEqual([])
  })

  it('leaves everything as it was when one of the batches cannot be written', () => {
    const bad = batchOf({
      path: '/root/bad.jsonl',
      session: 's2',
      facts: { title: null as unknown as string },
    })
    expect(() => writeBatches(db, [batchOf({ says: ['needle'] }), bad], 'linux')).toThrow()
    expect(found(db, 'needle')).toEqual([])
    expect(readFence(db).generation).toBe(0)
  })

  it('keeps a file without a session as a row, and takes its messages out when it had some', () => {
    write({ says: ['words'] })
    write({ expected: standing(), kind: 'none', says: ['not to be found'] })
    expect(found(db, 'words OR found')).toEqual([])
    expect(sessions()).toEqual([])
    expect(fileRowAt(db, '/root/a.jsonl')).toMatchObject({
      sessionRowId: null,
      kind: 'none',
      state: 'current',
    })
  })

  it('asks for the whole file when an append says that it is another session, or another kind', () => {
    write({ says: ['words'] })
    expect(write({ mode: 'append', expected: standing(), session: 's2', says: ['more'] })).toEqual([
      { outcome: 'reread' },
    ])
    expect(write({ mode: 'append', expected: standing(), kind: 'part', says: ['more'] })).toEqual([
      { outcome: 'reread' },
    ])
    expect(sessions()).toMatchObject([{ session_id: 's1' }])
    expect(found(db, 'more')).toEqual([])
  })

  it('moves a file to the session it turns out to be of', () => {
    write({ says: ['words'] })
    write({ expected: standing(), session: 's2', says: ['words'] })
    expect(found(db, 'words')).toEqual(['s2: words'])
    expect(sessions()).toMatchObject([{ session_id: 's2' }])
  })

  it('writes sessions of one transaction with rising row ids, whatever their order', () => {
    write({ path: '/root/1', session: 'old', says: ['a'] })
    write(
      { path: '/root/2', session: 'new', says: ['b'] },
      { path: '/root/3', session: 'old', kind: 'part', says: ['c'] },
    )
    expect(found(db, 'a OR b OR c')).toEqual(['old: a', 'old: c', 'new: b'])
  })
})

describe('files of one session', () => {
  it('attaches a subagent’s messages to its parent, whose facts stay the parent’s', () => {
    write({ says: ['parent'] })
    write({ path: '/root/part', kind: 'part', says: ['child'], facts: { title: 'child', updatedAtMs: 999 } })
    expect(found(db, 'child')).toEqual(['s1: child'])
    expect(sessions()).toMatchObject([{ title: 'title of s1', updated_at_ms: 2, file_path: '/root/a.jsonl' }])
  })

  it('begins a session with its subagent when the parent is not there yet, and completes it later', () => {
    write({ path: '/root/part', kind: 'part', says: ['child'], facts: { title: 'stub', updatedAtMs: 5 } })
    write({ path: '/root/part2', kind: 'part', says: ['child two'], facts: { updatedAtMs: 9 } })
    expect(sessions()).toMatchObject([{ title: 'stub', updated_at_ms: 9 }])
    write({ says: ['parent'] })
    expect(sessions()).toMatchObject([{ title: 'title of s1', updated_at_ms: 2 }])
    expect(found(db, 'child OR parent')).toHaveLength(3)
  })

  it('takes the newest of two transcripts of one session for its source', () => {
    write({ path: '/root/old', says: ['old copy'], mtimeMs: 1000 })
    const outcome = write({ path: '/root/new', says: ['new copy'], mtimeMs: 2000 })
    expect(outcome).toMatchObject([{ outcome: 'written' }])
    expect(found(db, 'copy')).toEqual(['s1: new copy'])
    expect(fileRowAt(db, '/root/old')).toMatchObject({ state: 'shadowed', byteOffset: 0 })
    expect(sessions()).toMatchObject([{ file_path: '/root/new' }])
  })

  it('notes an older copy without its messages', () => {
    write({ path: '/root/new', says: ['new copy'], mtimeMs: 2000 })
    expect(write({ path: '/root/old', says: ['old copy'], mtimeMs: 1000 })).toMatchObject([
      { outcome: 'shadowed' },
    ])
    expect(found(db, 'copy')).toEqual(['s1: new copy'])
    expect(countFiles(db).indexed).toBe(2)
  })

  it('settles two copies that come in one transaction in the same way, in either order', () => {
    for (const order of [
      [1000, 2000],
      [2000, 1000],
    ]) {
      const session = `s${order[0]}`
      write(
        ...order.map((mtimeMs) => ({
          path: `/root/${session}-${mtimeMs}`,
          session,
          says: [`copy of ${mtimeMs}`],
          mtimeMs,
        })),
      )
      expect(found(db, 'copy')).toContain(`${session}: copy of 2000`)
      expect(found(db, 'copy')).not.toContain(`${session}: copy of 1000`)
    }
  })

  it('does not take two agents’ sessions of one id for one', () => {
    write({ says: ['words'] }, { agent: 'other', path: '/root/b', says: ['words'] })
    expect(sessions()).toHaveLength(2)
  })
})

describe('removeFile', () => {
  it('takes out the session with its last file', () => {
    write({ says: ['words'] })
    removeFile(db, '/root/a.jsonl')
    expect(found(db, 'words')).toEqual([])
    expect(sessions()).toEqual([])
    expect(db.prepare('SELECT count(*) AS n FROM messages').get()?.n).toBe(0)
    removeFile(db, '/root/never-there')
  })

  it('keeps what subagents said when the parent’s transcript goes', () => {
    write({ says: ['parent'] }, { path: '/root/part', kind: 'part', says: ['child'] })
    removeFile(db, '/root/a.jsonl')
    expect(found(db, 'child OR parent')).toEqual(['s1: child'])
  })

  it('makes a copy due that stood in the shadow of what goes', () => {
    write({ path: '/root/new', says: ['new copy'], mtimeMs: 2000 })
    write({ path: '/root/old', says: ['old copy'], mtimeMs: 1000 })
    removeFile(db, '/root/new')
    expect(fileRowAt(db, '/root/old')).toMatchObject({ state: 'due', sessionRowId: null, byteOffset: 0 })
    expect(sessions()).toEqual([])
    write({ path: '/root/old', expected: standing('/root/old'), says: ['old copy'], mtimeMs: 1000 })
    expect(found(db, 'copy')).toEqual(['s1: old copy'])
  })
})

describe('noteFailure', () => {
  const stamp = { device: 1, inode: 1, sizeBytes: 100, mtimeMs: 1000, beside: '' }
  const fail = (changed: Partial<typeof stamp> = {}) =>
    noteFailure(
      db,
      { agent: 'fake', root: '/root', path: '/root/a.jsonl', stamp: { ...stamp, ...changed } },
      'why',
    )

  it('counts failures of one version of a file, and begins again when the file changes', () => {
    fail()
    fail()
    expect(fileRowAt(db, '/root/a.jsonl')).toMatchObject({ state: 'failed', failCount: 2 })
    fail({ sizeBytes: 101 })
    expect(fileRowAt(db, '/root/a.jsonl')?.failCount).toBe(1)
    expect(countFiles(db).failed).toBe(1)
  })

  it('keeps what was read of the file before, and forgets the failure when it can be read again', () => {
    write({ says: ['words'] })
    fail({ sizeBytes: 101 })
    expect(found(db, 'words')).toHaveLength(1)
    write({ expected: standing(), says: ['words again'] })
    expect(fileRowAt(db, '/root/a.jsonl')).toMatchObject({ state: 'current', failCount: 0 })
  })

  it('does not leave a session with two sources when a shadowed copy fails', () => {
    write({ path: '/root/new', says: ['new copy'], mtimeMs: 2000 })
    write({ says: ['old copy'], mtimeMs: 1000 })
    fail({ mtimeMs: 3000, beside: '' })
    expect(fileRowAt(db, '/root/a.jsonl')?.sessionRowId).toBeNull()
  })
})

describe('a session of more rows than it has row ids for', () => {
  it('holds what fits and is told as failed', () => {
    write({ says: ['first'] })
    const id = Number(sessions()[0]?.id)
    db.prepare('UPDATE messages SET id = ? WHERE session_row_id = ?').run((id + 1) * rowsPerSession - 2, id)
    write({ mode: 'append', expected: standing(), says: ['fits', 'doesnot'], firstPosition: 1 })
    expect(found(db, 'fits OR doesnot')).toEqual(['s1: fits'])
    expect(fileRowAt(db, '/root/a.jsonl')).toMatchObject({ state: 'failed', failCount: 3 })
  })
})

describe('the generation', () => {
  const moves = (work: () => unknown) => {
    const before = readFence(db)
    work()
    const after = readFence(db)
    return { generation: after.generation - before.generation, removals: after.removals - before.removals }
  }

  it('moves once with a new file, and removals do not', () => {
    expect(moves(() => write({ says: ['a'] }))).toEqual({ generation: 1, removals: 0 })
  })

  it('moves with an append, and removals do not', () => {
    write({ says: ['a'] })
    const append = () => write({ mode: 'append', expected: standing(), says: ['b'], byteOffset: 120 })
    expect(moves(append)).toEqual({ generation: 1, removals: 0 })
  })

  it('moves with a rewrite, and removals too, though nothing but the text changed', () => {
    write({ says: ['a'] })
    const moved = moves(() => write({ expected: standing(), says: ['b'] }))
    expect(moved.generation).toBeGreaterThan(0)
    expect(moved.removals).toBeGreaterThan(0)
  })

  it('[index.purge-stale-once] moves with a removal, and removals too', () => {
    write({ says: ['a'] })
    expect(moves(() => removeFile(db, '/root/a.jsonl'))).toEqual({ generation: 1, removals: 1 })
  })

  it('moves with both when a copy takes another’s place', () => {
    write({ path: '/root/old', says: ['old copy'], mtimeMs: 1000 })
    const moved = moves(() => write({ path: '/root/new', says: ['new copy'], mtimeMs: 2000 }))
    expect(moved.removals).toBeGreaterThan(0)
  })

  it('stays for what no search can see: a file without a session, a first failure, a removal of nothing', () => {
    const unseen = () => {
      write({ kind: 'none', path: '/root/none' })
      removeFile(db, '/root/none')
      removeFile(db, '/root/never')
      noteFailure(db, batchOf({ path: '/root/failed' }), 'why')
    }
    expect(moves(unseen)).toEqual({ generation: 0, removals: 0 })
  })

  it('moves when a session is called otherwise though nothing was read, and no walk is refused for it', () => {
    write({ says: ['one'] })
    const before = readFence(db)
    db.exec("UPDATE sessions SET title = 'another'")
    expect(readFence(db)).toEqual({ ...before, generation: before.generation + 1 })
    db.exec('UPDATE sessions SET message_count = message_count')
    expect(readFence(db).generation).toBe(before.generation + 1)
  })

  it('moves inside the writing transaction: rolled back with it, seen by no other before', () => {
    using reader = desk.openIndex()
    const failing = () =>
      db.transaction(() => {
        db.prepare(
          "INSERT INTO sessions (agent, session_id, title, message_count, file_path) VALUES ('a', 'b', 'c', 0, 'd')",
        ).run()
        db.prepare(
          `INSERT INTO files (path, agent, root, session_row_id, kind, state, device, inode, size_bytes, mtime_ms,
            beside, byte_offset, tail_hash, message_count, bad_lines, unknown_records, fail_count)
          SELECT 'p', 'a', 'r', id, 'session', 'current', 1, 1, 1, 1, '', 1, '', 0, 0, 0, 0 FROM sessions`,
        ).run()
        expect(readFence(db).generation).toBe(1)
        expect(readFence(reader).generation).toBe(0)
        throw new Error('rolled back')
      })
    expect(failing).toThrow('rolled back')
    expect(readFence(db).generation).toBe(0)
  })

  it('survives that the index is closed and opened again', () => {
    write({ says: ['a'] })
    const before = readFence(db)
    db.close()
    db = desk.openIndex()
    expect(readFence(db)).toEqual(before)
    expect(savedFold(db, Number(fileRowAt(db, '/root/a.jsonl')?.id))).toBe('{"fold":1}')
  })
})
