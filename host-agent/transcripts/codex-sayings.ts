/** What one Codex record says, whichever kind of record it is. */
import type { CodexFamily } from './codex-families.ts'
import { silentEvents, silentItems, silentRecords } from './codex-records.ts'
import { type CodexToolUse, codexToolUse } from './codex-tools.ts'
import { asRecord, type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { joinParts } from './tool-text.ts'

/** `remark`: searched as tool text – a compaction's summary, an error, a word between agents. */
type CodexSaying =
  | { readonly kind: 'message'; readonly role: string; readonly texts: readonly string[] }
  | { readonly kind: 'reasoning'; readonly texts: readonly string[] }
  | { readonly kind: 'tool'; readonly use: CodexToolUse }
  | { readonly kind: 'remark'; readonly text: string }
  | { readonly kind: 'goal'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string | null }
  | { readonly kind: 'place'; readonly cwd: unknown }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unknown' }

export interface CodexUtterance {
  readonly saying: CodexSaying
  readonly family: CodexFamily
}

const nothing: CodexSaying = { kind: 'nothing' }

/** Any record but `session_meta`. */
export function codexUtterance(type: string, payload: JsonRecord): CodexUtterance {
  switch (type) {
    case 'response_item':
      return { family: 'response', saying: itemSaying(payload) }
    case 'event_msg':
      return payload.type === 'item_completed'
        ? { family: 'item', saying: completedSaying(recordAt(payload, 'item')) }
        : { family: 'event', saying: eventSaying(payload) }
    case 'turn_context':
      return { family: 'response', saying: { kind: 'place', cwd: payload.cwd } }
    case 'compacted':
      // `replacement_history` repeats what the file already holds.
      return { family: 'response', saying: { kind: 'remark', text: stringAt(payload, 'message') ?? '' } }
    default:
      return { family: 'response', saying: silentOrUnknown(silentRecords, type) }
  }
}

function itemSaying(payload: JsonRecord): CodexSaying {
  const type = stringAt(payload, 'type') ?? ''
  const use = codexToolUse(type, payload)
  if (use !== undefined) return { kind: 'tool', use }
  switch (type) {
    case 'message':
      return message(stringAt(payload, 'role') ?? '', payload.content)
    case 'reasoning':
      return { kind: 'reasoning', texts: [...textsOf(payload.summary), ...textsOf(payload.content)] }
    case 'agent_message': {
      const text = joinParts(textsOf(payload.content))
      return text === '' ? nothing : remark(`${stringAt(payload, 'author') ?? 'agent'}: ${text}`)
    }
    default:
      return silentOrUnknown(silentItems, type)
  }
}

function eventSaying(payload: JsonRecord): CodexSaying {
  const type = stringAt(payload, 'type') ?? ''
  const use = codexToolUse(type, payload)
  if (use !== undefined) return { kind: 'tool', use }
  switch (type) {
    case 'user_message':
      return message('user', payload.message)
    case 'agent_message':
      return message('assistant', payload.message)
    case 'agent_reasoning':
    case 'agent_reasoning_raw_content':
      return { kind: 'reasoning', texts: textsOf(payload.text) }
    case 'thread_name_updated':
      return { kind: 'name', name: stringAt(payload, 'thread_name') }
    case 'thread_goal_updated':
      return { kind: 'goal', text: stringAt(recordAt(payload, 'goal'), 'objective') ?? '' }
    case 'entered_review_mode':
      // What was typed after the command; every other target is the program's own wording.
      return message('user', recordAt(payload, 'target').instructions)
    case 'error': {
      const text = stringAt(payload, 'message')
      return text === null ? nothing : remark(`error: ${text}`)
    }
    default:
      return silentOrUnknown(silentEvents, type)
  }
}

function completedSaying(item: JsonRecord): CodexSaying {
  const type = stringAt(item, 'type') ?? ''
  const use = codexToolUse(type, item)
  if (use !== undefined) return { kind: 'tool', use }
  switch (type) {
    case 'UserMessage':
      return message('user', item.content)
    case 'AgentMessage':
      return message('assistant', item.content)
    case 'Plan':
      return message('assistant', item.text)
    case 'Reasoning':
      return { kind: 'reasoning', texts: [...textsOf(item.summary_text), ...textsOf(item.raw_content)] }
    default:
      return silentOrUnknown(silentItems, type)
  }
}

function message(role: string, content: unknown): CodexSaying {
  return { kind: 'message', role, texts: textsOf(content) }
}

function remark(text: string): CodexSaying {
  return { kind: 'remark', text }
}

function silentOrUnknown(silent: ReadonlySet<string>, type: string): CodexSaying {
  return silent.has(type) ? nothing : { kind: 'unknown' }
}

/** The texts of content given as one string, as strings, or as parts of any spelling. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: unknown) => {
    if (typeof part === 'string') return [part]
    const text = asRecord(part)?.text
    return typeof text === 'string' ? [text] : []
  })
}
