/** Droid: where its sessions lie. How they read is in droid-fold.ts. */
import { posix, win32 } from 'node:path'
import { droidLines } from './droid-fold.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Droid'
const lines = droidLines(label)

export function droidReader(): TranscriptReader {
  return {
    agent: 'droid',
    label,
    notes: {
      evidence: 'sample',
      variables: ['FACTORY_HOME_OVERRIDE'],
      resume: 'droid --resume ID',
      remark: 'Subagents belong to the session that called them.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.FACTORY_HOME_OVERRIDE
      const home = configured !== undefined && isAbsolute(configured) ? configured : homeDir
      return ['sessions', 'projects'].map((folder) => ({ path: join(home, '.factory', folder) }))
    },
    formatOf: (relativePath) => (relativePath.endsWith('.jsonl') ? lines : null),
  }
}
