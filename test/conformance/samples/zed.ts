import type { SqlDatabase } from '../../../host-agent/index/driver/driver.ts'
import { zedReader } from '../../../host-agent/transcripts/zed.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.local/share/zed/threads/threads.db'
const said = [
  'user: Why does she list to port?',
  'assistant: Ballast, surely.\nI check the hold.',
  'tool: terminal: hold --weigh',
  'tool: port side 3 tons heavier',
  'assistant: Shift it amidships.',
]

const user = (words: string) => ({ User: { id: words, content: [{ Text: words }] } })
const messages: object[] = [
  user('Why does she list to port?'),
  {
    Agent: {
      content: [
        { Thinking: { text: 'Ballast, surely.', signature: null } },
        { Text: 'I check the hold.' },
        { ToolUse: { id: 't', name: 'terminal', input: { command: 'hold --weigh' } } },
        { Text: 'Shift it amidships.' },
      ],
      tool_results: { t: { tool_use_id: 't', content: { Text: 'port side 3 tons heavier' } } },
    },
  },
]

/** As JSON, which Zed reads as well as what it packs: not every Node can unpack that. */
function put(db: SqlDatabase, updatedAt: string, saidSoFar: readonly object[]): void {
  const data = Buffer.from(JSON.stringify({ version: '0.3.0', title: 'Trim', messages: saidSoFar }))
  db.prepare('INSERT OR REPLACE INTO threads VALUES (?, ?, ?, ?, ?, ?)').run(
    'thread',
    'Trim',
    updatedAt,
    'json',
    data,
    '/work/ship',
  )
}

export const zedSample: ConformanceSample = {
  reader: zedReader(),
  write(home) {
    const db = home.database(
      path,
      'CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB, folder_paths TEXT)',
    )
    put(db, '2026-03-01T09:00:00Z', messages)
    return { path: `${path}#thread`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    put(db, '2026-03-01T09:05:00Z', [...messages, user('She is upright.')])
  },
  saidAfter: [...said, 'user: She is upright.'],
}
