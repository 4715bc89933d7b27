/**
 * Reads the sessions of Pi and the agents that grew out of it: a head, then entries that form a tree by `parentId`.
 * Going back in the tree and on from there takes nothing away – all branches stay in the file, the agent shows them
 * all, and what was said on each of them is searched.
 */
import * as z from 'zod'
import { type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { contentBlocks, contentText, tellReply, tellUser } from './message-blocks.ts'
import { piPlace } from './pi-place.ts'
import type { PiWords } from './pi-words.ts'
import type { LinesFormat, TranscriptFile } from './reader.ts'
import { recordedPath, titleSource } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { joinParts, toolCallText, toolResultText } from './tool-text.ts'

/** What differs from one of these agents to the next. */
export interface PiAgent {
  readonly label: string
  /** The words before the id, or before the transcript's path. */
  readonly invocation: string
  readonly resumesBy: 'id' | 'path'
  wordsOf(text: string): PiWords
  /** The session that a subagent's transcript belongs to; null for a session of its own. */
  parentOf(file: TranscriptFile): string | null
}

const text = z.string().nullable()
const piState = z.object({
  id: text,
  cwd: text,
  branch: text,
  userTitle: text,
  autoTitle: text,
  /** The session was begun from another one; entries older than this are copies of that one's. */
  forkedAtMs: z.number().nullable(),
})
type PiState = z.infer<typeof piState>

export function piLines(agent: PiAgent): LinesFormat {
  return toldLines<PiState>({
    label: agent.label,
    state: piState,
    initial: () => ({
      id: null,
      cwd: null,
      branch: null,
      userTitle: null,
      autoTitle: null,
      forkedAtMs: null,
    }),
    isPart: (file) => agent.parentOf(file) !== null,
    record(record, state, tell) {
      const atMs = timestampMs(record.timestamp) ?? timestampMs(recordAt(record, 'message').timestamp)
      const noted = noteEntry(record, state)
      if (state.forkedAtMs !== null && atMs !== null && atMs < state.forkedAtMs) return
      tell.at(atMs)
      if (noted) return
      if (record.type === 'message') tellMessage(recordAt(record, 'message'), agent, tell, atMs)
      else tellEntry(record, tell, atMs)
    },
    identity(state, _tally, { file }) {
      const parent = agent.parentOf(file)
      const own = state.id ?? piPlace(file.relativePath).fileId
      return {
        sessionId: parent ?? own,
        kind: parent === null ? 'session' : 'part',
        title: state.userTitle ?? state.autoTitle,
        cwd: state.cwd,
        branch: state.branch,
        invocation: agent.invocation,
        ...(agent.resumesBy === 'path' ? { resumeWith: file.path } : {}),
      }
    },
  })
}

/** Entries that say something of the session. True where the entry was one of them. */
function noteEntry(record: JsonRecord, state: PiState): boolean {
  switch (record.type) {
    case 'session':
      noteHead(record, state)
      return true
    case 'session_info':
      // The name a person gave; an empty one takes it back.
      state.userTitle = nameAt(record, 'name')
      return true
    case 'title':
    case 'title_change':
    case 'session.title':
      noteTitle(state, nameAt(record, 'title'), record.source)
      return true
    case 'git_state':
      state.branch = stringAt(recordAt(record, 'git'), 'branch') ?? state.branch
      return true
    default:
      return false
  }
}

function noteHead(record: JsonRecord, state: PiState): void {
  if (state.id !== null) return
  state.id = stringAt(record, 'id')
  state.cwd = recordedPath(record.cwd)
  state.branch = stringAt(recordAt(record, 'git'), 'branch')
  noteTitle(state, nameAt(record, 'title'), record.titleSource)
  const parent = stringAt(record, 'parentSession') ?? stringAt(record, 'branchedFrom')
  state.forkedAtMs = parent === null ? null : timestampMs(record.timestamp)
}

function noteTitle(state: PiState, title: string | null, source: unknown): void {
  if (title === null) return
  if (source === 'user') state.userTitle = title
  else state.autoTitle = title
}

function tellMessage(message: JsonRecord, agent: PiAgent, tell: Telling, atMs: number | null): void {
  switch (message.role) {
    case 'user':
      tellUser(tell, message.content, atMs, agent.wordsOf)
      break
    case 'assistant':
      tellReply(tell, contentBlocks(message.content), atMs)
      tellError(message, tell, atMs)
      break
    case 'toolResult':
    case 'tool':
      tell.tool(toolResultText(message.content), atMs)
      break
    case 'bashExecution':
      // A shell line that the person ran.
      tell.tool(toolCallText('bash', message.command), atMs)
      tell.tool(stringAt(message, 'output') ?? '', atMs)
      break
    case 'pythonExecution':
      tell.tool(toolCallText('python', message.code), atMs)
      tell.tool(stringAt(message, 'output') ?? '', atMs)
      break
    case 'branchSummary':
    case 'compactionSummary':
      tell.tool(stringAt(message, 'summary') ?? '', atMs)
      break
    case 'fileMention':
      tell.tool(joinParts(listAt(message, 'files').map((file) => toolResultText(file))), atMs)
      break
    case 'custom':
    case 'hookMessage':
      // What an extension put into the conversation, unless it was hidden from the person as well.
      if (message.display !== false) tell.tool(contentText(message.content), atMs)
      break
    case 'system':
    case 'developer':
      tell.tool(contentText(message.content), atMs)
      break
    default:
      tell.unknown()
  }
}

function tellError(message: JsonRecord, tell: Telling, atMs: number | null): void {
  const error = stringAt(message, 'errorMessage')
  if (error !== null) tell.tool(`error: ${error}`, atMs)
}

function tellEntry(record: JsonRecord, tell: Telling, atMs: number | null): void {
  switch (record.type) {
    case 'compaction':
    case 'branch_summary':
      tell.tool(stringAt(record, 'summary') ?? '', atMs)
      break
    case 'custom_message':
      if (record.display !== false) tell.tool(contentText(record.content), atMs)
      break
    default:
      if (!silentEntries.has(record.type)) tell.unknown()
  }
}

function nameAt(record: JsonRecord, key: string): string | null {
  const name = stringAt(record, key)
  return name === null ? null : titleSource(name)
}

/** Settings and bookkeeping. `session_init` holds a subagent's task, which is its first message as well. */
const silentEntries: ReadonlySet<unknown> = new Set([
  'model_change',
  'thinking_level_change',
  'service_tier_change',
  'mode_change',
  'label',
  'archive',
  'reset_boundary',
  'custom',
  'session_init',
  'session_state',
  'agent_status',
  'child_usage_attributed',
  'model_usage',
  'usage',
  'ttsr_injection',
  'credential_pin',
  'context_edit',
  'leaf',
])
