/** One message of Crush, a row of its database, told. */
import { asRecord, type JsonRecord, jsonIn, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, joinParts, toolCallText } from './tool-text.ts'

/** @param row with `role`, `parts` (a JSON list of `{type, data}`), `created_at` and `is_summary_message`. */
export function tellCrushMessage(tell: Telling, row: JsonRecord): void {
  const atMs = timestampMs(row.created_at)
  const parts = partsIn(row.parts)
  if (parts === null) {
    tell.bad()
    return
  }
  const told = parts.flatMap((part) => partsOf(tell, part))
  switch (row.role) {
    case 'user':
    case 'assistant':
      // The summary that a compaction leaves repeats what was said before it.
      tellMessage(tell, row.role, atMs, row.is_summary_message === 1 ? asTool(told) : told)
      break
    case 'tool':
    case 'system':
      tellMessage(tell, 'assistant', atMs, asTool(told))
      break
    default:
      tell.unknown()
  }
}

function asTool(parts: readonly MessagePart[]): MessagePart[] {
  return parts.map((part) => ({ ...part, kind: 'tool' }))
}

function partsIn(value: unknown): JsonRecord[] | null {
  const parts = jsonIn(value)
  return Array.isArray(parts) ? parts.map((part) => asRecord(part) ?? {}) : null
}

function partsOf(tell: Telling, part: JsonRecord): MessagePart[] {
  const data = recordAt(part, 'data')
  switch (part.type) {
    case 'text':
      return [{ kind: 'said', text: stringAt(data, 'text') ?? '' }]
    case 'reasoning':
      return [{ kind: 'said', text: stringAt(data, 'thinking') ?? '', atMs: timestampMs(data.started_at) }]
    case 'tool_call':
      return [{ kind: 'tool', text: toolCallText(stringAt(data, 'name') ?? 'tool', argumentsOf(data.input)) }]
    case 'tool_result':
      return [{ kind: 'tool', text: stringAt(data, 'content') ?? '' }]
    case 'shell_command':
      return [
        { kind: 'tool', text: toolCallText('shell', data.command) },
        { kind: 'tool', text: stringAt(data, 'output') ?? '' },
      ]
    case 'finish':
      return data.reason === 'error' || data.reason === 'content_filter'
        ? [
            {
              kind: 'tool',
              text: joinParts([stringAt(data, 'message') ?? '', stringAt(data, 'details') ?? '']),
            },
          ]
        : []
    case 'binary':
    case 'image_url':
      return []
    default:
      tell.unknown()
      return []
  }
}
