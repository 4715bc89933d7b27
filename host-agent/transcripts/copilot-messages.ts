/** What a person and the assistant said in events of Copilot's command line. */
import * as z from 'zod'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { asRecord, type JsonRecord, listAt, stringAt } from './json-record.ts'
import { keyOf } from './recent-keys.ts'
import { recordedPath } from './session-names.ts'
import type { Telling } from './telling.ts'
import { argumentsOf, joinParts, toolCallText } from './tool-text.ts'

const text = z.string().nullable()
export const copilotState = z.object({
  id: text,
  cwd: text,
  branch: text,
  /** The latest reply's: it may come in pieces, and counts once. */
  messageId: text,
  /** Of the latest thoughts told: they come as an event, and again with the reply. */
  thought: z.number().nullable(),
  /** Calls told with the reply that asked for them, whose start is still to come. */
  asked: z.array(z.string()),
})
export type CopilotState = z.infer<typeof copilotState>

/** Calls remembered until they start: those of one reply. */
const rememberedCalls = 64

/** The folder the session began in, and the branch it was on last. */
export function noteContext(context: JsonRecord, state: CopilotState): void {
  state.cwd ??= recordedPath(context.cwd)
  state.branch = stringAt(context, 'branch') ?? state.branch
}

export function tellCopilotUser(
  record: JsonRecord,
  data: JsonRecord,
  tell: Telling,
  atMs: number | null,
): void {
  const text = stringAt(data, 'content') ?? stringAt(data, 'transformedContent') ?? ''
  const { rest } = takeBlocks(text, opening)
  if (isProgram(data, rest)) tell.tool(rest, atMs)
  // What a subagent is told was written by the agent that called it.
  else if (isSubagent(record, data)) tell.more(rest, atMs)
  else tell.user(rest, atMs)
}

export function tellCopilotAssistant(
  record: JsonRecord,
  data: JsonRecord,
  state: CopilotState,
  tell: Telling,
  atMs: number | null,
): void {
  const content = stringAt(data, 'content') ?? ''
  const said = joinParts([freshThought(stringAt(data, 'reasoningText'), state), content])
  const messageId = stringAt(data, 'messageId')
  const isRest = messageId !== null && messageId === state.messageId
  // Thoughts alone are no message of their own.
  if (isSubagent(record, data) || isRest || content.trim() === '') tell.more(said, atMs)
  else {
    tell.assistant(said, atMs)
    state.messageId = messageId
  }
  for (const value of listAt(data, 'toolRequests')) {
    const request = asRecord(value)
    if (request === null) continue
    const callId = stringAt(request, 'toolCallId')
    if (callId !== null) state.asked.push(callId)
    tell.tool(toolCallText(stringAt(request, 'name') ?? 'tool', argumentsOf(request.arguments)), atMs)
  }
  state.asked.splice(0, Math.max(0, state.asked.length - rememberedCalls))
}

function freshThought(thought: string | null, state: CopilotState): string {
  if (thought === null) return ''
  const key = keyOf(thought.trim())
  if (state.thought === key) return ''
  state.thought = key
  return thought
}

/** Events of a subagent stand between those of its session. */
function isSubagent(record: JsonRecord, data: JsonRecord): boolean {
  return (
    stringAt(record, 'agentId') !== null ||
    stringAt(data, 'parentToolCallId') !== null ||
    stringAt(data, 'parentAgentTaskId') !== null
  )
}

/** A skill's text, or the program's own word to go on. */
function isProgram(data: JsonRecord, text: string): boolean {
  return (
    data.isAutopilotContinuation === true ||
    (stringAt(data, 'source') ?? '').startsWith('skill-') ||
    text.startsWith('<skill-context')
  )
}

const opening = openingTags([
  ...commonInjectedTags,
  'current_datetime',
  'system_reminder',
  'system_notification',
  'reminder',
])
