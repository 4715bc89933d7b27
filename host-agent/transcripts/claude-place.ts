/** What a Claude Code transcript's place says: a session of its own, or a subagent's part of one. */
import { sessionIdOfFile } from './session-names.ts'

export interface ClaudePlace {
  readonly isPart: boolean
  /** The id the file's name gives: a session's own. */
  readonly fileId: string
  /** The session whose folder the file lies in; null beside the sessions, where only the records tell. */
  readonly parentId: string | null
}

/**
 * `<project>/<session>/subagents/…` (and `workflows/`) are parts of `<session>`; so are the `agent-*.jsonl` that
 * older versions wrote beside the sessions.
 */
export function claudePlace(relativePath: string): ClaudePlace {
  const folders = relativePath.split('/')
  const name = folders.pop() ?? relativePath
  const fileId = sessionIdOfFile(name)
  const sideFolder = folders.findIndex((folder, at) => at > 0 && sideFolders.has(folder))
  if (sideFolder !== -1) return { isPart: true, fileId, parentId: folders[sideFolder - 1] ?? null }
  return { isPart: name.startsWith('agent-'), fileId, parentId: null }
}

/** What tools left behind beside a session may end in .jsonl as well, and is no transcript. */
export function isClaudeTranscript(relativePath: string): boolean {
  return relativePath.endsWith('.jsonl') && !relativePath.split('/').includes('tool-results')
}

const sideFolders = new Set(['subagents', 'workflows'])
