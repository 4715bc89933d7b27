/** Tells a task's `ui_messages.json`, as Cline and its forks (Roo Code, Kilo Code) write it: what the person saw. */
import { asRecord, type JsonRecord, listAt, stringAt } from './json-record.ts'
import { recordedPath } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { argumentsOf, joinParts, toolCallText } from './tool-text.ts'

/** @returns the working directory the requests to the model name, or null. */
export function tellTaskMessages(messages: readonly unknown[], tell: Telling): string | null {
  let cwd: string | null = null
  let begun = false
  for (const value of messages) {
    const message = asRecord(value)
    if (message === null) {
      tell.bad()
      continue
    }
    const atMs = timestampMs(message.ts)
    tell.at(atMs)
    const kind = stringAt(message, message.type === 'ask' ? 'ask' : 'say') ?? ''
    const text = stringAt(message, 'text') ?? ''
    if (kind === 'api_req_started') cwd ??= workingDirectoryIn(text)
    const thought = stringAt(message, 'reasoning')
    if (thought !== null) tell.assistant(thought, atMs)
    // The task itself comes as the first text; every later one is the assistant's.
    if (!begun && (kind === 'text' || kind === 'task')) tell.user(text, atMs)
    else tellMessage(kind, text, message, tell, atMs)
    begun ||= text !== '' && (kind === 'text' || kind === 'task')
  }
  return cwd
}

/** What a request's details say: `Current Working Directory (/path) Files`. */
export function workingDirectoryIn(request: string): string | null {
  const found = /Current Work(?:ing|space) Directory \(([^)\n"]{1,1000})\)/.exec(request)?.[1]
  if (found === undefined) return null
  // Within JSON within JSON, a backslash is doubled.
  return recordedPath(found.replaceAll('\\\\', '\\'))
}

function tellMessage(
  kind: string,
  text: string,
  message: JsonRecord,
  tell: Telling,
  atMs: number | null,
): void {
  if (silentKinds.has(kind)) return
  if (assistantKinds.has(kind)) tell.assistant(withoutFlag(text), atMs)
  else if (toolKinds.has(kind)) tell.tool(text, atMs)
  else if (kind === 'user_feedback') tell.user(text, atMs)
  else if (kind === 'command') tell.tool(toolCallText('command', withoutFlag(text)), atMs)
  else if (questionKinds.has(kind)) tellQuestion(text, tell, atMs)
  else if (kind === 'tool' || kind === 'user_feedback_diff') tell.tool(editorToolText(text), atMs)
  else if (kind === 'use_mcp_server') tell.tool(mcpCallText(text), atMs)
  else if (kind.startsWith('browser_action')) tell.tool(browserText(kind, text), atMs)
  else if (kind === 'condense_context')
    tell.tool(stringAt(asRecord(message.contextCondense) ?? {}, 'summary') ?? text, atMs)
  else tell.unknown()
}

/** A question and, where the person chose an answer that was offered, that answer. */
function tellQuestion(text: string, tell: Telling, atMs: number | null): void {
  const asked = asRecord(argumentsOf(text))
  if (asked === null) {
    tell.assistant(text, atMs)
    return
  }
  const offered = listAt(asked, 'options').concat(listAt(asked, 'suggest')).map(answerText)
  const question = stringAt(asked, 'question') ?? stringAt(asked, 'response') ?? ''
  tell.assistant(joinParts([question, ...offered]), atMs)
  tell.user(stringAt(asked, 'selected') ?? '', atMs)
}

function answerText(answer: unknown): string {
  return typeof answer === 'string' ? answer : (stringAt(asRecord(answer) ?? {}, 'answer') ?? '')
}

function editorToolText(text: string): string {
  const call = asRecord(argumentsOf(text))
  if (call === null) return text
  const batches = ['batchFiles', 'batchDirs', 'batchDiffs'].flatMap((key) =>
    listAt(call, key).map((one) => asRecord(one) ?? {}),
  )
  const words = [
    ...callWords.map((key) => stringAt(call, key)),
    ...batches.map((one) => stringAt(one, 'path')),
  ]
  const argument = words.filter((word) => word !== null).join(' ')
  const contents = [call, ...batches].flatMap((one) => [stringAt(one, 'content'), stringAt(one, 'diff')])
  // The content of a file that was read is its path once more.
  const shown = contents.filter((content) => content !== null && content !== stringAt(call, 'path'))
  return joinParts([
    toolCallText(stringAt(call, 'tool') ?? 'tool', argument),
    ...shown.map((one) => one ?? ''),
  ])
}

const callWords = [
  'path',
  'regex',
  'filePattern',
  'query',
  'command',
  'args',
  'skill',
  'mode',
  'reason',
  'question',
]

function mcpCallText(text: string): string {
  const call = asRecord(argumentsOf(text))
  if (call === null) return text
  const name = joinParts([stringAt(call, 'serverName') ?? '', stringAt(call, 'toolName') ?? '']).replace(
    '\n',
    ' ',
  )
  return toolCallText(name === '' ? 'mcp' : name, argumentsOf(call.arguments) ?? call.uri)
}

/** A result carries a picture of the page, which is no text. */
function browserText(kind: string, text: string): string {
  const action = asRecord(argumentsOf(text)) ?? {}
  if (kind === 'browser_action_result')
    return joinParts([stringAt(action, 'currentUrl') ?? '', stringAt(action, 'logs') ?? ''])
  if (kind === 'browser_action_launch') return toolCallText('browser', text)
  const words = ['action', 'coordinate', 'text'].map((key) => stringAt(action, key) ?? '')
  return toolCallText('browser', words.filter((word) => word !== '').join(' '))
}

/** Signals to the view, behind the words. */
function withoutFlag(text: string): string {
  return text.replace(/\s*(?:HAS_CHANGES|REQ_APP)$/, '')
}

const assistantKinds = new Set(['text', 'reasoning', 'completion_result', 'plan_completion_result'])
const questionKinds = new Set(['followup', 'plan_mode_respond', 'act_mode_respond'])
const toolKinds = new Set([
  'command_output',
  'mcp_server_response',
  'mcp_notification',
  'codebase_search_result',
  'subtask_result',
  'error',
  'diff_error',
  'clineignore_error',
  'rooignore_error',
  'command_permission_denied',
  'condense_context_error',
  'api_req_failed',
  'mistake_limit_reached',
  'info',
  'condense',
  'summarize_task',
  'new_task',
  'compaction',
  'use_subagents',
])
/** Signals of progress, and what repeats other messages. */
const silentKinds = new Set([
  '',
  'api_req_started',
  'api_req_finished',
  'api_req_retried',
  'api_req_retry_delayed',
  'api_req_rate_limit_wait',
  'api_req_deleted',
  'deleted_api_reqs',
  'auto_approval_max_req_reached',
  'checkpoint_created',
  'checkpoint_saved',
  'conditional_rules_applied',
  'generate_explanation',
  'hook_output_stream',
  'hook_status',
  'image',
  'load_mcp_documentation',
  'mcp_server_request_started',
  'report_bug',
  'resume_completed_task',
  'resume_task',
  'shell_integration_warning',
  'shell_integration_warning_with_suggestion',
  'sliding_window_truncation',
  'subagent',
  'subagent_usage',
  'task_progress',
  'too_many_tools_warning',
  'user_edit_todos',
])
