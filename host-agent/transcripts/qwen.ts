/** Qwen Code: where its sessions lie. How they read is in qwen-record.ts. */
import { posix, win32 } from 'node:path'
import { pathInVariable } from './path-in-variable.ts'
import { qwenFormat } from './qwen-record.ts'
import type { TranscriptReader } from './reader.ts'

const label = 'Qwen Code'
const format = qwenFormat(label)

/** `<project>/chats/<id>.jsonl`, and `<project>/subagents/<id of the session>/agent-<id>.jsonl`. */
const transcriptPath = /^[^/]+\/(?:chats\/[^/]+|subagents\/[^/]+\/agent-[^/]+)\.jsonl$/

export function qwenReader(): TranscriptReader {
  return {
    agent: 'qwen',
    label,
    notes: {
      evidence: 'sample',
      variables: ['QWEN_RUNTIME_DIR', 'QWEN_HOME'],
      resume: 'qwen --resume ID',
      remark:
        'Rewinds are applied. Subagents belong to their session; a branched session holds its own messages alone.',
    },
    roots(environment) {
      const { join } = environment.platform === 'win32' ? win32 : posix
      const home =
        pathInVariable(environment, 'QWEN_RUNTIME_DIR', 'QWEN_HOME') ?? join(environment.homeDir, '.qwen')
      return ['projects', 'tmp'].map((folder) => ({ path: join(home, folder) }))
    },
    enters(relativePath) {
      const [, kind, ...below] = relativePath.split('/')
      if (kind === undefined) return true
      return kind === 'chats' ? below.length === 0 : kind === 'subagents' && below.length <= 1
    },
    formatOf: (relativePath) => (transcriptPath.test(relativePath) ? format : null),
  }
}
