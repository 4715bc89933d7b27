/** Tool calls and results of Codex, in whichever kind of record they come. */
import { type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'

/** One record may tell of a call, of its result, or of both. Blank texts are none. */
export interface CodexToolUse {
  /** The same in every kind of record of one call; null where it is missing or differs between them. */
  readonly callId: string | null
  readonly call: string
  readonly result: string
}

type Read = (payload: JsonRecord) => CodexToolUse

/** The reader for a type of response item, event or completed item that is a tool's; undefined for any other. */
export function codexToolUse(type: string, payload: JsonRecord): CodexToolUse | undefined {
  return readers.get(type)?.(payload)
}

function use(callId: string | null, call: string, result = ''): CodexToolUse {
  return { callId, call, result }
}

const callIdOf = (payload: JsonRecord) => stringAt(payload, 'call_id') ?? stringAt(payload, 'callId')
const nameOf = (payload: JsonRecord) =>
  stringAt(payload, 'name') ?? stringAt(recordAt(payload, 'function'), 'name') ?? 'tool'

const functionCall: Read = (payload) =>
  use(callIdOf(payload), toolCallText(nameOf(payload), argumentsOf(payload.arguments ?? payload.input)))

const functionResult: Read = (payload) =>
  use(callIdOf(payload), '', outputText(payload.output ?? payload.result))

const shellCall: Read = (payload) =>
  use(callIdOf(payload), toolCallText('shell', recordAt(payload, 'action')))

// The id differs between the kinds of record, so the query itself tells them apart.
const webSearch: Read = (payload) => {
  const action = recordAt(payload, 'action')
  const queries = listAt(action, 'queries').filter((query) => typeof query === 'string')
  const query =
    stringAt(payload, 'query') ??
    stringAt(action, 'query') ??
    (queries.length > 0 ? queries.join(' ') : null) ??
    joinParts([stringAt(action, 'url') ?? '', stringAt(action, 'pattern') ?? ''])
  return use(null, toolCallText('web_search', query), toolResultText(payload.results))
}

const image: Read = (payload) =>
  use(null, toolCallText('image_generation', stringAt(payload, 'revised_prompt') ?? ''))

const execution: Read = (payload) =>
  use(
    callIdOf(payload) ?? stringAt(payload, 'id'),
    toolCallText('shell', { command: payload.command }),
    stringAt(payload, 'aggregated_output') ??
      joinParts([stringAt(payload, 'stdout') ?? '', stringAt(payload, 'stderr') ?? '']),
  )

const patch: Read = (payload) =>
  use(
    callIdOf(payload) ?? stringAt(payload, 'id'),
    toolCallText('apply_patch', Object.keys(recordAt(payload, 'changes')).join(' ')),
    joinParts([stringAt(payload, 'stdout') ?? '', stringAt(payload, 'stderr') ?? '']),
  )

const mcpEvent: Read = (payload) => {
  const invocation = recordAt(payload, 'invocation')
  const result = recordAt(payload, 'result')
  return use(callIdOf(payload), mcpCall(invocation), toolResultText(result.Ok ?? result.Err))
}

const mcpItem: Read = (payload) =>
  use(stringAt(payload, 'id'), mcpCall(payload), toolResultText(payload.result))

const dynamicCall: Read = (payload) =>
  use(
    callIdOf(payload),
    toolCallText(stringAt(payload, 'tool') ?? 'tool', payload.arguments),
    toolResultText(payload.content_items ?? payload.error),
  )

const viewImage: Read = (payload) =>
  use(callIdOf(payload), toolCallText('view_image', { path: payload.path }))

const readers: ReadonlyMap<string, Read> = new Map([
  ['function_call', functionCall],
  ['custom_tool_call', functionCall],
  ['tool_call', functionCall],
  ['function_call_output', functionResult],
  ['custom_tool_call_output', functionResult],
  ['local_shell_call_output', functionResult],
  ['function_result', functionResult],
  ['tool_result', functionResult],
  ['local_shell_call', shellCall],
  ['tool_search_call', (payload) => ({ ...functionCall({ ...payload, name: 'tool_search' }) })],
  ['web_search_call', webSearch],
  ['web_search_end', webSearch],
  ['WebSearch', webSearch],
  ['Extension', webSearch],
  ['image_generation_call', image],
  ['image_generation_end', image],
  ['exec_command_end', execution],
  ['CommandExecution', execution],
  ['patch_apply_end', patch],
  ['FileChange', patch],
  ['mcp_tool_call_end', mcpEvent],
  ['McpToolCall', mcpItem],
  ['dynamic_tool_call_request', dynamicCall],
  ['dynamic_tool_call_response', dynamicCall],
  ['view_image_tool_call', viewImage],
])

function mcpCall(invocation: JsonRecord): string {
  const server = stringAt(invocation, 'server')
  const tool = stringAt(invocation, 'tool') ?? 'tool'
  return toolCallText(server === null ? tool : `${server}.${tool}`, invocation.arguments)
}

/** Older versions pack a shell's output and its exit code into JSON inside the string. */
function outputText(output: unknown): string {
  const unpacked =
    typeof output === 'string' && output.startsWith('{"output":') ? argumentsOf(output) : output
  return toolResultText(unpacked)
}
