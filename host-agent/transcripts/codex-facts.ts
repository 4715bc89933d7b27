/** What the records of a Codex transcript say of their session. */
import * as z from 'zod'
import { parentOf } from './codex-replay.ts'
import { asRecord, type JsonRecord, recordAt, stringAt } from './json-record.ts'
import type { SessionFacts, TranscriptFile } from './reader.ts'
import { resumeCommand, shellOfPath } from './resume-command.ts'
import { cutTitle, fallbackTitle, recordedPath, sessionIdOfFile, titleSource } from './session-names.ts'
import { timestampMs } from './timestamps.ts'

const text = z.string().nullable()
const ms = z.number().nullable()

/** Stored with the file, so every text in it is short. */
export const codexFactsState = z.object({
  id: text,
  /** `part`: started by another session's agent. `worker`: the program's own errand, not to be searched. */
  kind: z.enum(['session', 'part', 'worker']),
  parentId: text,
  threadName: text,
  firstWords: text,
  cwd: text,
  branch: text,
  createdAtMs: ms,
  updatedAtMs: ms,
  messageCount: z.number(),
})
export type CodexFactsState = z.infer<typeof codexFactsState>

export function emptyCodexFacts(): CodexFactsState {
  return {
    id: null,
    kind: 'session',
    parentId: null,
    threadName: null,
    firstWords: null,
    cwd: null,
    branch: null,
    createdAtMs: null,
    updatedAtMs: null,
    messageCount: 0,
  }
}

/** Takes the file's own `session_meta`. */
export function noteMeta(state: CodexFactsState, payload: JsonRecord): void {
  state.id ??= stringAt(payload, 'id')
  state.cwd ??= recordedPath(payload.cwd)
  const git = recordAt(payload, 'git')
  state.branch ??= stringAt(git, 'branch') ?? stringAt(git, 'current_branch')
  noteThreadName(state, stringAt(payload, 'thread_name') ?? stringAt(payload, 'title'))
  noteTime(state, timestampMs(payload.timestamp))
  if (!isWorker(payload)) return
  state.parentId = parentOf(payload)
  state.kind = state.parentId === null || isErrand(payload) ? 'worker' : 'part'
}

export function noteThreadName(state: CodexFactsState, name: string | null): void {
  state.threadName = (name === null ? null : titleSource(name)) ?? state.threadName
}

export function noteTime(state: CodexFactsState, atMs: number | null): void {
  if (atMs === null) return
  state.createdAtMs = Math.min(state.createdAtMs ?? atMs, atMs)
  state.updatedAtMs = Math.max(state.updatedAtMs ?? atMs, atMs)
}

/**
 * The facts as far as the file was read; a part's own count is 0, for it adds nothing to its session's.
 * @param titleOf the thread's name in the home's index, where its own records have none.
 */
export function codexFacts(
  state: CodexFactsState,
  file: TranscriptFile,
  label: string,
  titleOf: (id: string) => string | null,
): SessionFacts {
  const ownId = state.id ?? sessionIdOfFile(file.relativePath)
  const isPart = state.kind === 'part'
  const sessionId = isPart ? (state.parentId ?? ownId) : ownId
  const title = state.threadName ?? titleOf(ownId) ?? state.firstWords
  const home = file.root.codexHome === undefined ? {} : { codexHome: file.root.codexHome }
  const { cwd } = state
  return {
    sessionId,
    title: title === null ? fallbackTitle(label, sessionId) : cutTitle(title),
    cwd,
    branch: state.branch,
    createdAtMs: state.createdAtMs,
    updatedAtMs: state.updatedAtMs,
    messageCount: isPart ? 0 : state.messageCount,
    resumeCommand: isPart
      ? null
      : resumeCommand({ invocation: 'codex resume', sessionId, cwd, shell: shellOfPath(file.path), ...home }),
    ...home,
  }
}

function isWorker(payload: JsonRecord): boolean {
  const subagent = asRecord(payload.source)?.subagent
  const threadSource = stringAt(payload, 'thread_source')
  return (
    (subagent !== undefined && subagent !== null) ||
    (threadSource !== null && workerSources.has(threadSource))
  )
}

/** Threads in which the program summarises or judges another one: they hold nothing but that one's text again. */
function isErrand(payload: JsonRecord): boolean {
  const subagent = asRecord(payload.source)?.subagent
  const name = typeof subagent === 'string' ? subagent : asRecord(subagent)?.other
  return typeof name === 'string' && errands.has(name)
}

const workerSources = new Set(['subagent', 'memory_consolidation', 'guardian'])
const errands = new Set(['compact', 'memory_consolidation', 'guardian'])
