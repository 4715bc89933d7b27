import type { SqlDatabase } from '../../../host-agent/index/driver/driver.ts'
import { cursorDesktopReader } from '../../../host-agent/transcripts/cursor-desktop.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.config/Cursor/User/globalStorage/state.vscdb'
const said = [
  'user: Why is the low string dull?',
  'assistant: Worn gut, it may be.',
  'tool: run_terminal_cmd: string --age',
  'tool: 900 days',
  'assistant: Replace it with silk.',
]

const bubbles: [string, object][] = [
  ['b1', { type: 1, text: 'Why is the low string dull?', createdAt: '2026-03-01T09:00:01.000Z' }],
  ['b2', { type: 2, text: '', thinking: { text: 'Worn gut, it may be.' } }],
  [
    'b3',
    {
      type: 2,
      text: '',
      toolFormerData: {
        name: 'run_terminal_cmd',
        rawArgs: '{"command":"string --age"}',
        result: '{"output":"900 days"}',
      },
    },
  ],
  ['b4', { type: 2, text: 'Replace it with silk.' }],
]

function put(db: SqlDatabase, written: readonly [string, object][]): void {
  const insert = db.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)')
  const headers = written.map(([bubbleId]) => ({ bubbleId }))
  insert.run('composerData:c', JSON.stringify({ name: 'Harp', fullConversationHeadersOnly: headers }))
  for (const [id, bubble] of written) insert.run(`bubbleId:c:${id}`, JSON.stringify(bubble))
}

export const cursorDesktopSample: ConformanceSample = {
  reader: cursorDesktopReader(),
  write(home) {
    const db = home.database(
      path,
      `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
      CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
      INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'not to be read')`,
    )
    put(db, bubbles)
    return { path: `${path}#c`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    put(db, [...bubbles, ['b5', { type: 1, text: 'It rings like a bell.' }]])
  },
  saidAfter: [...said, 'user: It rings like a bell.'],
}
