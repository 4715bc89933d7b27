/** Reads the events of a session of Copilot's command line. */
import {
  type CopilotState,
  copilotState,
  noteContext,
  tellCopilotAssistant,
  tellCopilotUser,
} from './copilot-messages.ts'
import { silentEvents, silentFamilies } from './copilot-silent.ts'
import { type JsonRecord, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { LinesFormat, TranscriptFile } from './reader.ts'
import { recordedPath, sessionIdOfFile } from './session-names.ts'
import type { Telling } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { toldLines } from './told-lines.ts'
import { argumentsOf, joinParts, toolCallText, toolResultText } from './tool-text.ts'
import { topLevelYaml } from './top-level-yaml.ts'

export function copilotLines(label: string): LinesFormat {
  return toldLines<CopilotState>({
    label,
    state: copilotState,
    initial: () => ({ id: null, cwd: null, branch: null, messageId: null, thought: null, asked: [] }),
    record(record, state, tell) {
      const atMs = timestampMs(record.timestamp)
      tell.at(atMs)
      tellEvent(record, state, tell, atMs)
    },
    identity(state, _tally, { file, beside }) {
      const manifest = topLevelYaml(beside.text(copilotManifestPath(file)) ?? '')
      return {
        sessionId: state.id ?? sessionIdOfFile(file.relativePath.replace(/\/events\.jsonl$/, '')),
        title: manifest.get('name') ?? manifest.get('summary') ?? null,
        cwd: state.cwd ?? recordedPath(manifest.get('cwd')),
        branch: state.branch ?? manifest.get('branch') ?? null,
        invocation: 'copilot --resume=',
      }
    },
  })
}

/** `workspace.yaml` in the session's folder; sessions that are one file have none. */
export function copilotManifestPath(file: TranscriptFile): string {
  return neighbourPath(file.path, 'workspace.yaml')
}

function tellEvent(record: JsonRecord, state: CopilotState, tell: Telling, atMs: number | null): void {
  const data = recordAt(record, 'data')
  const type = stringAt(record, 'type') ?? ''
  switch (type) {
    case 'session.start':
      state.id ??= stringAt(data, 'sessionId')
      noteContext(recordAt(data, 'context'), state)
      tell.at(timestampMs(data.startTime))
      break
    case 'session.resume':
      noteContext(recordAt(data, 'context'), state)
      break
    case 'session.context_changed':
      noteContext(data, state)
      break
    case 'session.info':
      // Older versions name the folder nowhere else.
      state.cwd ??= recordedPath(trustedFolder.exec(stringAt(data, 'message') ?? '')?.[1])
      break
    case 'user.message':
      tellCopilotUser(record, data, tell, atMs)
      break
    case 'assistant.message':
      tellCopilotAssistant(record, data, state, tell, atMs)
      break
    case 'assistant.reasoning':
      tellCopilotAssistant(record, { reasoningText: data.content }, state, tell, atMs)
      break
    case 'tool.execution_start':
      tellCall(data, state, tell, atMs)
      break
    case 'tool.execution_complete':
      tell.tool(resultText(data), atMs)
      break
    case 'session.error':
      tell.tool(`error: ${stringAt(data, 'message') ?? 'unknown'}`, atMs)
      break
    case 'session.compaction_complete':
      tell.tool(stringAt(data, 'summaryContent') ?? '', atMs)
      break
    case 'session.handoff':
      tell.tool(joinParts([stringAt(data, 'summary') ?? '', stringAt(data, 'context') ?? '']), atMs)
      break
    case 'system.notification':
      tell.tool(stringAt(data, 'content') ?? '', atMs)
      break
    case 'skill.invoked':
      tell.tool(toolCallText('skill', stringAt(data, 'name') ?? ''), atMs)
      break
    default:
      if (!silentEvents.has(type) && !silentFamilies.has(type.slice(0, type.indexOf('.')))) tell.unknown()
  }
}

const trustedFolder = /^Folder (.+) has been added to trusted folders/

function tellCall(data: JsonRecord, state: CopilotState, tell: Telling, atMs: number | null): void {
  const callId = stringAt(data, 'toolCallId')
  const asked = callId === null ? -1 : state.asked.indexOf(callId)
  if (asked === -1)
    tell.tool(toolCallText(stringAt(data, 'toolName') ?? 'tool', argumentsOf(data.arguments)), atMs)
  else state.asked.splice(asked, 1)
}

function resultText(data: JsonRecord): string {
  const { result } = data
  const content = toolResultText(typeof result === 'string' ? result : recordAt(data, 'result').content)
  const error = data.error
  return joinParts([
    content,
    typeof error === 'string' ? error : (stringAt(recordAt(data, 'error'), 'message') ?? ''),
  ])
}
