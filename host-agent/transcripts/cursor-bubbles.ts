/** One message of a conversation in Cursor's editor – a “bubble” – told. */
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

/** @param bubble null where it is missing or cannot be read. */
export function tellCursorBubble(tell: Telling, bubble: JsonRecord | null): void {
  if (bubble === null) {
    tell.bad()
    return
  }
  // Before September 2025 only replies had a time, that of their request.
  const atMs = timestampMs(bubble.createdAt) ?? timestampMs(recordAt(bubble, 'timingInfo').clientRpcSendTime)
  const said: MessagePart = { kind: 'said', text: withCode(stringAt(bubble, 'text') ?? '', bubble) }
  if (bubble.type === 1) tellMessage(tell, 'user', atMs, [said])
  else if (bubble.type === 2) {
    const thought = stringAt(recordAt(bubble, 'thinking'), 'text') ?? ''
    tellMessage(tell, 'assistant', atMs, [{ kind: 'said', text: thought }, said, ...toolParts(bubble)])
  } else tell.unknown()
}

/** Code that was written into a file stands beside the text, where the text itself does not show it. */
function withCode(text: string, bubble: JsonRecord): string {
  // A tool's code is in its arguments.
  if (stringAt(recordAt(bubble, 'toolFormerData'), 'name') !== null) return text
  const code = listAt(bubble, 'codeBlocks').map((block) => stringAt(asRecord(block) ?? {}, 'content') ?? '')
  const unseen = code.filter((content) => !text.includes(content.trim()))
  return unseen.length === 0 ? text : joinParts([text, ...unseen])
}

function toolParts(bubble: JsonRecord): MessagePart[] {
  const tool = recordAt(bubble, 'toolFormerData')
  const name = stringAt(tool, 'name')
  if (name === null) return []
  const input = stringAt(tool, 'rawArgs') ?? tool.params
  return [
    { kind: 'tool', text: toolCallText(name, argumentsOf(input)) },
    { kind: 'tool', text: resultText(tool.result) },
  ]
}

/** JSON in a text as a rule: its words where it has any that are known, else as it stands. */
function resultText(result: unknown): string {
  const parsed = argumentsOf(result)
  const text = joinParts([toolResultText(parsed), stringAt(asRecord(parsed) ?? {}, 'contents') ?? ''])
  return text === '' && typeof result === 'string' ? result : text
}
