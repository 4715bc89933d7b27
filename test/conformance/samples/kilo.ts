import { kiloReader } from '../../../host-agent/transcripts/kilo.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import { addMessage, addSession, opencodeTables, text, tool } from '../../helpers/opencode-records.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.local/share/kilo/kilo.db'
const said = [
  'user: Which rope frays first?',
  'tool: read: rigging/halyard.md',
  'tool: worn near the block',
  'assistant: The halyard, near its block.',
]

export const kiloSample: ConformanceSample = {
  reader: kiloReader(),
  write(home) {
    const db = home.database(path, opencodeTables)
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('Which rope frays first?')])
    addMessage(db, 'ses_1', 'msg_2', 2, 'assistant', [
      tool('read', { path: 'rigging/halyard.md' }, 'worn near the block', 3),
      text('The halyard, near its block.'),
    ])
    return { path: `${path}#ses_1`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    addMessage(db, 'ses_1', 'msg_3', 9, 'user', [text('Splice a new one.')])
  },
  saidAfter: [...said, 'user: Splice a new one.'],
}
