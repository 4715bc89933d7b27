/** Codex: where its sessions lie and which files hold them. How they read is in codex-fold.ts. */
import { posix, win32 } from 'node:path'
import { CodexFold } from './codex-fold.ts'
import type { LinesFormat, TranscriptReader } from './reader.ts'

const label = 'Codex'

const lines: LinesFormat = {
  kind: 'lines',
  open: (file, _beside, saved) => new CodexFold(label, file, saved),
}

export function codexReader(): TranscriptReader {
  return {
    agent: 'codex',
    label,
    notes: {
      evidence: 'sample',
      variables: ['CODEX_HOME'],
      resume: 'codex resume ID',
      remark: 'A fork holds its own messages alone.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join, normalize } = platform === 'win32' ? win32 : posix
      const defaultHome = join(homeDir, '.codex')
      const configured = env.CODEX_HOME
      const home =
        configured !== undefined && isAbsolute(configured)
          ? withoutTrailing(normalize(configured))
          : defaultHome
      // Named only where a resume command has to name it.
      const codexHome = home === defaultHome ? {} : { codexHome: home }
      return ['sessions', 'archived_sessions'].map((folder) => ({ path: join(home, folder), ...codexHome }))
    },
    formatOf: (relativePath) => (relativePath.endsWith('.jsonl') ? lines : null),
    unreadable: (relativePath) =>
      relativePath.endsWith('.jsonl.zst') ? 'The transcript is packed with zstd, which is not read.' : null,
  }
}

function withoutTrailing(path: string): string {
  return path.length > 3 ? path.replace(/[\\/]$/, '') : path
}
