/** What the records of a Claude Code transcript say of their session: ids, names, place, times. */
import * as z from 'zod'
import type { ClaudeLike, ClaudeManifest } from './claude-like.ts'
import type { ClaudePlace } from './claude-place.ts'
import { type JsonRecord, stringAt } from './json-record.ts'
import type { SessionFacts } from './reader.ts'
import { resumeCommand } from './resume-command.ts'
import { cutTitle, fallbackTitle, recordedPath, titleSource } from './session-names.ts'

const text = z.string().nullable()
const ms = z.number().nullable()

/** Stored with the file, so every text in it is short. */
export const claudeFactsState = z.object({
  ownIdSeen: z.boolean(),
  lastId: text,
  customTitle: text,
  aiTitle: text,
  firstWords: text,
  lastPrompt: text,
  command: text,
  cwd: text,
  branch: text,
  branchAtMs: ms,
  createdAtMs: ms,
  updatedAtMs: ms,
  messageCount: z.number(),
})
export type ClaudeFactsState = z.infer<typeof claudeFactsState>

export function emptyClaudeFacts(): ClaudeFactsState {
  return {
    ownIdSeen: false,
    lastId: null,
    customTitle: null,
    aiTitle: null,
    firstWords: null,
    lastPrompt: null,
    command: null,
    cwd: null,
    branch: null,
    branchAtMs: null,
    createdAtMs: null,
    updatedAtMs: null,
    messageCount: 0,
  }
}

/** Takes what every record may carry. The working directory is the first one seen: resuming needs where it began. */
export function noteRecord(
  state: ClaudeFactsState,
  place: ClaudePlace,
  record: JsonRecord,
  atMs: number | null,
): void {
  const sessionId = stringAt(record, 'sessionId')
  if (sessionId !== null) {
    if (sessionId === place.fileId) state.ownIdSeen = true
    else if (!isAgentId(sessionId)) state.lastId = sessionId
  }
  state.cwd ??= recordedPath(record.cwd)
  const branch = stringAt(record, 'gitBranch')
  if (branch !== null && (atMs ?? 0) >= (state.branchAtMs ?? 0)) {
    state.branch = branch
    state.branchAtMs = atMs ?? state.branchAtMs
  }
  if (atMs === null) return
  state.createdAtMs = Math.min(state.createdAtMs ?? atMs, atMs)
  state.updatedAtMs = Math.max(state.updatedAtMs ?? atMs, atMs)
}

/** The records that name a session. True where the record was one of them. */
export function noteName(state: ClaudeFactsState, record: JsonRecord): boolean {
  switch (record.type) {
    case 'custom-title':
      state.customTitle = nameAt(record, 'customTitle') ?? state.customTitle
      return true
    case 'ai-title':
      state.aiTitle = nameAt(record, 'aiTitle') ?? state.aiTitle
      return true
    case 'last-prompt':
      state.lastPrompt = nameAt(record, 'lastPrompt') ?? state.lastPrompt
      return true
    default:
      return false
  }
}

/** The facts as far as the file was read; a part's own count is 0, for it adds nothing to its session's. */
export function claudeFacts(
  state: ClaudeFactsState,
  place: ClaudePlace,
  agent: ClaudeLike,
  shell: 'posix' | 'windows',
  manifest: ClaudeManifest = { title: null, cwd: null },
): SessionFacts {
  const sessionId = sessionIdOf(state, place)
  const named = state.customTitle ?? manifest.title ?? state.aiTitle
  const title = named ?? state.firstWords ?? state.lastPrompt ?? state.command ?? null
  const cwd = state.cwd ?? manifest.cwd
  return {
    sessionId,
    title: title === null ? fallbackTitle(agent.label, sessionId) : cutTitle(title),
    cwd,
    branch: state.branch,
    createdAtMs: state.createdAtMs,
    updatedAtMs: state.updatedAtMs,
    messageCount: place.isPart ? 0 : state.messageCount,
    resumeCommand: place.isPart
      ? null
      : resumeCommand({ invocation: agent.invocation, sessionId, cwd, shell }),
  }
}

// A resumed session's file begins with copies that carry the older session's id: the name of the file decides
// where the records confirm it.
function sessionIdOf(state: ClaudeFactsState, place: ClaudePlace): string {
  if (place.isPart) return state.lastId ?? place.parentId ?? place.fileId
  return state.ownIdSeen ? place.fileId : (state.lastId ?? place.fileId)
}

// Some versions write the subagent's own id where its parent's belongs.
function isAgentId(sessionId: string): boolean {
  return sessionId.startsWith('agent-')
}

function nameAt(record: JsonRecord, key: string): string | null {
  const name = stringAt(record, key)
  return name === null ? null : titleSource(name)
}
