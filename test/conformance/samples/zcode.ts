import { zcodeReader } from '../../../host-agent/transcripts/zcode.ts'
import { databaseIn } from '../../helpers/database-in.ts'
import { addMessage, addSession, opencodeTables, text } from '../../helpers/opencode-records.ts'
import type { ConformanceSample } from '../sample.ts'

const path = '.zcode/cli/db/db.sqlite'
const said = [
  'tool: Keep answers short from now on',
  'user: Which seed sprouts late?',
  'assistant: Parsley, as a rule.',
]

export const zcodeSample: ConformanceSample = {
  reader: zcodeReader(),
  write(home) {
    const db = home.database(path, opencodeTables)
    addSession(db)
    addMessage(db, 'ses_1', 'msg_1', 1, 'user', [text('Keep answers short from now on')], {
      semantics: { transcriptVisibility: 'hidden' },
    })
    addMessage(db, 'ses_1', 'msg_2', 2, 'user', [text('Which seed sprouts late?')])
    addMessage(db, 'ses_1', 'msg_3', 3, 'assistant', [text('Parsley, as a rule.')])
    return { path: `${path}#ses_1`, appendable: false }
  },
  said,
  edit(home) {
    using db = databaseIn(home, path)
    addMessage(db, 'ses_1', 'msg_4', 9, 'user', [text('Then sow it in March.')])
  },
  saidAfter: [...said, 'user: Then sow it in March.'],
}
