/** Prime Agent: where its sessions lie. How they read is in pi-fold.ts. */
import { posix, win32 } from 'node:path'
import { pathInVariable } from './path-in-variable.ts'
import { piLines } from './pi-fold.ts'
import { piPlace } from './pi-place.ts'
import { piWords } from './pi-words.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Prime Agent'
/** Folders of children in a session's artifacts: `<session>/sub-1a2b3c4d/<child>.jsonl`, nested for their own. */
const childFolder = /^sub-/

const lines = piLines({
  label,
  invocation: 'prime-agent --resume',
  resumesBy: 'path',
  wordsOf: piWords,
  parentOf({ relativePath }) {
    const [session = null, child = ''] = piPlace(relativePath).folders
    return childFolder.test(child) ? session : null
  },
})

export function primeAgentReader(): TranscriptReader {
  return {
    agent: 'prime-agent',
    label,
    notes: {
      evidence: 'documentation',
      variables: [
        'PRIME_AGENT_SESSION_DIR',
        'PRIME_AGENT_CODING_AGENT_SESSION_DIR',
        'PRIME_AGENT_CODING_AGENT_DIR',
      ],
      resume: 'prime-agent --resume PATH',
      remark: 'Children belong to their session; a fork holds its own messages alone.',
    },
    roots(environment) {
      const { join } = environment.platform === 'win32' ? win32 : posix
      const home =
        pathInVariable(environment, 'PRIME_AGENT_CODING_AGENT_DIR') ??
        join(environment.homeDir, '.prime', 'agent')
      const sessions =
        pathInVariable(environment, 'PRIME_AGENT_SESSION_DIR', 'PRIME_AGENT_CODING_AGENT_SESSION_DIR') ??
        join(home, 'sessions')
      return [{ path: sessions }, { path: join(home, 'session-artifacts') }]
    },
    enters: (relativePath) =>
      relativePath
        .split('/')
        .slice(1)
        .every((folder) => childFolder.test(folder)),
    formatOf: (relativePath) => (relativePath.endsWith('.jsonl') ? lines : null),
  }
}
