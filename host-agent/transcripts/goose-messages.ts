/** One message of Goose – a row of its database, or a line of its older files – told. */
import { commonInjectedTags, openingTags } from './injected-text.ts'
import { asRecord, type JsonRecord, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { toolCallText, toolResultText } from './tool-text.ts'

export interface GooseMessage {
  readonly role: unknown
  readonly content: unknown
  /** `{userVisible, agentVisible}`, where there is any. */
  readonly metadata: JsonRecord
  readonly atMs: number | null
}

const injected = openingTags([...commonInjectedTags, 'info-msg'])

export function tellGooseMessage(tell: Telling, { role, content, metadata, atMs }: GooseMessage): void {
  if ((role !== 'user' && role !== 'assistant') || !Array.isArray(content)) {
    tell.unknown()
    return
  }
  const parts = content.flatMap((block) => blockParts(tell, asRecord(block) ?? {}))
  // What the model alone is shown: the summary that takes the place of a compacted conversation.
  const isAside = metadata.userVisible === false
  tellMessage(tell, role, atMs, isAside ? parts.map((part) => ({ ...part, kind: 'tool' })) : parts, injected)
}

function blockParts(tell: Telling, block: JsonRecord): MessagePart[] {
  switch (block.type) {
    case 'text':
      return [{ kind: 'said', text: stringAt(block, 'text') ?? '' }]
    case 'thinking':
    case 'reasoning':
      return [{ kind: 'said', text: stringAt(block, 'thinking') ?? stringAt(block, 'text') ?? '' }]
    case 'toolRequest':
    case 'frontendToolRequest':
      return [{ kind: 'tool', text: callText(recordAt(block, 'toolCall')) }]
    case 'toolResponse':
      return [{ kind: 'tool', text: responseText(recordAt(block, 'toolResult')) }]
    case 'systemNotification':
    case 'conversationCompacted':
    case 'summarizationRequested':
      return [{ kind: 'tool', text: stringAt(block, 'msg') ?? '' }]
    default:
      if (!silentBlocks.has(block.type)) tell.unknown()
      return []
  }
}

/** The call as it was made, or why it could not be understood. */
function callText(call: JsonRecord): string {
  const value = recordAt(call, 'value')
  const name = stringAt(value, 'name')
  return name === null ? (stringAt(call, 'error') ?? '') : toolCallText(name, value.arguments)
}

/** A list of blocks; newer, an object with one; or an error. */
function responseText(result: JsonRecord): string {
  return stringAt(result, 'error') ?? toolResultText(result.value)
}

/** Blocks that say nothing to search for: pictures, and questions that a button answers. */
const silentBlocks: ReadonlySet<unknown> = new Set([
  'image',
  'redactedThinking',
  'toolConfirmationRequest',
  'actionRequired',
  'contextLengthExceeded',
])
