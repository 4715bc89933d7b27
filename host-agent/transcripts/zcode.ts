/** ZCode: one database in the shape of OpenCode's. */
import { posix, win32 } from 'node:path'
import { opencodeDatabase } from './opencode-family.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'ZCode'
const database = opencodeDatabase({ label })

export function zcodeReader(): TranscriptReader {
  return {
    agent: 'zcode',
    label,
    notes: {
      evidence: 'documentation',
      variables: [],
      resume: null,
      remark: 'What its program hides from the transcript is kept apart from a person’s words.',
    },
    roots({ homeDir, platform }) {
      const { join } = platform === 'win32' ? win32 : posix
      return [{ path: join(homeDir, '.zcode', 'cli', 'db') }]
    },
    enters: () => false,
    formatOf: (relativePath) => (relativePath === 'db.sqlite' ? database : null),
  }
}
