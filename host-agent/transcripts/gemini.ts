/**
 * Gemini CLI: where its sessions lie and how their messages read. Its log takes messages back, so it is read whole;
 * gemini-record.ts puts it together.
 */
import { createHash } from 'node:crypto'
import { posix, win32 } from 'node:path'
import { type GeminiRecord, geminiDocument, geminiLog } from './gemini-record.ts'
import { commonInjectedTags, openingTags, takeBlocks } from './injected-text.ts'
import { jsonManifest } from './json-document.ts'
import { asRecord, type JsonRecord, listAt, recordAt, stringAt } from './json-record.ts'
import { neighbourPath } from './neighbour-path.ts'
import type { Beside, DocumentFormat, TranscriptFile, TranscriptReader, WholeTranscript } from './reader.ts'
import { recordedPath } from './session-names.ts'
import { nothingTold, type Telling, toldWhole } from './telling.ts'
import { timestampMs } from './timestamps.ts'
import { joinParts, toolCallText, toolResultText } from './tool-text.ts'

const label = 'Gemini CLI'

const document: DocumentFormat = { kind: 'document', read }

export function geminiReader(): TranscriptReader {
  return {
    agent: 'gemini',
    label,
    notes: {
      evidence: 'sample',
      variables: ['GEMINI_CLI_HOME'],
      resume: 'gemini --resume ID',
      remark: 'Rewinds are applied. Subagents belong to their session.',
    },
    roots({ homeDir, platform, env }) {
      const { isAbsolute, join } = platform === 'win32' ? win32 : posix
      const configured = env.GEMINI_CLI_HOME
      const home = configured !== undefined && isAbsolute(configured) ? configured : homeDir
      return [{ path: join(home, '.gemini', 'tmp') }]
    },
    enters(relativePath) {
      const [, chats, ...below] = relativePath.split('/')
      return chats === undefined || (chats === 'chats' && below.length <= 1)
    },
    formatOf: (relativePath) => (transcriptPath.test(relativePath) ? document : null),
    companions: ({ path, relativePath }) => {
      const root = neighbourPath(path, '..', ...(isSubagent(relativePath) ? ['..'] : []), '.project_root')
      return path.endsWith('.json') ? [root, `${path}l`] : [root]
    },
  }
}

/** `<project>/chats/session-….json[l]`, and `<project>/chats/<session>/<subagent>.json[l]`. */
const transcriptPath = /^[^/]+\/chats\/(?:session-[^/]+|[^/]+\/[^/]+)\.jsonl?$/

function isSubagent(relativePath: string): boolean {
  return relativePath.split('/').length === 4
}

function read(file: TranscriptFile, beside: Beside, bytes: Buffer): WholeTranscript {
  const { path, relativePath } = file
  const [project = '', , folder = ''] = relativePath.split('/')
  const fileName = relativePath.slice(relativePath.lastIndexOf('/') + 1)
  const fileId = fileName.replace(/\.jsonl?$/, '')
  // Resuming a session turns its document into a log of the same name, which begins with all that was said.
  if (path.endsWith('.json') && beside.list(neighbourPath(path)).includes(`${fileName}l`))
    return nothingTold(label, file, fileId)
  const record = path.endsWith('.jsonl') ? geminiLog(bytes) : geminiDocument(bytes)
  const isPart = isSubagent(relativePath)
  const tellAll = (tell: Telling) => {
    tellRecord(record, tell)
    const { session } = record
    const ownId = stringAt(session, 'sessionId') ?? fileId
    return {
      sessionId: isPart ? folder : ownId,
      title: stringAt(session, 'summary'),
      cwd: projectFolder(file, beside, project),
      createdAtMs: timestampMs(session.startTime ?? session.start_time),
      updatedAtMs: timestampMs(session.lastUpdated),
      kind: isPart
        ? ('part' as const)
        : session.kind === 'subagent'
          ? ('none' as const)
          : ('session' as const),
      invocation: 'gemini --resume',
    }
  }
  return toldWhole(label, file, tellAll, isPart)
}

