import type { SqlDatabase } from '../../../host-agent/index/driver/driver.ts'
import { hermesReader } from '../../../host-agent/transcripts/hermes.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.hermes/state.db'
const said = [
  'user: Why does the pendulum slow?',
  'assistant: Friction at the pivot.\nI oil it.',
  'tool: terminal: oil --pivot',
  'tool: pivot is dry no more',
  'assistant: It swings freely.',
]

function add(
  db: SqlDatabase,
  second: number,
  role: string,
  content: string,
  reasoning = '',
  calls = '',
): void {
  db.prepare(
    'INSERT INTO messages (session_id, role, content, reasoning, tool_calls, timestamp) VALUES (?, ?, ?, ?, ?, ?)',
  ).run('s', role, content, reasoning, calls, 1_772_355_600.5 + second)
}

export const hermesSample: ConformanceSample = {
  reader: hermesReader(),
  write(home) {
    const db = home.database(
      path,
      `CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT, started_at REAL, title TEXT, cwd TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content TEXT, reasoning TEXT,
        tool_calls TEXT, timestamp REAL, active INTEGER DEFAULT 1, compacted INTEGER DEFAULT 0);
      INSERT INTO sessions VALUES ('s', 'cli', NULL, 1772355600, 'Clock', '/work/clock')`,
    )
    add(db, 1, 'user', 'Why does the pendulum slow?')
    const calls = [{ id: 'c', function: { name: 'terminal', arguments: '{"command":"oil --pivot"}' } }]
    add(db, 2, 'assistant', 'I oil it.', 'Friction at the pivot.', JSON.stringify(calls))
    add(db, 3, 'tool', 'pivot is dry no more')
    add(db, 4, 'assistant', 'It swings freely.')
    return { path: `${path}#s`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    add(db, 9, 'user', 'Set it to noon.')
  },
  saidAfter: [...said, 'user: Set it to noon.'],
}
