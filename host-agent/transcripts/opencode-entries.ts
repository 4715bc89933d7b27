/** The newer shape of OpenCode's sessions: one row of `session_message` for each message, its parts inside, told. */
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

/** @param type the row's own, as `data` may leave it out. */
export function tellOpencodeEntry(
  tell: Telling,
  type: string,
  data: JsonRecord,
  rowAtMs: number | null,
): void {
  const atMs = timestampMs(recordAt(data, 'time').created) ?? rowAtMs
  switch (type) {
    case 'user':
      tellMessage(tell, 'user', atMs, [{ kind: 'said', text: stringAt(data, 'text') ?? '' }])
      break
    case 'assistant':
      tellMessage(tell, 'assistant', atMs, [...contentParts(tell, data), ...failure(data)])
      break
    case 'shell':
      tell.tool(toolCallText('shell', data.command), atMs)
      tell.tool(stringAt(data, 'output') ?? '', timestampMs(recordAt(data, 'time').completed) ?? atMs)
      break
    case 'synthetic':
    case 'system':
      tell.tool(stringAt(data, 'text') ?? '', atMs)
      break
    case 'compaction':
      tell.tool(stringAt(data, 'summary') ?? '', atMs)
      break
    case 'agent-switched':
    case 'model-switched':
      break
    default:
      tell.unknown()
  }
}

function contentParts(tell: Telling, data: JsonRecord): MessagePart[] {
  return listAt(data, 'content').flatMap((value): MessagePart[] => {
    const part = asRecord(value)
    if (part?.type === 'text' || part?.type === 'reasoning') {
      const isAside = part.synthetic === true || part.ignored === true
      return [{ kind: isAside ? 'tool' : 'said', text: stringAt(part, 'text') ?? '' }]
    }
    if (part?.type === 'tool') return toolParts(part)
    tell.unknown()
    return []
  })
}

function toolParts(part: JsonRecord): MessagePart[] {
  const state = recordAt(part, 'state')
  const time = recordAt(part, 'time')
  const call = toolCallText(stringAt(part, 'name') ?? 'tool', argumentsOf(state.input))
  const result = joinParts([
    stringAt(recordAt(state, 'error'), 'message') ?? '',
    toolResultText(state.content),
  ])
  const startMs = timestampMs(time.ran) ?? timestampMs(time.created)
  return [
    { kind: 'tool', text: call, atMs: startMs },
    { kind: 'tool', text: result, atMs: timestampMs(time.completed) ?? startMs },
  ]
}

function failure(data: JsonRecord): MessagePart[] {
  const text = stringAt(recordAt(data, 'error'), 'message')
  return text === null ? [] : [{ kind: 'tool', text }]
}
