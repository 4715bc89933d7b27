/** An indexing process that is killed with no time to say goodbye, again and again, at moments nobody chose. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../host-agent/index/driver/driver.ts'
import { loadSqlDriver } from '../../host-agent/index/driver/load-driver.ts'
import { repositoryRoot } from '../helpers/bundle.ts'
import { whyNoBuild } from '../helpers/real-hosts.ts'

const rounds = 3
const killsPerRound = 3
const smallSessions = 250

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'trawl-killed-'))
  for (let at = 0; at < smallSessions; at++) {
    writeSession(`-work-p${at % 7}/s${at}.jsonl`, `s${at}`, 30, {})
    if (at % 10 === 0)
      writeSession(`-work-p${at % 7}/s${at}/subagents/agent-${at}.jsonl`, `s${at}`, 5, { isSidechain: true })
  }
  // By itself more than goes into one transaction.
  writeSession('-work-big/giant.jsonl', 'giant', 5000, {})
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

function writeSession(relativePath: string, sessionId: string, messages: number, fields: object): void {
  const lines = Array.from({ length: messages }, (_, at) => {
    const text = Array.from({ length: 600 }, (_, word) => `w${(word * 7919 + at * 31) % 9973}`).join(' ')
    const isUser = at % 2 === 0
    const message = isUser
      ? { role: 'user', content: `${sessionId} says ${at} ${text}` }
      : { role: 'assistant', id: `${sessionId}-m${at}`, content: [{ type: 'text', text }] }
    const timestamp = new Date(1_767_000_000_000 + at * 1000).toISOString()
    const uuid = `${relativePath}-${at}`
    return JSON.stringify({
      type: message.role,
      sessionId,
      uuid,
      cwd: '/work/p',
      timestamp,
      message,
      ...fields,
    })
  })
  const path = join(home, '.claude', 'projects', relativePath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${lines.join('\n')}\n`)
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
    const peaceful = join(home, 'peaceful')
    const startedMs = performance.now()
    await indexInPeace(peaceful)
    const wholeMs = performance.now() - startedMs
    const expected = contentOf(peaceful)

    for (let round = 0; round < rounds; round++) {
      const killed = join(home, `killed-${round}`)
      const covered: number[] = []
      for (let kill = 0; kill < killsPerRound; kill++) {
        const child = indexing(killed)
        const exited = once(child, 'exit')
        const timer = setTimeout(() => child.kill('SIGKILL'), wholeMs * (0.05 + Math.random() * 0.6))
        await exited
        clearTimeout(timer)
        covered.push(coveredBytes(killed))
      }
      expect(covered).toEqual(covered.toSorted((a, b) => a - b))

      await indexInPeace(killed)
      const rewrites = looking(killed, (db) => db.prepare('SELECT sum(rewrites) AS n FROM files').get()?.n)
      expect(rewrites).toBe(0)
      const found = contentOf(killed)
      expect(found.sessions).toEqual(expected.sessions)
      expect(found.files).toEqual(expected.files)
      expect(found.messages).toEqual(expected.messages)
      expect(found.terms).toEqual(expected.terms)
    }
  }, 180_000)
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
