/** OpenClaw: where its sessions lie. How they read is in pi-fold.ts. */
import { posix, win32 } from 'node:path'
import { pathInVariable } from './path-in-variable.ts'
import { piLines } from './pi-fold.ts'
import { openclawWords } from './pi-words.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'OpenClaw'

const lines = piLines({
  label,
  invocation: 'openclaw --resume',
  resumesBy: 'id',
  wordsOf: openclawWords,
  parentOf: () => null,
})

/**
 * `<id>.jsonl`, and what a reset put aside as `<id>.jsonl.reset.<time>`. Other names with dots are copies (before a
 * compaction), traces, and what a person deleted.
 */
const transcriptName = /^[^./][^.]*\.jsonl(?:\.reset\.[^/]+)?$/

export function openclawReader(): TranscriptReader {
  return {
    agent: 'openclaw',
    label,
    notes: {
      evidence: 'sample',
      variables: ['OPENCLAW_STATE_DIR'],
      resume: 'openclaw --resume ID',
      remark: 'Sessions that were reset are read, deleted ones are not.',
    },
    roots(environment) {
      const { join } = environment.platform === 'win32' ? win32 : posix
      const configured = pathInVariable(environment, 'OPENCLAW_STATE_DIR')
      const homes =
        configured !== null
          ? [configured]
          : ['.openclaw', '.clawdbot'].map((folder) => join(environment.homeDir, folder))
      return homes.map((home) => ({ path: join(home, 'agents') }))
    },
    enters(relativePath) {
      const folder = relativePath.split('/')[1]
      return folder === undefined || folder === 'sessions'
    },
    formatOf(relativePath) {
      const parts = relativePath.split('/')
      return parts.length > 2 && parts[1] === 'sessions' && transcriptName.test(parts.at(-1) ?? '')
        ? lines
        : null
    },
  }
}
