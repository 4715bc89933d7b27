import { join } from 'node:path'
import type { SqlDatabase } from '../../../host-agent/index/driver/driver.ts'
import { crushReader } from '../../../host-agent/transcripts/crush.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import type { ConformanceSample } from '../sample.ts'

/** Of a project that is the registry's own folder: a root there always is. */
const path = '.local/share/crush/crush.db'
const said = [
  'user: Why is the glaze cloudy?',
  'assistant: Too thick a coat?\nI weigh a tile.',
  'tool: bash: scale --tile 7',
  'tool: 4 grams over',
  'assistant: Dip it for two seconds only.',
]

function add(db: SqlDatabase, second: number, role: string, ...parts: object[]): void {
  const at = 1_772_355_600 + second
  db.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, 0)').run(
    `m${second}`,
    's',
    role,
    JSON.stringify(parts),
    at,
    at,
  )
}

const part = (type: string, data: object) => ({ type, data })
const text = (words: string) => part('text', { text: words })

export const crushSample: ConformanceSample = {
  reader: crushReader(),
  write(home) {
    const db = home.database(
      path,
      `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, updated_at INTEGER, created_at INTEGER);
      CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER,
        updated_at INTEGER, is_summary_message INTEGER);
      INSERT INTO sessions VALUES ('s', NULL, 'Glazes', 1772355660, 1772355600)`,
    )
    home.write('.local/share/crush/projects.json', { projects: [{ path: join(home.dir, 'elsewhere') }] })
    add(db, 1, 'user', text('Why is the glaze cloudy?'), part('finish', { reason: 'stop' }))
    add(
      db,
      2,
      'assistant',
      part('reasoning', { thinking: 'Too thick a coat?' }),
      text('I weigh a tile.'),
      part('tool_call', { id: 'c', name: 'bash', input: '{"command":"scale --tile 7"}', finished: true }),
      part('finish', { reason: 'tool_use' }),
    )
    add(db, 3, 'tool', part('tool_result', { tool_call_id: 'c', name: 'bash', content: '4 grams over' }))
    add(db, 4, 'assistant', text('Dip it for two seconds only.'))
    return { path: `${path}#s`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    add(db, 9, 'user', text('Clear as water.'))
  },
  saidAfter: [...said, 'user: Clear as water.'],
}
