/** Codex: where its sessions lie and which files hold them. How they read is in codex-fold.ts. */
import { posix, win32 } from 'node:path'
import { CodexFold } from './codex-fold.ts'
import { isPackedRollout, packedRollouts, unpackedPath } from './codex-packed.ts'
import { type Unpack, zstdUnpack } from './packed.ts'
import type { LinesFormat, TranscriptReader } from './reader.ts'

const label = 'Codex'

const lines: LinesFormat = {
  kind: 'lines',
  open: (file, beside, saved) => new CodexFold(label, file, beside, saved),
}

/** @param unpack of zstd; null, and packed rollouts are counted as left unread. */
export function codexReader(unpack: Unpack | null = zstdUnpack()): TranscriptReader {
  const packed = unpack === null ? null : packedRollouts(label, unpack)
  return {
    agent: 'codex',
    label,
    notes: {
      evidence: 'sample',
      variables: ['CODEX_HOME'],
      resume: 'codex resume ID',
      remark:
        'A fork holds its own messages alone. Packed rollouts are read by a Node that has zstd (22.15 on).',
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
    formatOf(relativePath) {
      if (isPackedRollout(relativePath)) return packed
      return relativePath.endsWith('.jsonl') ? lines : null
    },
    unreadable: (relativePath) =>
      isPackedRollout(relativePath)
        ? 'The transcript is packed with zstd, which this version of Node cannot read.'
        : null,
    companions: (file) => (isPackedRollout(file.relativePath) ? [unpackedPath(file)] : []),
  }
}

function withoutTrailing(path: string): string {
  return path.length > 3 ? path.replace(/[\\/]$/, '') : path
}
