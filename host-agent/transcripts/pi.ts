/** Pi: where its sessions lie. How they read is in pi-fold.ts. */
import { posix, win32 } from 'node:path'
import { pathInVariable } from './path-in-variable.ts'
import { piLines } from './pi-fold.ts'
import { sessionsIn } from './pi-place.ts'
import { piWords } from './pi-words.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Pi'

const lines = piLines({
  label,
  invocation: 'pi --session',
  resumesBy: 'id',
  wordsOf: piWords,
  parentOf: () => null,
})

export function piReader(): TranscriptReader {
  return {
    agent: 'pi',
    label,
    notes: {
      evidence: 'sample',
      variables: ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR'],
      resume: 'pi --session ID',
      remark: 'All branches of a session’s tree are searched; a fork holds its own messages alone.',
    },
    roots(environment) {
      const { homeDir, platform } = environment
      const { join } = platform === 'win32' ? win32 : posix
      const sessions = pathInVariable(environment, 'PI_CODING_AGENT_SESSION_DIR')
      if (sessions !== null) return [{ path: sessions }]
      const configured = pathInVariable(environment, 'PI_CODING_AGENT_DIR') ?? join(homeDir, '.pi')
      return [{ path: sessionsIn(configured, platform) }]
    },
    formatOf: (relativePath) => (relativePath.endsWith('.jsonl') ? lines : null),
  }
}
