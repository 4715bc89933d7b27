/**
 * Aider: where its chat histories lie. One file holds the runs of a folder one after the other, in Markdown; it is one
 * session here. A reply ends only where the next text begins, so the file is read whole, by aider-history.ts.
 */
import { createHash } from 'node:crypto'
import { posix, win32 } from 'node:path'
import { type LocalTime, tellAiderHistory } from './aider-history.ts'
import type { DocumentFormat, TranscriptFile, TranscriptReader } from './reader.ts'
import { shellOfPath } from './resume-command.ts'
import { toldWhole } from './telling.ts'
import { localTimestampMs } from './timestamps.ts'

const label = 'Aider'
const defaultName = '.aider.chat.history.md'

/** @param localTime reads the times of the histories, which are this machine's local ones. */
export function aiderReader(localTime: LocalTime = localTimestampMs): TranscriptReader {
  const document: DocumentFormat = {
    kind: 'document',
    read: (file, _beside, bytes) =>
      toldWhole(label, file, (tell) => {
        tellAiderHistory(bytes.toString('utf8'), tell, localTime)
        return { sessionId: sessionIdOf(file), cwd: folderOf(file) }
      }),
  }
  return {
    agent: 'aider',
    label,
    notes: {
      evidence: 'sample',
      variables: ['AIDER_CHAT_HISTORY_FILE'],
      resume: null,
      remark:
        'All runs in one folder are one session. Folders other than the home are to be named as sources.',
    },
    roots({ homeDir, platform, env, textOf }) {
      const { isAbsolute, dirname, join } = platform === 'win32' ? win32 : posix
      const config = textOf?.(join(homeDir, '.aider.conf.yml')) ?? ''
      const written = /^chat-history-file:\s*["']?([^"'#\n]+)/m.exec(config)?.[1]?.trim()
      const named = [env.AIDER_CHAT_HISTORY_FILE, written]
        .filter((path) => path !== undefined && isAbsolute(path))
        .map((path) => dirname(path ?? ''))
      return [...new Set([...named, homeDir])].map((path) => ({ path }))
    },
    // Histories lie in people's repositories: a walk through all of a home would cost more than it finds.
    enters: () => false,
    formatOf: (relativePath) => (historyName.test(relativePath) ? document : null),
  }
}

/** The name that Aider gives, and what people name one when they move it. */
const historyName = /^[^/]*(?:aider[^/]*|chat)[._-]?history\.md$/i

/** Nothing in the file names it; its place stays the same. */
function sessionIdOf({ path }: TranscriptFile): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

/** Under its own name a history lies where Aider was started; one that was moved does not say. */
function folderOf({ path }: TranscriptFile): string | null {
  const { basename, dirname } = shellOfPath(path) === 'windows' ? win32 : posix
  return basename(path) === defaultName ? dirname(path) : null
}
