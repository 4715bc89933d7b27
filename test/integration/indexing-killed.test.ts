/** An indexing process that is killed with no time to say goodbye, again and again, at moments that a seed chose. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/random.ts'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { whyNoBuild } from '../helpers/real-hosts.ts'

const rounds = 2
const killsPerRound = 4
const smallSessions = 120
const seed = Number(process.env.TRAWL_TEST_SEED ?? Date.now() % 1_000_000)

let home: string
let kiln: SqlDatabase
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-killed-'))
  for (let at = 0; at < smallSessions; at++) {
    writeSession(`-work-p${at % 7}/s${at}.jsonl`, `s${at}`, 30, {})
    if (at % 10 === 0)
      writeSession(`-work-p${at % 7}/s${at}/subagents/agent-${at}.jsonl`, `s${at}`, 5, { isSidechain: true })
    if (at % 5 === 0) write(rolloutPath(at), rollout(at, 20).map(asLine).join(''))
    if (at % 10 === 0) write(chatPath(at), JSON.stringify(chat(at, 12)))
  }
  // By itself more than goes into one transaction.
  writeSession('-work-big/giant.jsonl', 'giant', 5000, {})
  write(
    '.local/share/crush/projects.json',
    JSON.stringify({ projects: [{ path: join(home, 'kiln'), data_dir: '.crush', last_accessed: at(0) }] }),
  )
  mkdirSync(join(home, 'kiln/.crush'), { recursive: true })
  kiln = loadSqlDriver().open(join(home, 'kiln/.crush/crush.db'), { readOnly: false })
  kiln.exec(`PRAGMA journal_mode = WAL; ${kilnTables}`)
  for (let session = 0; session < 30; session++)
    for (let message = 0; message < 10; message++) sayInKiln(`kiln-${session}`, message)
})
afterAll(() => {
  kiln.close()
  rmSync(home, { recursive: true, force: true })
})

const at = (second: number) => new Date(1_767_000_000_000 + second * 1000).toISOString()
const asLine = (record: object) => `${JSON.stringify(record)}\n`

function wordsOf(salt: number): string {
  return Array.from({ length: 600 }, (_, word) => `w${(word * 7919 + salt * 31) % 9973}`).join(' ')
}

function write(relativePath: string, content: string): void {
  const path = join(home, relativePath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

function writeSession(relativePath: string, sessionId: string, messages: number, fields: object): void {
  const lines = Array.from({ length: messages }, (_, index) =>
    asLine({ ...claudeRecord(relativePath, sessionId, index), ...fields }),
  )
  write(join('.claude/projects', relativePath), lines.join(''))
}

function claudeRecord(relativePath: string, sessionId: string, index: number): object {
  const text = wordsOf(index)
  const message =
    index % 2 === 0
      ? { role: 'user', content: `${sessionId} says ${index} ${text}` }
      : { role: 'assistant', id: `${sessionId}-m${index}`, content: [{ type: 'text', text }] }
  const uuid = `${relativePath}-${index}`
  return { type: message.role, sessionId, uuid, cwd: '/work/p', timestamp: at(index), message }
}

function rolloutPath(session: number): string {
  return `.codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-${codexId(session)}.jsonl`
}

function codexId(session: number): string {
  return `019b0000-0000-7000-8000-${String(session).padStart(12, '0')}`
}

function rollout(session: number, messages: number): object[] {
  const head = { id: codexId(session), cwd: '/work/p', git: { branch: 'main' }, source: 'cli' }
  return [
    { timestamp: at(0), type: 'session_meta', payload: head },
    ...Array.from({ length: messages }, (_, index) => rolloutRecord(session, index)),
  ]
}

function rolloutRecord(session: number, index: number): object {
  const [role, type] = index % 2 === 0 ? ['user', 'input_text'] : ['assistant', 'output_text']
  const content = [{ type, text: `codex ${session} says ${index} ${wordsOf(index + session)}` }]
  return { timestamp: at(index), type: 'response_item', payload: { type: 'message', role, content } }
}

function chatPath(session: number): string {
  return `.gemini/tmp/app/chats/session-2026-01-02T03-00-${session}.json`
}

/** A document, written anew each time. */
function chat(session: number, messages: number): object {
  return {
    sessionId: `chat-${session}`,
    projectHash: 'app',
    startTime: at(0),
    lastUpdated: at(messages),
    messages: Array.from({ length: messages }, (_, index) => ({
      id: `${session}-${index}`,
      type: index % 2 === 0 ? 'user' : 'gemini',
      timestamp: at(index),
      content: `chat ${session} says ${index} ${wordsOf(index * session)}`,
    })),
  }
}

const kilnTables = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
  summary_message_id TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
  parts TEXT NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