function tellRecord({ messages, badLines }: GeminiRecord, tell: Telling): void {
  for (let count = 0; count < badLines; count++) tell.bad()
  for (const message of messages) tellMessage(message, tell)
}

function tellMessage(message: JsonRecord, tell: Telling): void {
  const atMs = timestampMs(message.timestamp ?? message.ts)
  const content = message.content ?? message.parts
  switch (message.type ?? message.role) {
    case 'user':
      tellUser(message.displayContent ?? content, tell, atMs)
      tellFunctions(content, tell, atMs)
      break
    case 'gemini':
    case 'model':
    case 'assistant':
      tell.assistant(joinParts([...listAt(message, 'thoughts').map(thoughtText), partsText(content)]), atMs)
      tellFunctions(content, tell, atMs)
      for (const call of listAt(message, 'toolCalls')) tellCall(asRecord(call) ?? {}, tell, atMs)
      break
    case 'info':
    case 'warning':
    case 'error':
      tell.tool(partsText(content), atMs)
      break
    default:
      tell.unknown()
  }
}

function tellUser(content: unknown, tell: Telling, atMs: number | null): void {
  const text = partsText(content)
  // Files that the text names with an @ are put behind it.
  const attached = text.indexOf('\n--- Content from referenced files ---')
  tell.user(takeBlocks(attached === -1 ? text : text.slice(0, attached), opening).rest, atMs)
}

const opening = openingTags([...commonInjectedTags, 'session_context', 'hook_context', 'state_snapshot'])

/** The text of Gemini's parts: one text, or a list of texts and of objects with one. */
function partsText(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content : [content]
  return joinParts(
    parts.map((part) => (typeof part === 'string' ? part : (stringAt(asRecord(part) ?? {}, 'text') ?? ''))),
  )
}

function tellFunctions(content: unknown, tell: Telling, atMs: number | null): void {
  for (const part of Array.isArray(content) ? content : []) {
    const record = asRecord(part) ?? {}
    const call = asRecord(record.functionCall)
    if (call !== null) tell.tool(toolCallText(stringAt(call, 'name') ?? 'tool', call.args), atMs)
    tell.tool(toolResultText(recordAt(record, 'functionResponse').response), atMs)
  }
}

function thoughtText(thought: unknown): string {
  const { subject, description } = asRecord(thought) ?? {}
  return joinParts([subject, description].map((text) => (typeof text === 'string' ? text : '')))
}

function tellCall(call: JsonRecord, tell: Telling, messageAtMs: number | null): void {
  const atMs = timestampMs(call.timestamp) ?? messageAtMs
  tell.tool(toolCallText(stringAt(call, 'name') ?? 'tool', call.args), atMs)
  const results = listAt(call, 'result').map(
    (part) => recordAt(asRecord(part) ?? {}, 'functionResponse').response,
  )
  const result = joinParts(results.map((response) => toolResultText(response)))
  tell.tool(result === '' ? toolResultText(call.resultDisplay) : result, atMs)
}

/**
 * The folder of a project as Gemini recorded it: in the project's folder, else in the list of all projects, by the
 * short name or by the hash that stands in the path's place. Never undone from the name.
 */
function projectFolder(file: TranscriptFile, beside: Beside, project: string): string | null {
  const up = isSubagent(file.relativePath) ? ['..', '..'] : ['..']
  const recorded = recordedPath(beside.text(neighbourPath(file.path, ...up, '.project_root'))?.trim())
  if (recorded !== null) return recorded
  const list = beside.parsed(neighbourPath(file.path, ...up, '..', '..', 'projects.json'), jsonManifest)
  for (const [path, name] of Object.entries(recordAt(list ?? {}, 'projects')))
    if (name === project || createHash('sha256').update(path).digest('hex') === project)
      return recordedPath(path)
  return null
}
