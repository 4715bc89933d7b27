/**
 * Reads Qwen Code's sessions: records that form a chain by `parentUuid`. A rewind goes on from an earlier record and
 * takes back all that came after it, so a session is read whole; which lines count is settled first (`activeLines`).
 */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { gluedRecords, type JsonRecord, parseRecord, recordAt, stringAt } from './json-record.ts'
import { contentOfParts, tellReply, tellRuns } from './message-blocks.ts'
import type { DocumentFormat, TranscriptFile, WholeTranscript } from './reader.ts'
import { recordedPath, sessionIdOfFile, titleSource } from './session-names.ts'
import { type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { splitLines } from './transcript-lines.ts'

export function qwenFormat(label: string): DocumentFormat {
  return { kind: 'document', read: (file, _beside, bytes) => readSession(label, file, bytes) }
}

function readSession(label: string, file: TranscriptFile, bytes: Buffer): WholeTranscript {
  const parentId = parentOf(file)
  const tellAll = (tell: Telling) => {
    const records = activeRecords(bytes, tell)
    const facts = { id: '', cwd: '', branch: '', manualTitle: '', autoTitle: '', command: '' }
    const counted = new Set<string>()
    const told = new Set<string>()
    for (const record of records) {
      const atMs = timestampMs(record.timestamp)
      tell.at(atMs)
      facts.id = stringAt(record, 'sessionId') ?? facts.id
      facts.cwd ||= recordedPath(record.cwd) ?? ''
      facts.branch = stringAt(record, 'gitBranch') ?? facts.branch
      if (record.type === 'system') noteSystem(record, facts, tell, atMs)
      // `/branch` copies the session it starts from; the copies belong to that one.
      else if (record.forkedFrom === undefined) tellRecord(record, tell, atMs, { counted, told })
    }
    const fileId = sessionIdOfFile(file.relativePath)
    return {
      // Qwen finds a session by its file's name; other names are not its own.
      sessionId: parentId ?? (ownName.test(fileId) ? fileId : facts.id || fileId),
      kind: parentId === null ? ('session' as const) : ('part' as const),
      title: facts.manualTitle || facts.autoTitle || (tell.tally.firstWords === null ? facts.command : null),
      cwd: facts.cwd || null,
      branch: facts.branch || null,
      invocation: 'qwen --resume',
    }
  }
  return toldWhole(label, file, tellAll, parentId !== null)
}

const ownName = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

function parentOf({ relativePath }: TranscriptFile): string | null {
  const [, kind, session = null] = relativePath.split('/')
  return kind === 'subagents' ? session : null
}

/** The records that no rewind took back. A last line without its newline is still being written. */
function activeRecords(bytes: Buffer, tell: Telling): readonly JsonRecord[] {
  let active: JsonRecord[] = []
  const endsAt = new Map<string, number>()
  for (const { text } of splitLines([bytes])) {
    if (text === '') continue
    const records = text === null ? [] : recordsIn(text)
    if (records.length === 0) tell.bad()
    for (const record of records) {
      if (record.type === 'system' && record.subtype === 'rewind') {
        const parent = stringAt(record, 'parentUuid')
        active = active.slice(0, parent === null ? 0 : (endsAt.get(parent) ?? active.length))
      }
      active.push(record)
      const uuid = stringAt(record, 'uuid')
      if (uuid !== null) endsAt.set(uuid, active.length)
    }
  }
  return active
}

/** Two writers can leave two records on one line. */
function recordsIn(line: string): readonly JsonRecord[] {
  const record = parseRecord(line)
  return record === null ? gluedRecords(line) : [record]
}

interface Memory {
  /** Replies that come in several records count once. */
  readonly counted: Set<string>
  /** A record written twice is told once. */
  readonly told: Set<string>
}

function tellRecord(record: JsonRecord, tell: Telling, atMs: number | null, memory: Memory): void {
  const message = recordAt(record, 'message')
  const blocks = contentOfParts(message)
  const uuid = stringAt(record, 'uuid')
  if (uuid !== null) {
    const identity = `${uuid} ${JSON.stringify(blocks)}`
    if (memory.told.has(identity)) return
    memory.told.add(identity)
  }
  const counted = uuid === null || !memory.counted.has(uuid)
  if (uuid !== null) memory.counted.add(uuid)
  switch (record.type) {
    case 'user':
      tellRuns(blocks, (text) => tellUserText(record, text, tell, atMs), tell, atMs)
      break
    case 'assistant':
      tellReply(tell, blocks, atMs, counted)
      break
    case 'tool_result':
      tellRuns(blocks, (text) => tell.tool(text, atMs), tell, atMs)
      break
    default:
      tell.unknown()
  }
}

function tellUserText(record: JsonRecord, text: string, tell: Telling, atMs: number | null): void {
  const attachedAt = text.indexOf(attached)
  const typed = attachedAt === -1 ? text : text.slice(0, attachedAt)
  const { rest } = takeBlocks(typed, opening)
  if (programSubtypes.has(record.subtype) || programProvenances.has(record.provenance)) tell.tool(rest, atMs)
  else tell.user(rest, atMs)
  if (attachedAt !== -1) tell.tool(text.slice(attachedAt + attached.length).trim(), atMs)
}

const opening = openingTags([
  ...commonInjectedTags,
  'qwen:user-prompt-submit-context',
  'hook_context',
  'session_context',
  'state_snapshot',
])
/** Files that a text names with an @ are put behind it. */
const attached = '--- Content from referenced files ---'

/** On a user's records: what did not come from a person. */
const programSubtypes: ReadonlySet<unknown> = new Set([
  'notification',
  'background_task_completed',
  'cron',
  'goal_runtime',
  'agent_bootstrap',
  'agent_retry',
])
const programProvenances: ReadonlySet<unknown> = new Set(['goal_runtime', 'goal_control', 'system'])

function noteSystem(
  record: JsonRecord,
  facts: { manualTitle: string; autoTitle: string; command: string },
  tell: Telling,
  atMs: number | null,
): void {
  const payload = recordAt(record, 'systemPayload')
  switch (record.subtype) {
    case 'custom_title': {
      const title = titleSource(stringAt(payload, 'customTitle') ?? '') ?? ''
      if (payload.titleSource === 'auto') facts.autoTitle = title
      else facts.manualTitle = title
      break
    }
    case 'slash_command':
      if (payload.phase === 'result') break
      facts.command ||= stringAt(payload, 'rawCommand') ?? ''
      tell.tool(stringAt(payload, 'rawCommand') ?? '', atMs)
      break
    default:
      if (!silentSubtypes.has(record.subtype)) tell.unknown()
  }
}

/** Settings, figures and snapshots. What was compressed stands in the records before; mentions come as messages. */
const silentSubtypes: ReadonlySet<unknown> = new Set([
  undefined,
  'ui_telemetry',
  'rewind',
  'chat_compression',
  'at_command',
  'attribution_snapshot',
  'file_history_snapshot',
  'notification',
  'background_task_completed',
  'cron',
  'session_notes',
  'parent_session',
  'session_source',
  'session_execution_engine',
  'omni_recall',
  'session_model',
  'session_approval_mode',
  'agent_bootstrap',
  'agent_launch_prompt',
  'agent_retry',
  'agent_session_ready',
  'user_text_elements',
  'session_artifact_event',
  'session_artifact_snapshot',
  'session_sources_snapshot',
  'branch_checkpoint',
  'goal_state',
  'goal_runtime',
  'goal_turn_end',
  'realtime_message',
  'turn_result',
  'managed_session_header_v1',
  'managed_session_event_v1',
  'managed_session_commit_v1',
])
