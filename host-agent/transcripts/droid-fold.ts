/** Reads Droid's sessions: what its terminal writes, and what `droid exec` streams. */
import * as z from 'zod'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { contentBlocks, contentText, tellReply, tellUser } from './message-blocks.ts'
import type { LinesFormat } from './reader.ts'
import { keyOf } from './recent-keys.ts'
import { recordedPath, sessionIdOfFile, titleSource } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { argumentsOf, toolCallText, toolResultText } from './tool-text.ts'

const text = z.string().nullable()
const droidState = z.object({
  id: text,
  /** The session whose tool call started this one: a subagent's. */
  callerId: text,
  title: text,
  cwd: text,
  /** Of the assistant's latest text: a stream ends with its last text once more. */
  lastSaid: z.number().nullable(),
})
type DroidState = z.infer<typeof droidState>

export function droidLines(label: string): LinesFormat {
  return toldLines<DroidState>({
    label,
    state: droidState,
    initial: () => ({ id: null, callerId: null, title: null, cwd: null, lastSaid: null }),
    record(record, state, tell) {
      const atMs = timestampMs(record.timestamp)
      tell.at(atMs)
      tellRecord(record, state, tell, atMs)
    },
    identity: (state, _tally, { file }) => ({
      sessionId: state.callerId ?? state.id ?? sessionIdOfFile(file.relativePath),
      kind: state.callerId === null ? 'session' : 'part',
      title: state.title,
      cwd: state.cwd,
      invocation: 'droid --resume',
    }),
  })
}

function tellRecord(record: JsonRecord, state: DroidState, tell: Telling, atMs: number | null): void {
  switch (record.type) {
    case 'session_start':
      noteStart(record, state)
      break
    case 'system':
      state.id ??= stringAt(record, 'session_id')
      state.cwd ??= recordedPath(record.cwd)
      break
    case 'message':
      tellMessage(record, state, tell, atMs)
      break
    case 'tool_call':
      tell.tool(
        toolCallText(
          stringAt(record, 'toolName') ?? 'tool',
          argumentsOf(record.parameters ?? record.arguments),
        ),
        atMs,
      )
      break
    case 'tool_result':
      tell.tool(toolResultText(record.value ?? record.content), atMs)
      break
    case 'completion':
      tellFinal(stringAt(record, 'finalText') ?? '', state, tell, atMs)
      break
    case 'compaction_state':
      tell.tool(stringAt(record, 'summaryText') ?? stringAt(record, 'summary') ?? '', atMs)
      break
    case 'error':
      tell.tool(`error: ${stringAt(record, 'message') ?? 'unknown'}`, atMs)
      break
    default:
      if (!silentTypes.has(record.type)) tell.unknown()
  }
}

function noteStart(record: JsonRecord, state: DroidState): void {
  state.id ??= stringAt(record, 'id')
  state.callerId ??= stringAt(record, 'callingSessionId')
  state.cwd ??= recordedPath(record.cwd)
  const title = stringAt(record, 'sessionTitle') ?? stringAt(record, 'title')
  // Until there is a better one, the title is the beginning of the first message, reminders and all.
  const { words } = droidWords(title ?? '')
  if (words !== placeholderTitle) state.title = titleSource(words) ?? state.title
}

function tellMessage(record: JsonRecord, state: DroidState, tell: Telling, atMs: number | null): void {
  const message = record.message === undefined ? record : recordAt(record, 'message')
  const content = message.content ?? message.text
  const isPart = state.callerId !== null
  switch (message.role) {
    case 'user':
      // Written by the program for the model alone.
      if (record.visibility === 'llm_only' || message.visibility === 'llm_only')
        tell.tool(droidWords(contentText(content)).words, atMs)
      // What a subagent is told was written by the agent that called it.
      else if (isPart) tellReply(tell, contentBlocks(content), atMs, false)
      else tellUser(tell, content, atMs, droidWords)
      break
    case 'assistant':
      tellReply(tell, contentBlocks(content), atMs, !isPart)
      state.lastSaid = keyOf(contentText(content).trim())
      break
    case 'system':
    case 'tool':
      tell.tool(contentText(content), atMs)
      break
    default:
      tell.unknown()
  }
}

function tellFinal(final: string, state: DroidState, tell: Telling, atMs: number | null): void {
  if (state.lastSaid === keyOf(final.trim())) return
  state.lastSaid = keyOf(final.trim())
  tell.assistant(final, atMs)
}

function droidWords(value: string): { words: string; asides: readonly string[] } {
  const { rest } = takeBlocks(value, opening)
  return programText.test(rest) ? { words: '', asides: [] } : { words: rest, asides: [] }
}

const opening = openingTags([...commonInjectedTags, 'system-notification', 'hook-feedback'])
const programText = /^\[Request interrupted/
const placeholderTitle = 'New Session'

const silentTypes: ReadonlySet<unknown> = new Set([
  'todo_state',
  'session_settings',
  'session_end',
  'agent_turn_outcome',
  'file_snapshot',
])
