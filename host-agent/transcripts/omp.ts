/** Oh My Pi: where its sessions lie. How they read is in pi-fold.ts. */
import { posix, win32 } from 'node:path'
import { pathInVariable } from './path-in-variable.ts'
import { piLines } from './pi-fold.ts'
import { piIdOf, piPlace, sessionsIn } from './pi-place.ts'
import { piWords } from './pi-words.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Oh My Pi'

const lines = piLines({
  label,
  invocation: 'omp --resume',
  resumesBy: 'path',
  wordsOf: piWords,
  // `<project>/<session>/<agent>.jsonl`, and deeper: beside `<project>/<session>.jsonl` lies what its subagents did.
  parentOf({ relativePath }) {
    const folder = piPlace(relativePath).folders[1]
    return folder === undefined ? null : piIdOf(folder)
  },
})

export function ompReader(): TranscriptReader {
  return {
    agent: 'omp',
    label,
    notes: {
      evidence: 'documentation',
      variables: ['OMP_CODING_AGENT_DIR'],
      resume: 'omp --resume PATH',
      remark: 'Subagents belong to their session; a fork holds its own messages alone.',
    },
    roots(environment) {
      const { homeDir, platform } = environment
      const { join } = platform === 'win32' ? win32 : posix
      const configured = pathInVariable(environment, 'OMP_CODING_AGENT_DIR') ?? join(homeDir, '.omp')
      return [{ path: sessionsIn(configured, platform) }]
    },
    formatOf: (relativePath) => (relativePath.endsWith('.jsonl') ? lines : null),
  }
}
