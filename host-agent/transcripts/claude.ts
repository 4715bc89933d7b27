/** Claude Code: where its sessions lie and which files hold them. How they read is in claude-fold.ts. */
import { posix, win32 } from 'node:path'
import { ClaudeFold } from './claude-fold.ts'
import { isClaudeTranscript } from './claude-place.ts'
import type { LinesFormat, TranscriptReader } from './reader.ts'

const label = 'Claude Code'

const lines: LinesFormat = {
  kind: 'lines',
  open: (file, beside, saved) =>
    new ClaudeFold({ label, invocation: 'claude --resume' }, file, beside, saved),
}

export function claudeReader(): TranscriptReader {
  return {
    agent: 'claude',
    label,
    notes: {
      evidence: 'sample',
      variables: ['CLAUDE_CONFIG_DIR'],
      resume: 'claude --resume ID',
      remark: 'Subagents belong to their session.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.CLAUDE_CONFIG_DIR
      const homes =
        configured !== undefined && isAbsolute(configured)
          ? [configured]
          : [join(homeDir, '.claude'), join(homeDir, '.config', 'claude')]
      return homes.map((home) => ({ path: join(home, 'projects') }))
    },
    formatOf: (relativePath) => (isClaudeTranscript(relativePath) ? lines : null),
  }
}
