/** Copilot's command line: where its sessions lie. How they read is in copilot-fold.ts. */
import { posix, win32 } from 'node:path'
import { copilotLines, copilotManifestPath } from './copilot-fold.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Copilot CLI'
const lines = copilotLines(label)

export function copilotReader(): TranscriptReader {
  return {
    agent: 'copilot',
    label,
    notes: {
      evidence: 'sample',
      variables: ['COPILOT_HOME'],
      resume: 'copilot --resume=ID',
      remark: 'Subagents stand within their session.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.COPILOT_HOME
      const home = configured !== undefined && isAbsolute(configured) ? configured : join(homeDir, '.copilot')
      return [{ path: join(home, 'session-state') }]
    },
    // A session's folder also holds checkpoints and files of the agent's own.
    enters: (relativePath) => !relativePath.includes('/'),
    formatOf: (relativePath) => (/^[^/]+(?:\/events)?\.jsonl$/.test(relativePath) ? lines : null),
    companions: (file) => [copilotManifestPath(file)],
  }
}
