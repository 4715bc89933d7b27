/** One message of Hermes told, the same in its database, its documents and its lines: as OpenAI's services have them. */
import { asRecord, type JsonRecord, jsonIn, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { argumentsOf, joinParts, toolCallText } from './tool-text.ts'

/** @param message with `role`, `content`, `tool_calls`, `reasoning` and the like. */
export function tellHermesMessage(tell: Telling, message: JsonRecord, atMs: number | null): void {
  const text = contentText(message.content)
  switch (message.role) {
    case 'user':
      tellUser(tell, text, isShown(message), atMs)
      break
    case 'assistant':
      tellMessage(tell, 'assistant', atMs, [
        { kind: 'said', text: reasoningOf(message) },
        { kind: isSummary(text) ? 'tool' : 'said', text },
        ...callsOf(message.tool_calls).map(callPart),
      ])
      break
    case 'tool':
    case 'function':
      tell.tool(text, atMs)
      break
    case 'system':
    case 'session_meta':
      break
    default:
      tell.unknown()
  }
}

/** Whether a text is what a compaction leaves of the conversation before it. */
export function isSummary(text: string): boolean {
  return /^\s*\[CONTEXT (?:COMPACTION|SUMMARY)/.test(text)
}

/** A text, or a list of blocks, of which pictures say nothing. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return stringAt(asRecord(content) ?? {}, 'text') ?? ''
  return joinParts(
    content.map((block) =>
      typeof block === 'string' ? block : (stringAt(asRecord(block) ?? {}, 'text') ?? ''),
    ),
  )
}

function tellUser(tell: Telling, text: string, shown: boolean, atMs: number | null): void {
  if (!shown || isSummary(text)) {
    tell.tool(text, atMs)
    return
  }
  const skill = invokedSkill(text)
  if (skill === null) tellMessage(tell, 'user', atMs, [{ kind: 'said', text }])
  else
    tellMessage(tell, 'user', atMs, [
      { kind: 'tool', text: skill.content },
      { kind: 'said', text: skill.words },
    ])
}

/** What the program says to the model in the person's place is marked with how, or whether, to show it. */
function isShown(message: JsonRecord): boolean {
  return stringAt(message, 'display_kind') === null
}

/** A skill called by name: its whole text, then, behind a fixed sentence, what the person added. */
function invokedSkill(text: string): { words: string; content: string } | null {
  if (!text.startsWith('[SYSTEM: The user has invoked the "')) return null
  const at = text.indexOf(addedWords)
  if (at === -1) return { words: '', content: text }
  const after = text.slice(at + addedWords.length)
  const note = after.indexOf('\n\n[Runtime note:')
  return { words: (note === -1 ? after : after.slice(0, note)).trim(), content: text.slice(0, at) }
}

const addedWords = 'The user has provided the following instruction alongside the skill invocation: '

function reasoningOf(message: JsonRecord): string {
  return stringAt(message, 'reasoning') ?? stringAt(message, 'reasoning_content') ?? ''
}

function callPart(value: unknown): MessagePart {
  const call = asRecord(value) ?? {}
  const called = recordAt(call, 'function')
  const name = stringAt(called, 'name') ?? stringAt(call, 'name') ?? 'tool'
  return {
    kind: 'tool',
    text: toolCallText(name, argumentsOf(called.arguments ?? call.arguments ?? call.input)),
  }
}

/** A list, or the JSON of one. */
function callsOf(value: unknown): readonly unknown[] {
  const calls = typeof value === 'string' ? jsonIn(value) : value
  return Array.isArray(calls) ? calls : []
}
