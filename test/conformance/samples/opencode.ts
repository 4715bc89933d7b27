import { opencodeReader } from '../../../host-agent/transcripts/opencode.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import { addMessage, addSession, opencodeTables, text, tool } from '../../helpers/opencode-records.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.local/share/opencode/opencode.db'
const said = [
  'user: Why does the shuttle stall?',
  'assistant: Perhaps the race board is rough.\nI shall feel along it.',
  'tool: bash: polish --race-board',
  'tool: splinter found at 12 cm',
  'assistant: Sand it down. 織機を直す。',
]

export const opencodeSample: ConformanceSample = {
  reader: opencodeReader(),
  write(home) {
    const db = home.database(path, opencodeTables)
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('Why does the shuttle stall?')])
    addMessage(db, 'ses_1', 'msg_2', 2, 'assistant', [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Perhaps the race board is rough.' },
      text('I shall feel along it.'),
      tool('bash', { command: 'polish --race-board' }, 'splinter found at 12 cm', 3),
      text('Sand it down. 織機を直す。'),
    ])
    return { path: `${path}#ses_1`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    addMessage(db, 'ses_1', 'msg_3', 9, 'user', [text('It glides again.')])
  },
  saidAfter: [...said, 'user: It glides again.'],
}