`

function sayInKiln(session: string, index: number): void {
  const second = 1_767_000_000 + index
  kiln
    .prepare(
      `INSERT INTO sessions (id, title, updated_at, created_at) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at`,
    )
    .run(session, `Title of ${session}`, second, 1_767_000_000)
  const parts = JSON.stringify([
    { type: 'text', data: { text: `${session} says ${index} ${wordsOf(index)}` } },
  ])
  kiln
    .prepare(
      'INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(`${session}-${index}`, session, index % 2 === 0 ? 'user' : 'assistant', parts, second, second)
}

/** What agents write while nobody indexes: the same for every index that is compared. @param step counts from 1. */
function goOn(step: number): void {
  for (const session of [3, 40, 101]) {
    const path = `-work-p${session % 7}/s${session}.jsonl`
    const record = claudeRecord(path, `s${session}`, 29 + step)
    appendFileSync(join(home, '.claude/projects', path), asLine(record))
  }
  appendFileSync(
    join(home, '.claude/projects/-work-big/giant.jsonl'),
    asLine(claudeRecord('-work-big/giant.jsonl', 'giant', 4999 + step)),
  )
  appendFileSync(join(home, rolloutPath(10)), asLine(rolloutRecord(10, 19 + step)))
  write(chatPath(20), JSON.stringify(chat(20, 12 + step)))
  sayInKiln('kiln-3', 9 + step)
}

function indexing(dataDir: string): ChildProcess {
  const command = join(repositoryRoot, 'bin', 'trawl-agent.js')
  return spawn(process.execPath, [command, 'index'], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TRAWL_DATA_DIR: dataDir,
      TRAWL_CONFIG: join(home, 'none.toml'),
    },
    stdio: 'ignore',
  })
}

async function indexInPeace(dataDir: string): Promise<void> {
  const [code] = await once(indexing(dataDir), 'exit')
  expect(code).toBe(0)
}

function looking<T>(dataDir: string, look: (db: SqlDatabase) => T): T {
  using db = loadSqlDriver().open(join(dataDir, 'index.sqlite'), { readOnly: false })
  return look(db)
}

/** Everything but row ids, which follow the order in which files happened to be read. */
function contentOf(dataDir: string) {
  return looking(dataDir, (db) => {
    db.exec("INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')")
    return {
      sessions: db
        .prepare(
          'SELECT agent, session_id, title, cwd, updated_at_ms, message_count, file_path FROM sessions ORDER BY 1, 2',
        )
        .all(),
      files: db
        .prepare(
          'SELECT path, kind, state, size_bytes, byte_offset, tail_hash, message_count, fold FROM files ORDER BY path',
        )
        .all(),
      messages: db
        .prepare(
          `SELECT f.path, m.position, m.role, m.timestamp_ms, m.text FROM messages m JOIN files f ON f.id = m.file_id
          ORDER BY f.path, m.position, m.id`,
        )
        .all(),
      terms: db.prepare('SELECT term, doc, cnt FROM messages_vocab ORDER BY term').all(),
    }
  })
}

describe.skipIf(whyNoBuild() !== null)('indexing that is killed', () => {
  it('goes on where it was, reads nothing twice, and ends with the index that peace would have made', async () => {
    process.stderr.write(`kills by TRAWL_TEST_SEED=${seed}\n`)
    const random = seededRandom(seed)
    const startedMs = performance.now()
    await indexInPeace(join(home, 'measured'))
    const wholeMs = performance.now() - startedMs
    let step = 0

    for (let round = 0; round < rounds; round++) {
      const killed = join(home, `killed-${round}`)
      const covered: number[] = []
      for (let kill = 0; kill < killsPerRound; kill++) {
        const child = indexing(killed)
        const exited = once(child, 'exit')
        const timer = setTimeout(() => child.kill('SIGKILL'), wholeMs * (0.05 + random() * 0.7))
        await exited
        clearTimeout(timer)
        covered.push(coveredBytes(killed))
        goOn(++step)
      }
      expect(covered).toEqual(covered.toSorted((a, b) => a - b))

      await indexInPeace(killed)
      const rewrites = looking(killed, (db) => db.prepare('SELECT sum(rewrites) AS n FROM files').get()?.n)
      expect(rewrites).toBe(0)
      const found = contentOf(killed)
      const peaceful = join(home, `peaceful-${round}`)
      await indexInPeace(peaceful)
      const expected = contentOf(peaceful)
      expect(new Set(expected.sessions.map(({ agent }) => agent))).toEqual(
        new Set(['claude', 'codex', 'crush', 'gemini']),
      )
      expect(found.sessions).toEqual(expected.sessions)
      expect(found.files).toEqual(expected.files)
      expect(found.messages).toEqual(expected.messages)
      expect(found.terms).toEqual(expected.terms)
    }
  }, 240_000)
})

/** How far the index has come; 0 where there is none that can be asked. */
function coveredBytes(dataDir: string): number {
  try {
    return looking(dataDir, (db) =>
      Number(db.prepare('SELECT coalesce(sum(byte_offset), 0) AS n FROM files').get()?.n),
    )
  } catch {
    return 0
  }
}
