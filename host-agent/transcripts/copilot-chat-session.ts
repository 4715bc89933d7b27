/** Tells one chat of VS Code's Copilot: requests, each with the parts of its answer. */
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { joinParts, toolCallText, toolResultText } from './tool-text.ts'

export function tellCopilotChat(session: JsonRecord, tell: Telling): void {
  for (const value of listAt(session, 'requests')) {
    const request = asRecord(value)
    if (request === null) tell.bad()
    else if (!isUndone(request)) tellRequest(request, tell)
  }
}

/** A person went back to before it: it goes with the next request. Where it was undone in part, it is told all the same. */
function isUndone(request: JsonRecord): boolean {
  const removed = asRecord(request.shouldBeRemovedOnSend)
  return request.isHidden === true || (removed !== null && removed.afterUndoStop === undefined)
}

function tellRequest(request: JsonRecord, tell: Telling): void {
  const atMs = timestampMs(request.timestamp)
  const asked =
    typeof request.message === 'string' ? request.message : stringAt(recordAt(request, 'message'), 'text')
  const words = takeBlocks(asked ?? '', opening).rest
  // A button that was pressed, or a notice that a command has ended, comes as a request too.
  if (request.isSystemInitiated === true || typeof request.confirmation === 'string') tell.tool(words, atMs)
  else tell.user(words, atMs)
  const completedAtMs = timestampMs(recordAt(request, 'modelState').completedAt)
  tellAnswer(listAt(request, 'response'), tell, completedAtMs ?? atMs)
  tell.at(completedAtMs)
  const error = stringAt(recordAt(recordAt(request, 'result'), 'errorDetails'), 'message')
  tell.tool(error ?? '', atMs)
}

const opening = openingTags([...commonInjectedTags, 'context', 'reminderInstructions'])

/** The texts between two tools are one message; what an editor marks within a sentence belongs to it. */
function tellAnswer(parts: readonly unknown[], tell: Telling, atMs: number | null): void {
  let run = ''
  const close = (): void => {
    tell.assistant(run.trim(), atMs)
    run = ''
  }
  for (const value of parts) {
    const part = asRecord(value)
    if (part === null) {
      tell.bad()
      continue
    }
    const kind = stringAt(part, 'kind')
    if (kind === null || kind === 'markdownContent' || kind === 'markdownVuln')
      run += markdownText(part.content ?? part)
    else if (kind === 'inlineReference') run += referenceText(part)
    else if (kind === 'thinking') {
      close()
      tell.assistant(thinkingText(part.value), atMs)
    } else if (kind === 'toolInvocationSerialized') {
      close()
      tellInvocation(part, tell, atMs)
    } else if (noticeKinds.has(kind)) {
      close()
      tell.tool(
        joinParts([markdownText(part.title), markdownText(part.message), markdownText(part.content)]),
        atMs,
      )
    } else if (!silentKinds.has(kind)) tell.unknown()
  }
  close()
}

function tellInvocation(part: JsonRecord, tell: Telling, atMs: number | null): void {
  const data = recordAt(part, 'toolSpecificData')
  const line = recordAt(data, 'commandLine')
  const command = stringAt(line, 'userEdited') ?? stringAt(line, 'original') ?? stringAt(data, 'command')
  const said =
    stringAt(part, 'generatedTitle') ?? markdownText(part.pastTenseMessage ?? part.invocationMessage)
  const input = command ?? data.rawInput ?? stringAt(recordAt(part, 'resultDetails'), 'input') ?? said
  tell.tool(toolCallText(stringAt(part, 'toolId') ?? 'tool', input), atMs)
  const details = recordAt(part, 'resultDetails')
  const terminal = stringAt(recordAt(data, 'terminalCommandOutput'), 'text')
  const output = listAt(details, 'output').map((one) => outputText(asRecord(one) ?? {}))
  tell.tool(joinParts([terminal ?? '', ...output, toolResultText(data.result)]), atMs)
}

/** Pictures and other binary results come as text in base 64. */
function outputText(output: JsonRecord): string {
  return output.isText === false ? '' : (stringAt(output, 'value') ?? '')
}

/** A text, or an object with one. */
function markdownText(value: unknown): string {
  if (typeof value === 'string') return value
  return stringAt(asRecord(value) ?? {}, 'value') ?? ''
}

/** A thought's text, or its pieces. */
function thinkingText(value: unknown): string {
  const pieces = Array.isArray(value) ? value : [value]
  return pieces.filter((piece) => typeof piece === 'string').join('')
}

function referenceText(part: JsonRecord): string {
  const reference = recordAt(part, 'inlineReference')
  const uri = asRecord(reference.uri) ?? asRecord(recordAt(reference, 'location').uri) ?? reference
  const path = stringAt(uri, 'fsPath') ?? stringAt(uri, 'path')
  return stringAt(part, 'name') ?? stringAt(reference, 'name') ?? path?.slice(path.search(/[^\\/]*$/)) ?? ''
}

const noticeKinds = new Set([
  'warning',
  'confirmation',
  'elicitation',
  'elicitationSerialized',
  'pullRequest',
])

/** Edits by place, and what only an editor shows. */
const silentKinds = new Set([
  'clearToPreviousToolInvocation',
  'codeblockUri',
  'codeCitation',
  'command',
  'disabledClaudeHooks',
  'extensions',
  'hook',
  'mcpServersStarting',
  'multiDiffData',
  'notebookEdit',
  'notebookEditGroup',
  'prepareToolInvocation',
  'progressMessage',
  'progressTask',
  'progressTaskSerialized',
  'questionCarousel',
  'textEdit',
  'textEditGroup',
  'treeData',
  'undoStop',
  'workspaceEdit',
])
