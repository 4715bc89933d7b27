/** One step of a Devin session told: its own older shape, and that of the Agent Trajectory Interchange Format. */
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, toolCallText, toolResultText } from './tool-text.ts'

export function tellDevinStep(tell: Telling, step: JsonRecord): void {
  const role = roleOf(step)
  if (role === null) {
    tell.unknown()
    return
  }
  const metadata = recordAt(step, 'metadata')
  const atMs = timestampMs(step.timestamp ?? step.created_at ?? step.createdAt ?? metadata.created_at)
  const parts: MessagePart[] = [
    { kind: 'said', text: stringAt(step, 'reasoning_content') ?? stringAt(step, 'thinking') ?? '' },
    ...contentParts(tell, step.message ?? step.text ?? step.content),
    ...[...listAt(step, 'tool_calls'), ...listAt(step, 'tool_use')].map(callPart),
    ...[...listAt(recordAt(step, 'observation'), 'results'), ...listAt(step, 'tool_result')].map(resultPart),
  ]
  if (role === 'system' || role === 'tool')
    tellMessage(
      tell,
      'assistant',
      atMs,
      parts.map((part) => ({ ...part, kind: 'tool' })),
    )
  else tellMessage(tell, role, atMs, parts)
}

/** `is_user_input` decides where it stands; then `source`, then `role`. */
function roleOf(step: JsonRecord): 'user' | 'assistant' | 'system' | 'tool' | null {
  const marked = recordAt(step, 'metadata').is_user_input
  if (marked === true) return 'user'
  const said = stringAt(step, 'source') ?? stringAt(step, 'role')
  if (said === null) return marked === false ? 'assistant' : null
  // What stands in a user's place without being one's input was put there by the program.
  if (said === 'user') return marked === false ? 'tool' : 'user'
  if (said === 'agent' || said === 'assistant') return 'assistant'
  return said === 'system' || said === 'tool' ? said : null
}

/** One text, or blocks of text, thought, pictures and tools. */
function contentParts(tell: Telling, content: unknown): MessagePart[] {
  if (typeof content === 'string') return [{ kind: 'said', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap((value): MessagePart[] => {
    if (typeof value === 'string') return [{ kind: 'said', text: value }]
    const block = asRecord(value) ?? {}
    switch (block.type) {
      case 'text':
        return [{ kind: 'said', text: stringAt(block, 'text') ?? '' }]
      case 'thinking':
        return [{ kind: 'said', text: stringAt(block, 'thinking') ?? stringAt(block, 'text') ?? '' }]
      case 'tool_use':
        return [callPart(block)]
      case 'tool_result':
        return [resultPart(block)]
      case 'image':
        return []
      default:
        tell.unknown()
        return []
    }
  })
}

function callPart(value: unknown): MessagePart {
  const call = asRecord(value) ?? {}
  const called = recordAt(call, 'function')
  const name = stringAt(call, 'function_name') ?? stringAt(called, 'name') ?? stringAt(call, 'name') ?? 'tool'
  const input = call.arguments ?? called.arguments ?? call.input
  return { kind: 'tool', text: toolCallText(name, argumentsOf(input)) }
}

function resultPart(value: unknown): MessagePart {
  const result = asRecord(value)
  return { kind: 'tool', text: toolResultText(result === null ? value : (result.content ?? result.output)) }
}
