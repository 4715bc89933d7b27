/** One message of a Zed thread told: Rust's enums as JSON – `{"User": …}`, `{"Agent": …}` – and the older flat shape. */
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { argumentsOf, joinParts, toolCallText } from './tool-text.ts'

/** Zed records no time for a message. */
const atMs = null

export function tellZedMessage(tell: Telling, value: unknown): void {
  const message = asRecord(value)
  const user = asRecord(message?.User)
  const agent = asRecord(message?.Agent)
  if (user !== null) tellMessage(tell, 'user', atMs, userParts(tell, user))
  else if (agent !== null) tellMessage(tell, 'assistant', atMs, agentParts(tell, agent))
  else if (message !== null && typeof message.role === 'string') tellFlat(tell, message)
  // The summary that takes the place of a compacted conversation.
  else if (message !== null && 'Compaction' in message)
    tell.tool(stringAt(recordAt(message, 'Compaction'), 'Summary') ?? '', atMs)
  // `"Resume"`: the person let it go on.
  else if (value !== 'Resume') tell.unknown()
}

function userParts(tell: Telling, user: JsonRecord): MessagePart[] {
  return listAt(user, 'content').flatMap((value): MessagePart[] => {
    const part = asRecord(value) ?? {}
    if ('Text' in part) return [{ kind: 'said', text: textOf(part) }]
    // A file, a symbol, another thread: its text went to the model, the person only named it.
    if ('Mention' in part)
      return [{ kind: 'tool', text: stringAt(recordAt(part, 'Mention'), 'content') ?? '' }]
    if (!('Image' in part)) tell.unknown()
    return []
  })
}

function agentParts(tell: Telling, agent: JsonRecord): MessagePart[] {
  const results = recordAt(agent, 'tool_results')
  return listAt(agent, 'content').flatMap((value): MessagePart[] => {
    const part = asRecord(value) ?? {}
    if ('Text' in part) return [{ kind: 'said', text: textOf(part) }]
    if ('Thinking' in part)
      return [{ kind: 'said', text: stringAt(recordAt(part, 'Thinking'), 'text') ?? '' }]
    if ('ToolUse' in part) return toolParts(recordAt(part, 'ToolUse'), results)
    if (!('RedactedThinking' in part)) tell.unknown()
    return []
  })
}

/** A call, and its result, which stands in a map by the call's id. */
function toolParts(call: JsonRecord, results: JsonRecord): MessagePart[] {
  const input = call.input ?? argumentsOf(call.raw_input)
  return [
    { kind: 'tool', text: toolCallText(stringAt(call, 'name') ?? 'tool', input) },
    { kind: 'tool', text: resultText(recordAt(results, stringAt(call, 'id') ?? '')) },
  ]
}

function resultText(result: JsonRecord): string {
  const text = textOf(result.content)
  return text.trim() === '' && typeof result.output === 'string' ? result.output : text
}

/** `"…"`, `{"Text": "…"}`, `{"Text": {"text": "…"}}`, or a list of them. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return joinParts(value.map(textOf))
  const record = asRecord(value)
  if (record === null) return ''
  return typeof record.Text === 'object'
    ? textOf(recordAt(record, 'Text').text)
    : textOf(record.Text ?? record.text)
}

/** Before 2025's rewrite: a role, segments, and calls and results in lists of their own. */
function tellFlat(tell: Telling, message: JsonRecord): void {
  if (message.role !== 'user' && message.role !== 'assistant') {
    if (message.role !== 'system') tell.unknown()
    return
  }
  const isHidden = message.is_hidden === true
  const segments =
    'segments' in message ? listAt(message, 'segments') : [{ type: 'text', text: message.text }]
  const said = segments.map((segment): MessagePart => {
    const text = stringAt(asRecord(segment) ?? {}, 'text') ?? ''
    return { kind: isHidden ? 'tool' : 'said', text }
  })
  const results = new Map(
    listAt(message, 'tool_results').map((value) => {
      const result = asRecord(value) ?? {}
      return [stringAt(result, 'tool_use_id') ?? '', result] as const
    }),
  )
  const calls = listAt(message, 'tool_uses').flatMap((value): MessagePart[] => {
    const call = asRecord(value) ?? {}
    const id = stringAt(call, 'id') ?? ''
    const parts = toolParts(call, { [id]: results.get(id) ?? {} })
    results.delete(id)
    return parts
  })
  // The first version put results into the user's next message.
  const rest = [...results.values()].map(
    (result): MessagePart => ({ kind: 'tool', text: resultText(result) }),
  )
  tellMessage(tell, message.role, atMs, [...rest, ...said, ...calls])
}
