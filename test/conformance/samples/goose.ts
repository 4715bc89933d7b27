import type { SqlDatabase } from '../../../host-agent/index/driver/driver.ts'
import { gooseReader } from '../../../host-agent/transcripts/goose.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.local/share/goose/sessions/sessions.db'
const said = [
  'user: Why does the dough collapse?',
  'assistant: Overproofed, I would say.\nLet me read the log.',
  'tool: developer__shell: cat proof.log',
  'tool: proofed for 9 hours',
  'assistant: Shorten it to four.',
]

function add(db: SqlDatabase, second: number, role: string, ...content: object[]): void {
  db.prepare(
    'INSERT INTO messages (session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, ?, ?, ?, ?)',
  ).run(
    '20260301_1',
    role,
    JSON.stringify(content),
    1_772_355_600 + second,
    '{"userVisible":true,"agentVisible":true}',
  )
}

const text = (words: string) => ({ type: 'text', text: words })

export const gooseSample: ConformanceSample = {
  reader: gooseReader(),
  write(home) {
    const db = home.database(
      path,
      `CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, session_type TEXT, working_dir TEXT, created_at TIMESTAMP,
        updated_at TIMESTAMP, parent_session_id TEXT);
      CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, metadata_json TEXT);
      INSERT INTO sessions VALUES ('20260301_1', 'Sourdough', 'user', '/work/oven', '2026-03-01 09:00:00',
        '2026-03-01 09:01:00', NULL)`,
    )
    add(db, 1, 'user', text('Why does the dough collapse?'))
    const call = {
      status: 'success',
      value: { name: 'developer__shell', arguments: { command: 'cat proof.log' } },
    }
    add(
      db,
      2,
      'assistant',
      { type: 'thinking', thinking: 'Overproofed, I would say.', signature: '' },
      text('Let me read the log.'),
      { type: 'toolRequest', id: 'c', toolCall: call },
    )
    const result = { status: 'success', value: [text('proofed for 9 hours')] }
    add(db, 3, 'user', { type: 'toolResponse', id: 'c', toolResult: result })
    add(db, 4, 'assistant', text('Shorten it to four.'))
    return { path: `${path}#20260301_1`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    add(db, 9, 'user', text('The crumb is airy now.'))
  },
  saidAfter: [...said, 'user: The crumb is airy now.'],
}
