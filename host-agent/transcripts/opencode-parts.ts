/** One message of OpenCode and its kin – what `message` and `part` hold, in a database or in files – told. */
import { type JsonRecord, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { type MessagePart, tellMessage } from './telling-parts.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, toolCallText, toolResultText } from './tool-text.ts'

/** Where a session was taken back to: from this message on (or this part of it) nothing counts any more. */
export interface Revert {
  readonly messageId: string
  readonly partId: string | null
}

/** What a session's `revert` says; null where nothing was taken back. */
export function revertOf(value: unknown): Revert | null {
  const revert = argumentsOf(value)
  if (typeof revert !== 'object' || revert === null || !('messageID' in revert)) return null
  const { messageID } = revert
  const partId = 'partID' in revert && typeof revert.partID === 'string' ? revert.partID : null
  return typeof messageID === 'string' ? { messageId: messageID, partId } : null
}

/** The parts that still count; null where the message itself, and all behind it, was taken back. */
export function partsBefore(
  revert: Revert | null,
  messageId: string,
  parts: readonly JsonRecord[],
): { readonly parts: readonly JsonRecord[]; readonly isLast: boolean } {
  if (revert === null || messageId !== revert.messageId) return { parts, isLast: false }
  const at = revert.partId === null ? 0 : parts.findIndex(({ id }) => id === revert.partId)
  return { parts: at === -1 ? parts : parts.slice(0, at), isLast: true }
}

/** @param parts in their order. */
export function tellOpencodeMessage(tell: Telling, message: JsonRecord, parts: readonly JsonRecord[]): void {
  const atMs = timestampMs(recordAt(message, 'time').created)
  const role = roleOf(message)
  if (role === null) {
    tell.unknown()
    return
  }
  // ZCode keeps what its program says to the model among the messages, hidden from the person.
  const isHidden = visibilityOf(message) === 'hidden'
  // The summary that a compaction leaves repeats what was said before it.
  const isAside = isHidden || message.role === 'system' || message.summary === true
  const told = parts.flatMap((part) => toldPart(tell, part))
  if (parts.length === 0 && role === 'user') told.push({ kind: 'said', text: briefOf(message) })
  const error = recordAt(message, 'error')
  const failure = stringAt(recordAt(error, 'data'), 'message')
  if (failure !== null) told.push({ kind: 'tool', text: failure })
  tellMessage(tell, role, atMs, isAside ? told.map((part) => ({ ...part, kind: 'tool' })) : told)
}

/** The first versions kept a message's words nowhere else when it had no parts. */
function briefOf(message: JsonRecord): string {
  const summary = recordAt(message, 'summary')
  return stringAt(summary, 'body') ?? stringAt(summary, 'title') ?? ''
}

function roleOf({ role }: JsonRecord): 'user' | 'assistant' | null {
  if (role === 'user' || role === 'assistant') return role
  if (role === 'model') return 'assistant'
  return role === 'system' ? 'user' : null
}

function visibilityOf(message: JsonRecord): string | null {
  const semantics =
    message.semantics === undefined ? recordAt(message, 'metadata').semantics : message.semantics
  return stringAt(recordAt({ semantics }, 'semantics'), 'transcriptVisibility')
}

function toldPart(tell: Telling, part: JsonRecord): MessagePart[] {
  const atMs = timestampMs(recordAt(part, 'time').start)
  switch (part.type) {
    case 'text':
      // Synthetic: written by the program (a file's text, a nudge to go on); ignored: not for the model.
      return [
        {
          kind: part.synthetic === true || part.ignored === true ? 'tool' : 'said',
          text: textOf(part),
          atMs,
        },
      ]
    case 'reasoning':
    case 'thinking':
      return [{ kind: 'said', text: textOf(part), atMs }]
    case 'tool':
    case 'tool_use':
    case 'tool_result':
      return toolParts(part)
    case 'subtask':
      return [{ kind: 'tool', text: toolCallText(stringAt(part, 'agent') ?? 'subtask', part.prompt), atMs }]
    default:
      if (!silentParts.has(part.type)) tell.unknown()
      return []
  }
}

function textOf(part: JsonRecord): string {
  return stringAt(part, 'text') ?? stringAt(part, 'thinking') ?? toolResultText(part.content)
}

/** The call, then its error or output. */
function toolParts(part: JsonRecord): MessagePart[] {
  const state = recordAt(part, 'state')
  const time = recordAt(state, 'time')
  const startMs = timestampMs(time.start)
  const name = stringAt(part, 'tool') ?? stringAt(part, 'name')
  const call =
    name === null ? '' : toolCallText(name, argumentsOf(state.input ?? part.input ?? part.arguments))
  const result = [state.error, state.output, part.content, part.result, part.output].find(
    (value) => value !== undefined && value !== null,
  )
  return [
    { kind: 'tool', text: call, atMs: startMs },
    { kind: 'tool', text: toolResultText(result), atMs: timestampMs(time.end) ?? startMs },
  ]
}

/** Parts that say nothing to search for. */
const silentParts: ReadonlySet<unknown> = new Set([
  'file',
  'agent',
  'snapshot',
  'patch',
  'step-start',
  'step-finish',
  'retry',
  'compaction',
])
